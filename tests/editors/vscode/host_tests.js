// Runs inside the extension host, with the whole `vscode` API. Each test prints one line of JSON.
const assert = require('node:assert/strict');
const vscode = require('vscode');

const execute = vscode.commands.executeCommand;

async function until(what, look, patience = 60_000) {
  const end = Date.now() + patience;
  for (;;) {
    const seen = await look();
    if (seen) return seen;
    if (Date.now() > end) throw new Error(`not seen: ${what}`);
    await new Promise((done) => setTimeout(done, 20));
  }
}

async function open(name) {
  const folder = vscode.workspace.workspaceFolders[0].uri;
  const document = await vscode.workspace.openTextDocument(vscode.Uri.joinPath(folder, name));
  const editor = await vscode.window.showTextDocument(document);
  return { document, editor, uri: document.uri };
}

function place(document, text) {
  return document.positionAt(document.getText().indexOf(text));
}

const codes = (uri) => vscode.languages.getDiagnostics(uri).map((found) => found.code?.value ?? found.code);
const everything = new vscode.Range(0, 0, 9999, 0);
const label = (hint) => (typeof hint.label === 'string' ? hint.label : hint.label.map((part) => part.value).join(''));

async function hintOn(uri, line) {
  const hints = (await execute('vscode.executeInlayHintProvider', uri, everything)) ?? [];
  const results = vscode.extensions.getExtension('rubric.rubric').exports.resultsOf(uri);
  return [...hints.filter((hint) => hint.position.line === line).map(label), ...results.filter((each) => each.line === line).map(({ text }) => text)].join(' ');
}

const result = (uri, line) => until(`a result on line ${line}`, async () => /[✔✘○]/u.exec(await hintOn(uri, line))?.[0]);

const tests = {
  async 'the extension is active'() {
    await open('support.eval.yaml');
    await until('active', () => vscode.extensions.getExtension('rubric.rubric')?.isActive);
  },
  async 'suites have their own language'() {
    assert.equal((await open('support.eval.yaml')).document.languageId, 'eval-yaml');
    assert.equal((await open('settings.yaml')).document.languageId, 'yaml');
    assert.equal((await open('.agentv/targets.yaml')).document.languageId, 'yaml');
  },
  async 'a name that others use is a suite by its content'() {
    const folder = vscode.Uri.joinPath(vscode.workspace.workspaceFolders[0].uri, 'evals');
    const write = (name, text) => vscode.workspace.fs.writeFile(vscode.Uri.joinPath(folder, name), Buffer.from(text));
    await write('dataset.grader-scores.yaml', '- test_id: a\n  grader: rubrics\n  range: {min: 0.3}\n');
    await write('dataset-yolo.yaml', 'path: coco\ntrain: images\nval: images\nnames: {0: person}\n');
    await write('dataset.yaml', 'name: real\ntests:\n  - {id: a, input: Hi, criteria: Greets}\n');
    const others = [await open('evals/dataset.grader-scores.yaml'), await open('evals/dataset-yolo.yaml')];
    await open('evals/dataset.yaml');
    await until('our language', () => vscode.window.activeTextEditor.document.languageId === 'eval-yaml');
    assert.deepEqual(others.map(({ document, uri }) => [document.languageId, codes(uri)]), [['yaml', []], ['yaml', []]]);
  },
  async 'a suite below evals may have any name'() {
    const folder = vscode.Uri.joinPath(vscode.workspace.workspaceFolders[0].uri, 'evals');
    const write = (name, text) => vscode.workspace.fs.writeFile(vscode.Uri.joinPath(folder, name), Buffer.from(text));
    await write('some-cases.yaml', '- {id: a, input: Hi, criteria: Greets}\n');
    await write('composite-example.yaml', 'evalcases:\n  - {id: a, input: Hi, expected_outcome: Greets}\n');
    const cases = await open('evals/some-cases.yaml');
    await open('evals/composite-example.yaml');
    await until('our language', () => vscode.window.activeTextEditor.document.languageId === 'eval-yaml');
    assert.equal(cases.document.languageId, 'yaml');
  },
  async 'every command of the manifest exists'() {
    const { contributes } = vscode.extensions.getExtension('rubric.rubric').packageJSON;
    const known = new Set(await vscode.commands.getCommands(true));
    assert.deepEqual(contributes.commands.map(({ command }) => command).filter((command) => !known.has(command)), []);
  },
  async 'problems are found'() {
    const { uri, document } = await open('broken.eval.yaml');
    await until('both', () => codes(uri).includes('overlapping-bands') && codes(uri).includes('renamed-key'));
    const bands = vscode.languages.getDiagnostics(uri).find((found) => /bands/.test(found.message));
    assert.equal(bands.range.start.line, place(document, '[5, 10]').line);
    assert.equal(bands.source, 'rubric');
  },
  async 'a quick fix is applied'() {
    const { uri, document } = await open('broken.eval.yaml');
    const at = place(document, 'expected_outcome');
    const actions = await until('actions', async () => {
      const kind = vscode.CodeActionKind.QuickFix.value;
      const found = await execute('vscode.executeCodeActionProvider', uri, new vscode.Range(at, at), kind);
      return found.length && found;
    });
    const fix = actions.find((action) => action.edit && /criteria/.test(action.title));
    assert.ok(fix, actions.map((action) => action.title).join());
    await vscode.workspace.applyEdit(fix.edit);
    assert.match(document.getText(), /^ {4}criteria: Says hello$/m);
    await until('the problem is gone', () => !codes(uri).includes('renamed-key'));
  },
  async 'a migration comes behind the runs'() {
    const { uri, document } = await open('support.eval.yaml');
    const at = place(document, 'refund');
    const actions = await until('actions', async () => {
      const found = await execute('vscode.executeCodeActionProvider', uri, new vscode.Range(at, at));
      return found.some(({ title }) => /^Migrate/.test(title)) && found;
    });
    const number = (title) => actions.findIndex((action) => title.test(action.title));
    assert.ok(number(/^Run case/) < number(/^Migrate/), actions.map(({ title }) => title).join());
    assert.equal(actions[number(/^Migrate/)].kind?.value ?? '', ''); // else it would be among the rewrites, which are listed first
  },
  async 'completion offers keys'() {
    const { uri, document, editor } = await open('support.eval.yaml');
    const at = place(document, 'criteria: Says');
    await editor.edit((edit) => edit.insert(at, 'exp\n    '));
    const list = await execute('vscode.executeCompletionItemProvider', uri, at.translate(0, 3));
    await execute('undo');
    const labels = list.items.map((item) => item.label.label ?? item.label);
    assert.ok(labels.includes('expected_output'), labels.join());
  },
  async 'a code lens runs its case'() {
    const { uri, document } = await open('support.eval.yaml');
    const line = place(document, '- id: refund').line;
    const lens = await until('a lens', async () => {
      const lenses = (await execute('vscode.executeCodeLensProvider', uri, 100)) ?? [];
      return lenses.find((each) => each.command?.command === 'rubric.runCase' && each.range.start.line === line);
    });
    await execute(lens.command.command, ...lens.command.arguments);
    assert.equal(await result(uri, line), '✔');
  },
  async 'the case at the cursor runs from the palette'() {
    const { uri, document, editor } = await open('support.eval.yaml');
    const at = place(document, 'value: sorry');
    editor.selection = new vscode.Selection(at, at);
    await execute('rubric.runCase');
    await until('the failure is a problem', () => codes(uri).includes('case-failed') && codes(uri).includes('criterion-failed'));
    assert.equal(await result(uri, place(document, '- id: late-order').line), '✘');
    // Once: VS Code has no message of its own at the end of this line.
    const failed = place(document, '- type: contains\n        value: sorry').line;
    await until('one result', async () => /^✘[^✘]*$/u.test(await hintOn(uri, failed)));
    await editor.edit((edit) => edit.insert(place(document, 'sorry').translate(0, 5), ' for that'));
    await until('the same result in its place, which is stale', async () => /^◌ ✘[^✘]*$/u.test(await hintOn(uri, failed)));
    await execute('undo');
    await until('as it was', async () => /^✘[^✘]*$/u.test(await hintOn(uri, failed)));
  },
  async 'the answer opens as a document that cannot be edited'() {
    const { uri } = await open('support.eval.yaml');
    await execute('rubric.openAnswer', uri.toString(), 'late-order');
    const shown = await until('the answer', () => {
      const document = vscode.window.activeTextEditor?.document;
      return document?.getText().includes('within 30 days') && document.uri.scheme !== 'file' && document;
    });
    assert.match(shown.getText(), /full refund/);
  },
  async 'the answer is compared with what was expected'() {
    const { uri } = await open('expected.eval.yaml');
    await execute('rubric.runCase', uri.toString(), 'policy');
    await until('a result', async () => codes(uri).length || (await hintOn(uri, 5)));
    await execute('rubric.diffAnswer', uri.toString(), 'policy');
    const tab = await until('a difference', () => {
      const active = vscode.window.tabGroups.activeTabGroup.activeTab;
      return active?.input instanceof vscode.TabInputTextDiff && active;
    });
    const text = async (which) => (await vscode.workspace.openTextDocument(which)).getText();
    assert.equal(await text(tab.input.original), 'You can return it within 14 days.');
    assert.match(await text(tab.input.modified), /within 30 days/);
  },
  async 'the line for a terminal is copied'() {
    const { uri } = await open('support.eval.yaml');
    await execute('rubric.copyCommand', uri.toString(), 'refund');
    assert.match(await vscode.env.clipboard.readText(), /^rubric run .*support\.eval\.yaml.*refund/);
  },
  async 'the report opens beside its suite'() {
    const { uri } = await open('support.eval.yaml');
    await execute('rubric.openReport', uri.toString(), 'refund');
    const all = () => vscode.window.tabGroups.all.flatMap((group) => group.tabs);
    await until('its tab', () => all().some((tab) => tab.label === 'Report: refund' && tab.input instanceof vscode.TabInputWebview));
    await execute('workbench.action.closeActiveEditor');
  },
  async 'hover on the id is the report'() {
    const { uri, document } = await open('support.eval.yaml');
    const hovers = await execute('vscode.executeHoverProvider', uri, place(document, 'refund').translate(0, 2));
    assert.match(hovers.flatMap((hover) => hover.contents.map((part) => part.value)).join('\n'), /refund/);
  },
  async 'the file runs, and its results are cleared'() {
    const { uri, document } = await open('support.eval.yaml');
    await execute('rubric.runFile');
    assert.equal(await result(uri, place(document, '- id: exact').line), '✔');
    await execute('rubric.clearResults');
    await until('no results', async () => !(await hintOn(uri, place(document, '- id: exact').line)) && !codes(uri).length);
  },
  async 'a run can be stopped'() {
    const { uri } = await open('slow.eval.yaml');
    const ended = Promise.resolve(execute('rubric.runFile')).catch(() => undefined);
    const offers = async (title) => ((await execute('vscode.executeCodeLensProvider', uri, 100)) ?? []).some((lens) => lens.command?.title.includes(title));
    await until('it runs', () => offers('Cancel'));
    await execute('rubric.cancel');
    await until('it runs no more', () => offers('Run'));
    const end = await Promise.race([ended.then(() => 'ended'), new Promise((done) => setTimeout(done, 60_000, 'still running'))]);
    assert.equal(end, 'ended', uri.toString());
  },
  async 'a file of cases has the results of its suite'() {
    const folder = vscode.Uri.joinPath(vscode.workspace.workspaceFolders[0].uri, 'evals');
    const write = (name, text) => vscode.workspace.fs.writeFile(vscode.Uri.joinPath(folder, name), Buffer.from(text));
    await write('taken.eval.yaml', '# rubric: dialect=agentv-3\nexecution: {target: canned}\ntests: ./more.yaml\n');
    await write('more.yaml', '- id: taken\n  criteria: Names the window\n  input: Hello\n  assertions:\n    - {type: contains, value: 30 days}\n');
    await open('evals/taken.eval.yaml');
    const { uri, document, editor } = await open('evals/more.yaml');
    assert.equal(document.languageId, 'yaml');
    editor.selection = new vscode.Selection(0, 6, 0, 6);
    await until('a lens', async () => ((await execute('vscode.executeCodeLensProvider', uri, 100)) ?? []).some((each) => each.command?.command === 'rubric.runCase'));
    await execute('rubric.runCase'); // the case at the cursor, with the suite that takes it over
    assert.equal(await result(uri, 0), '✔');
    await execute('rubric.copyCommand');
    assert.match(await vscode.env.clipboard.readText(), /^rubric run .*taken\.eval\.yaml::taken/);
  },
  async 'a prompt in a file of its own is checked'() {
    const folder = vscode.workspace.workspaceFolders[0].uri;
    const write = (name, text) => vscode.workspace.fs.writeFile(vscode.Uri.joinPath(folder, name), Buffer.from(text));
    const text = 'Answer: {{ output }}\nIn short: {{ anwser }}\n{{ ';
    await Promise.all(['prompts/judge.md', 'notes.md'].map((name) => write(name, text)));
    const judge = '      - {type: llm-grader, prompt: file://prompts/judge.md}\n';
    await write('judged.eval.yaml', `# rubric: dialect=agentv-3\ntests:\n  - id: a\n    input: Hi\n    criteria: Greets\n    assertions:\n${judge}`);
    const other = await open('notes.md');
    const { uri, document } = await open('prompts/judge.md');
    assert.equal(document.languageId, 'markdown');
    await until('its problem', () => codes(uri).includes('template-variable'));
    const labels = async (which) => {
      const list = await execute('vscode.executeCompletionItemProvider', which, new vscode.Position(2, 3));
      return list.items.map((item) => item.label.label ?? item.label);
    };
    assert.ok((await labels(uri)).includes('criteria'));
    assert.deepEqual(codes(other.uri), []);
    assert.ok(!(await labels(other.uri)).includes('criteria'));
  },
  async 'references follow a file that is renamed'() {
    const at = (name) => vscode.Uri.joinPath(vscode.workspace.workspaceFolders[0].uri, name);
    const write = (name, text) => vscode.workspace.fs.writeFile(at(name), Buffer.from(text));
    const suite = '# rubric: dialect=agentv-3\ntests:\n  - id: a\n    input: Hi\n    criteria: Greets\n    assertions:\n      - {type: llm-grader, prompt: file://moved/tone.md}\n';
    await Promise.all([write('moved/tone.md', '{{ output }}'), write('moved.eval.yaml', suite)]);
    const { document } = await open('moved.eval.yaml');
    const rename = async (from, to) => {
      const edit = new vscode.WorkspaceEdit();
      edit.renameFile(at(from), at(to));
      assert.ok(await vscode.workspace.applyEdit(edit));
    };
    await rename('moved/tone.md', 'moved/manner.md');
    await until('the new name', () => document.getText().includes('file://moved/manner.md'));
    await rename('moved', 'prompts-of-judges');
    await until('the new folder', () => document.getText().includes('file://prompts-of-judges/manner.md'));
    await document.save();
  },
  async 'references are counted where that is asked for'() {
    const at = (name) => vscode.Uri.joinPath(vscode.workspace.workspaceFolders[0].uri, name);
    const suite = '# rubric: dialect=agentv-3\ntests:\n  - {id: first, input: Hi, criteria: c}\n  - {id: next, depends_on: [first], input: Hi, criteria: c}\n';
    await vscode.workspace.fs.writeFile(at('counted.eval.yaml'), Buffer.from(suite));
    await vscode.workspace.getConfiguration('rubric').update('referenceLenses', true, vscode.ConfigurationTarget.Global);
    const { uri } = await open('counted.eval.yaml');
    const lens = await until('the lens', async () => ((await execute('vscode.executeCodeLensProvider', uri, 100)) ?? []).find((each) => each.command?.title === '1 reference'));
    assert.equal(lens.command.command, 'rubric.showReferences');
    await execute(lens.command.command, ...lens.command.arguments);
    await vscode.workspace.getConfiguration('rubric').update('referenceLenses', undefined, vscode.ConfigurationTarget.Global);
    await execute('workbench.action.closeActiveEditor');
  },
  async 'a document is formatted, and none on save'() {
    const at = vscode.Uri.joinPath(vscode.workspace.workspaceFolders[0].uri, 'untidy.eval.yaml');
    const text = '# rubric: dialect=agentv-3\ntests:\n  - id:  a\n    input:   Hi\n    criteria:  Greets\n';
    await vscode.workspace.fs.writeFile(at, Buffer.from(text));
    await vscode.workspace.getConfiguration('editor').update('formatOnSave', true, vscode.ConfigurationTarget.Global);
    const { document, editor, uri } = await open('untidy.eval.yaml');
    const edits = await until('edits', async () => {
      const found = await execute('vscode.executeFormatDocumentProvider', uri, { tabSize: 2, insertSpaces: true });
      return found?.length === 3 && found;
    });
    assert.ok(edits.every((each) => /^[: ]*$/.test(each.newText)));
    await editor.edit((edit) => edit.insert(new vscode.Position(1, 0), '# note\n'));
    await document.save();
    assert.equal(document.getText(), text.replace('tests:', '# note\ntests:'));
    await execute('editor.action.formatDocument');
    await until('it is tidy', () => document.getText().endsWith('  - id: a\n    input: Hi\n    criteria: Greets\n'));
    await document.save();
  },
  async 'what belongs to no suite is left alone'() {
    const { uri } = await open('settings.yaml');
    assert.deepEqual(codes(uri), []);
    assert.deepEqual((await execute('vscode.executeCodeLensProvider', uri, 100)) ?? [], []);
  },
  async 'a new suite is begun'() {
    await execute('rubric.newSuite');
    const { document } = vscode.window.activeTextEditor;
    assert.equal(document.languageId, 'eval-yaml');
    assert.match(document.getText(), /^tests:$/m);
    assert.match(document.getText(), /^execution:\n {2}target: canned$/m, 'a target that the folder has');
    await execute('workbench.action.revertAndCloseActiveEditor');
  },
  async 'targets are checked'() {
    const { uri, editor } = await open('.agentv/targets.yaml');
    await editor.edit((edit) => edit.insert(editor.document.positionAt(editor.document.getText().length), '  - nmae: x\n    provider: mock\n'));
    await until('a problem', () => codes(uri).length > 0);
    await execute('workbench.action.files.revert');
  },
  async 'the server can be restarted'() {
    const { uri } = await open('broken.eval.yaml');
    await execute('rubric.restartServer');
    await until('problems again', () => codes(uri).includes('overlapping-bands'));
  },
};

exports.run = async function run() {
  let failed = 0;
  for (const [test, body] of Object.entries(tests)) {
    const begun = Date.now();
    let error = null;
    try {
      await body();
    } catch (problem) {
      error = String(problem.stack ?? problem);
      failed += 1;
    }
    console.log(JSON.stringify({ test, error, ms: Date.now() - begun }));
  }
  if (failed) throw new Error(`${failed} failed`);
};
exports.names = Object.keys(tests);
