// The Testing view in every order of events, with the extension's own modules and a VS Code that is made up. Run by `node --test`.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';

const require = createRequire(import.meta.url);
const here = import.meta.dirname;
const extension = path.resolve(here, '../../../editors/vscode');
const built = fs.mkdtempSync(path.join(os.tmpdir(), 'explorer-'));
after(() => fs.rmSync(built, { recursive: true }));
require(path.join(extension, 'node_modules/esbuild')).buildSync({
  stdin: { contents: `export { Explorer } from './src/explorer'; export * as vscode from 'vscode'; export * as protocol from './src/protocol';`, resolveDir: extension, loader: 'ts' },
  bundle: true,
  platform: 'node',
  format: 'cjs',
  outfile: path.join(built, 'explorer.cjs'),
  alias: { vscode: path.join(here, 'fakes/vscode.cjs'), 'vscode-languageclient/node': path.join(here, 'fakes/languageclient.cjs') },
  nodePaths: [path.join(extension, 'node_modules')], // for the fakes
});
const { Explorer, vscode, protocol } = require(path.join(built, 'explorer.cjs'));

const SUITES = ['file:///ws/evals/a.eval.yaml', 'file:///ws/evals/b.eval.yaml', 'file:///ws/other/c.eval.yaml'];
const [SUITE] = SUITES;
const FIRST = `${SUITE}::first`;
const SECOND = `${SUITE}::second`;
const GRADER = `${FIRST}::tone`;

const item = (id, kind, parent) => ({ id, kind, parent, label: id, textDocument: { uri: id.split('::')[0] }, canResolveChildren: kind === 'suite', sortText: id });
const inside = (uri) => ({
  tests: [item(uri, 'suite'), item(`${uri}::first`, 'case', uri), item(`${uri}::first::tone`, 'evaluator', `${uri}::first`), item(`${uri}::second`, 'case', uri)],
  scope: [uri],
});
const outside = () => ({ tests: SUITES.map((uri) => item(uri, 'suite')), scope: SUITES });

/** A server that answers as ours does. `runs` gives the answer to a wish to run. */
function server(runs = async () => ({ runId: '', tests: [] })) {
  const heard = new Map();
  return {
    hasTests: true,
    protocol2CodeConverter: { asRange: (range) => range, asLocation: (location) => location },
    onNotification: (type, listener) => heard.set(type.method, listener),
    tell: (method, params) => heard.get(`rubric/${method}`)(params),
    async sendRequest(type, params) {
      await Promise.resolve(); // it is somewhere else
      if (type === protocol.runTests) return runs(params);
      if (type !== protocol.discoverTests) return null;
      return params.testId ? inside(params.testId.split('::')[0]) : outside();
    },
  };
}

function opened(runs) {
  const client = server(runs);
  const explorer = new Explorer(async () => client);
  const controller = vscode.controllers.at(-1);
  explorer.listen(client);
  return { client, explorer, controller };
}

/** Everything that was going on has been done. */
async function settled() {
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
}

function find(items, id) {
  for (const [, each] of items) {
    const found = each.id === id ? each : find(each.children, id);
    if (found) return found;
  }
  return undefined;
}

const labels = (items) => [...items].map(([, each]) => [each.label, ...(each.id.startsWith('folder:') ? labels(each.children) : [])]).flat();

/** All ways to order events of several sequences, each of which keeps its own order. */
function* orders(...sequences) {
  const rest = sequences.filter((each) => each.length);
  if (!rest.length) yield [];
  for (const each of rest) {
    for (const order of orders(...rest.map((other) => (other === each ? other.slice(1) : other)))) yield [each[0], ...order];
  }
}

const states = (runId, ...pairs) => pairs.map(([testId, state, more]) => [`${state} ${testId.split('::').at(-1)}`, ({ client }) => client.tell('testState', { runId, testId, state, ...more })]);
const began = (runId, tests) => ['begins', ({ client }) => client.tell('runBegan', { runId, tests, label: 'Running' })];
const ended = (runId, more) => ['ends', ({ client }) => client.tell('runEnded', { runId, passed: 1, borderline: 0, failed: 0, unscored: 0, cancelled: false, durationMs: 1, ...more })];
const why = { messages: [{ message: 'no apology', severity: 'error', location: { uri: SUITE, range: { start: { line: 3 } } } }] };

/** The runs that VS Code lists, without the entries for their evaluators. */
const runs = ({ controller }) => controller.results.filter(({ name }) => !name?.startsWith('Evaluators'));

/** Nothing that VS Code lists is empty. */
function noneIsEmpty({ controller }) {
  assert.deepEqual(controller.results.filter(({ states: each, output }) => !each.size && !output).length, 0, 'an empty "Test run at …"');
}

test('whatever comes first, the tree is complete and the run of another is in it', async ({ mock }) => {
  mock.timers.enable({ apis: ['setTimeout'] });
  const run = [began('run-1', [FIRST]), ...states('run-1', [FIRST, 'started'], [GRADER, 'failed', why], [FIRST, 'failed', why]), ended('run-1')];
  const found = ['found', ({ client }) => client.tell('discoveredTests', inside(SUITE))];
  const ready = ['ready', ({ client, explorer }) => explorer.connect(client)];
  const looked = ['looked at', ({ controller }) => controller.resolveHandler(undefined)];
  let tried = 0;
  for (const order of orders(run, [found], [ready], [looked])) {
    const all = opened();
    const names = order.map(([name]) => name).join(', ');
    for (const [, happen] of order) {
      void happen(all);
      if (tried % 2) await settled(); // with time between them, and without
    }
    await settled();
    mock.timers.tick(1000); // no more results come
    assert.deepEqual(labels(all.controller.items).sort(), ['a.eval.yaml', 'b.eval.yaml', 'evals', 'other/c.eval.yaml'], names);
    const seen = find(all.controller.items, FIRST);
    assert.equal(seen && all.controller.seen(seen)?.state, 'failed', names);
    assert.equal(all.controller.seen(find(all.controller.items, GRADER))?.state, 'failed', names);
    noneIsEmpty(all);
    assert.equal(all.explorer.runs.going, undefined, names);
    tried += 1;
  }
  assert.equal(tried, 336);
});

test('a suite that is told of while all are asked about stays', async () => {
  const all = opened();
  all.explorer.connect(all.client);
  const asked = all.controller.resolveHandler(undefined);
  const elsewhere = 'file:///elsewhere/x.eval.yaml';
  all.client.tell('discoveredTests', inside(elsewhere));
  await asked;
  assert.ok(find(all.controller.items, elsewhere));
});

test('the answer to a run of the Testing view may come at any time', async () => {
  const run = [began('run-1', [FIRST]), ...states('run-1', [FIRST, 'enqueued'], [FIRST, 'started'], [GRADER, 'passed'], [FIRST, 'passed']), ended('run-1')];
  for (const order of orders(run, [['answered', (all) => all.answer({ runId: 'run-1', tests: [FIRST] })]])) {
    let answer;
    const answered = new Promise((done) => (answer = done));
    const all = { ...opened(() => answered), answer };
    all.explorer.connect(all.client);
    await all.controller.resolveHandler(undefined);
    const pressed = all.controller.press('Run', [find(all.controller.items, SUITE)]);
    await settled();
    for (const [, happen] of order) {
      happen(all);
      await settled();
    }
    await pressed;
    const names = order.map(([name]) => name).join(', ');
    assert.equal(all.controller.seen(find(all.controller.items, FIRST))?.state, 'passed', names);
    noneIsEmpty(all);
    // As our server has it: the answer before anything is started. Then there is one run, not two.
    if (order.findIndex(([name]) => name === 'answered') <= 2) assert.equal(runs(all).length, 1, names);
  }
});

/** A window in which the suite has run once: the first case passed but for nothing, the second failed. */
async function ran(answers) {
  const all = opened(async (wish) => answers(wish));
  all.explorer.connect(all.client);
  await all.controller.resolveHandler(undefined);
  all.client.tell('discoveredTests', inside(SUITE));
  const run = [began('run-0', [FIRST, SECOND]), ...states('run-0', [FIRST, 'started'], [SECOND, 'started'], [GRADER, 'passed'], [FIRST, 'passed'], [SECOND, 'failed', why]), ended('run-0')];
  run.forEach(([, happen]) => happen(all));
  await settled();
  return { ...all, at: (id) => all.controller.seen(find(all.controller.items, id)) };
}

test('what is refused stands as it stood, and no run is empty', async () => {
  for (const include of [undefined, 'suite', 'nothing']) {
    const all = await ran(() => ({ runId: '', tests: [] }));
    const asked = { suite: [find(all.controller.items, SUITE)], nothing: [] }[include];
    const before = [FIRST, SECOND, GRADER].map(all.at);
    await all.controller.press('Run', asked);
    assert.deepEqual([FIRST, SECOND, GRADER].map(all.at), before);
    assert.match(all.controller.results[0].output, /Nothing was run/u);
    noneIsEmpty(all);
  }
});

test('what the server will not run is told', async () => {
  const all = await ran(() => {
    throw new Error('no case has changed since it ran last');
  });
  await all.controller.press('Run Changed', undefined);
  assert.match(all.controller.results[0].output, /no case has changed/u);
  assert.equal(all.at(SECOND).state, 'failed');
});

test('what is cancelled stands as it stood, at whatever time that is', async () => {
  const run = [began('run-1', [FIRST, SECOND]), ...states('run-1', [FIRST, 'started'], [GRADER, 'failed', why], [SECOND, 'started'])];
  for (let done = 1; done <= run.length; done++) {
    for (const asked of [true, false]) {
      const all = await ran(() => ({ runId: 'run-1', tests: [FIRST, SECOND] }));
      const before = [FIRST, SECOND, GRADER].map(all.at);
      const pressed = asked ? all.controller.press('Run', [find(all.controller.items, SUITE)]) : undefined;
      await settled();
      const rest = [...states('run-1', [GRADER, 'cancelled'], [FIRST, 'cancelled'], [SECOND, 'cancelled']), ended('run-1', { passed: 0, cancelled: true })];
      [...run.slice(0, done), ...rest].forEach(([, happen]) => happen(all));
      await settled();
      await pressed;
      assert.deepEqual([FIRST, SECOND, GRADER].map(all.at), before, `after ${done} events`);
      noneIsEmpty(all);
    }
  }
});

test('a test that has never run and is cancelled has not run', async () => {
  const all = opened();
  all.explorer.connect(all.client);
  await all.controller.resolveHandler(undefined);
  all.client.tell('discoveredTests', inside(SUITE));
  const run = [began('run-1', [FIRST]), ...states('run-1', [FIRST, 'started'], [GRADER, 'passed'], [GRADER, 'cancelled'], [FIRST, 'cancelled']), ended('run-1')];
  run.forEach(([, happen]) => happen(all));
  await settled();
  assert.equal(all.controller.seen(find(all.controller.items, FIRST)), undefined);
  assert.equal(all.controller.seen(find(all.controller.items, GRADER)), undefined);
});

test('an unscored case is errored with its reason, and no failure', async () => {
  const all = await ran(() => undefined);
  states('', [FIRST, 'unscored', { messages: [{ message: 'unscored: no judge is configured', severity: 'warning' }] }])[0][1](all);
  await settled();
  assert.equal(all.at(FIRST).state, 'errored');
  [began('run-2', [FIRST]), ...states('run-2', [FIRST, 'started'], [FIRST, 'unscored', { messages: [{ message: 'unscored: no judge is configured', severity: 'warning' }] }]), ended('run-2')].forEach(([, happen]) => happen(all));
  await settled();
  assert.deepEqual(all.at(FIRST), { state: 'errored', messages: ['unscored: no judge is configured\n\n'] });
});

test('a passed case is green with an evaluator that is not, and the count is of cases', async ({ mock }) => {
  mock.timers.enable({ apis: ['setTimeout'] });
  const label = (all) => find(all.controller.items, GRADER).label;
  const plain = item(GRADER).label;
  const below = [GRADER, 'passed', { score: 0.6, description: '✘ 0.60' }];
  for (const [runId, pressed] of [['run-2', true], ['run-2', false], ['', false]]) {
    const all = await ran(() => ({ runId, tests: [FIRST, SECOND] }));
    if (pressed) void all.controller.press('Run', [find(all.controller.items, SUITE)]);
    await settled();
    const events = states(runId, ...(runId ? [[FIRST, 'started']] : []), below, [FIRST, 'passed', { score: 0.8 }], [SECOND, 'failed', { ...why, score: 0.3 }]);
    (runId ? [began(runId, [FIRST, SECOND]), ...events, ended(runId)] : events).forEach(([, happen]) => happen(all));
    await settled();
    mock.timers.tick(1000);
    assert.deepEqual([FIRST, SECOND, GRADER].map((id) => all.at(id).state), ['passed', 'failed', 'passed']);
    assert.equal(all.controller.results[0].count, '1/2');
    assert.equal(label(all), `${plain} ✘ 0.60`);
    all.client.tell('discoveredTests', inside(SUITE)); // as after an edit
    assert.equal(label(all), `${plain} ✘ 0.60`);
    states('run-3', [GRADER, 'passed', { score: 1 }])[0][1](all);
    await settled();
    assert.equal(label(all), plain);
  }
});

test('a message without a place names its criterion', async () => {
  const all = await ran(() => undefined);
  const vague = (subject) => ({ message: '4/10', subject, severity: 'error' });
  const said = { messages: [{ message: 'failed with 0.40', severity: 'error' }, vague('tone'), vague('depth')] };
  [began('run-3', [FIRST]), ...states('run-3', [FIRST, 'started'], [FIRST, 'failed', said]), ended('run-3')].forEach(([, happen]) => happen(all));
  await settled();
  assert.deepEqual(all.at(FIRST).messages.map((text) => text.trimEnd()), ['tone: 4/10', 'depth: 4/10', 'failed with 0.40']);
});

test('what VS Code calls the last run is the last run, however it was begun', async () => {
  const all = await ran(() => undefined);
  const last = () => all.controller.results[0];
  assert.deepEqual(last().request.include.map(({ id }) => id), [FIRST, SECOND]);
  assert.equal(last().request.profile.label, 'Run');
  const put = last().output;
  states('', [SECOND, 'outdated'])[0][1](all);
  await settled();
  assert.ok(all.controller.retired.has(find(all.controller.items, SECOND).path));
  assert.equal(runs(all).length, 1); // no message stands at a line, so there is none to take away
  states('', [SECOND, 'fresh'])[0][1](all); // VS Code is shown the result anew
  await settled();
  assert.equal(runs(all).length, 2);
  assert.deepEqual([last().request.include.map(({ id }) => id), last().request.profile.label, last().output], [[FIRST, SECOND], 'Run', put]);
});

test('an edit moves, takes and brings tests, and leaves the others and their results alone', async () => {
  const all = await ran(() => undefined);
  const at = (id) => find(all.controller.items, id)?.range.start.line;
  const lines = (from, to) => new vscode.Range(new vscode.Position(from), new vscode.Position(to));
  const places = { [SUITE]: lines(0, 9), [FIRST]: lines(3, 6), [GRADER]: lines(5, 6), [SECOND]: lines(6, 9) };
  all.client.tell('discoveredTests', { ...inside(SUITE), tests: inside(SUITE).tests.map((each) => ({ ...each, range: places[each.id] })) });
  const elsewhere = find(all.controller.items, SUITES[1]);
  elsewhere.range = lines(7, 8);
  const third = { ...item(`${SUITE}::third`, 'case', SUITE), range: lines(11, 12) };
  all.client.tell('changedTests', { textDocument: { uri: SUITE }, moved: { line: 6, by: 2 }, tests: [third], removed: [GRADER] });
  await settled();
  assert.deepEqual([at(FIRST), at(GRADER), at(SECOND), at(third.id), elsewhere.range.start.line], [3, undefined, 8, 11, 7]);
  assert.deepEqual([all.at(FIRST)?.state, all.at(SECOND)?.state], ['passed', 'failed']);
});
