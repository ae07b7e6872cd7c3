/** The Test Explorer: suites, cases, evaluators. The server provides the tests and their states. */

import * as vscode from 'vscode';
import { RubricClient } from './client';
import { suiteEditor } from './commands';
import { Continuous } from './continuous';
import { debugGrader } from './debug';
import * as protocol from './protocol';
import { RunWish } from './protocol';
import { Runs } from './runs';
import { DEBUGGABLE, Place, Tree } from './tree';
import { mayRun } from './trust';

const REPEATS = 5;

export class Explorer implements vscode.Disposable {
  private readonly controller = vscode.tests.createTestController('rubric', 'Evaluation suites');
  private readonly tree: Tree;
  private readonly continuous: Continuous;
  readonly runs: Runs;
  private client: RubricClient | undefined;
  /** Whether VS Code has asked for all suites: it asks once, and that may be before a server is ready. */
  private wanted = false;

  /** `ready` gives the server, started if needed; undefined after a failure, which has been reported; `extension` is the folder of this one. */
  constructor(
    private readonly ready: () => Promise<RubricClient | undefined>,
    private readonly extension: string,
  ) {
    this.tree = new Tree(this.controller, {
      appeared: (item) => this.runs.results.appeared(item),
      moved: (items) => this.runs.results.tell(items),
      forgotten: (id) => this.runs.results.forget(id),
      range: (range) => this.client?.protocol2CodeConverter.asRange(range),
    });
    const usual = this.profile('Run', {}, true);
    this.runs = new Runs(this.controller, {
      find: (id) => this.tree.find(id),
      isCase: (id) => this.tree.isCase(id),
      describe: (id, description) => this.tree.describe(id, description),
      look: (ids) => this.look(ids),
      profile: () => usual,
    });
    this.continuous = new Continuous({
      run: (wish, token) => this.run(wish, token),
      casesIn: (uri) => this.casesIn(uri),
      busy: () => this.runs.going !== undefined,
      onDidChange: this.runs.onDidChange,
      allowed: async (uri) => (await this.client?.sendRequest(protocol.aboutSuite, { textDocument: { uri } }))?.trusted ?? false,
    });
    this.controller.resolveHandler = (item) => (item ? this.discover(item) : this.discoverAll());
    this.controller.refreshHandler = () => this.refreshAll();
    this.profile('Run Changed', { outdated: true });
    this.profile(`Run ${REPEATS}×`, { repeat: REPEATS });
    this.profile('Record', { record: true });
    const debug = (request: vscode.TestRunRequest, token: vscode.CancellationToken) => this.debug(request, token);
    this.controller.createRunProfile('Debug Grader', vscode.TestRunProfileKind.Debug, debug, true, DEBUGGABLE);
  }

  /** Listen to a server before it starts: it may send tests before it has responded. */
  listen(client: RubricClient): void {
    client.onNotification(protocol.discoveredTests, (found) => this.tree.show(found));
    client.onNotification(protocol.changedTests, (change) => this.tree.change(change));
    this.runs.listen(client);
  }

  /** A server is ready to be asked. */
  connect(client: RubricClient): void {
    if (!client.hasTests) {
      return;
    }
    this.client = client;
    if (this.wanted || !this.tree.isEmpty) {
      void this.refresh();
    }
  }

  /** The server has ended, and with it its runs. */
  disconnect(crashed: boolean): void {
    this.client = undefined;
    const lost = this.runs.abandon();
    if (crashed && lost) {
      const what = lost === 1 ? 'a case was running, which has' : `${lost} cases were running, which have`;
      const again = 'Run Again';
      void vscode.window
        .showWarningMessage(`The language server stopped while ${what} no result. Earlier results are kept.`, again)
        .then((chosen) => chosen && vscode.commands.executeCommand('testing.reRunLastRun'));
    }
  }

  dispose(): void {
    this.continuous.dispose();
    this.runs.dispose();
    this.controller.dispose();
  }

  /** The case or evaluator of an item. */
  placeOf(item: vscode.TestItem): Place | undefined {
    return this.tree.placeOf(item);
  }

  /**
   * Show the failure nearest to the cursor in place. VS Code's own Peek Output finds messages by their places, and these have
   * none (`withoutPlace`). From here, its Go to Next Test Failure works.
   */
  async peekFailure(): Promise<void> {
    const editor = suiteEditor();
    if (!editor) {
      return;
    }
    const item = this.tree.nearest(this.runs.results.failures(), editor.document.uri, editor.selection.active.line);
    if (!item) {
      void vscode.window.showInformationMessage('No case of this file has failed.');
    } else if (!(await vscode.commands.executeCommand('vscode.peekTestError', this.tree.pathOf(item)))) {
      const { uri, caseId } = this.tree.placeOf(item) ?? {};
      await vscode.commands.executeCommand('rubric.openReport', uri, caseId);
    }
  }

  private profile(label: string, wish: RunWish, usual = false): vscode.TestRunProfile {
    const start = (request: vscode.TestRunRequest, token: vscode.CancellationToken) => {
      const ids = (items: readonly vscode.TestItem[] | undefined) => items?.flatMap((item) => this.tree.tests(item)).map(({ id }) => id);
      const chosen = { ...wish, include: ids(request.include), exclude: ids(request.exclude) };
      if (request.continuous) {
        this.continuous.begin(chosen, token);
        return undefined;
      }
      return this.run(chosen, token, request);
    };
    return this.controller.createRunProfile(label, vscode.TestRunProfileKind.Run, start, usual, undefined, usual);
  }

  /** Debug the only grader of what was chosen, or one that the user chooses. */
  private async debug(request: vscode.TestRunRequest, token: vscode.CancellationToken): Promise<void> {
    const chosen = request.include ?? this.tree.suites;
    const label = (item: vscode.TestItem) => ({ label: item.label, description: item.parent?.label, item });
    const graders = [...new Set(chosen.flatMap((item) => this.tree.debuggable(item)))].map(label);
    const one = graders.length > 1 ? await vscode.window.showQuickPick(graders, { placeHolder: 'The grader to debug' }, token) : graders[0];
    const client = one && (await mayRun()) ? await this.ready() : undefined;
    if (!one || !client) {
      return this.runs.nothingRan(request);
    }
    const { launch, trouble } = await client.sendRequest(protocol.debugGrader, { testId: one.item.id }, token);
    if (trouble) {
      void vscode.window.showWarningMessage(`${trouble.replace(/[.!?]$/, '')}.`);
    }
    if (launch) {
      await debugGrader(this.tree.placeOf(one.item)?.evaluator ?? one.label, launch, this.extension, token);
    }
    this.runs.nothingRan(request, launch && 'A debugged grader leaves the results as they are.');
  }

  private async run(wish: RunWish, token?: vscode.CancellationToken, request?: vscode.TestRunRequest): Promise<void> {
    const nothing = wish.include?.length === 0; // a folder that has just been emptied: to the server, that would be everything
    // After the workspace was trusted, the server restarts.
    const client = !nothing && (await mayRun()) ? await this.ready() : undefined;
    if (!client) {
      return this.runs.nothingRan(request);
    }
    if (!wish.outdated) {
      await this.unfold(wish.include);
    }
    await this.runs.begin(client, wish, token, request);
  }

  /**
   * The tests of a document. For a suite with cases in other files, these too; for such a file, the cases that are shown for it.
   * The server is asked again because the tree lacks what was just typed.
   */
  private async casesIn(uri: string): Promise<string[]> {
    const suites = new Set([this.tree.find(uri), ...this.tree.casesIn(uri).map((item) => item.parent)].filter((suite) => suite !== undefined));
    await Promise.all([...suites].map((suite) => this.discover(suite)));
    return this.tree.casesIn(uri).map(({ id }) => id);
  }

  /** What runs has to be there to be shown, and nobody may have looked into its suite yet. */
  private async unfold(ids: string[] | undefined): Promise<void> {
    if (!ids && this.tree.isEmpty) {
      await this.discover(undefined);
    }
    const items = ids ? ids.flatMap((id) => this.tree.find(id) ?? []) : this.tree.suites;
    await Promise.all(items.filter((item) => item.canResolveChildren && !item.children.size).map((item) => this.discover(item)));
  }

  /** Put the tests of a run into the tree: another editor may have started it, or its suite may not be unfolded yet. */
  private async look(ids: string[]): Promise<void> {
    for (const id of ids) {
      if (!this.tree.find(id) && this.client) {
        this.tree.show(await this.client.sendRequest(protocol.discoverTests, { testId: id }));
      }
    }
  }

  private async discoverAll(): Promise<void> {
    this.wanted = true;
    await this.discover(undefined);
  }

  /** Reports everything again, results included: the user may have cleared them in VS Code. */
  private async refreshAll(): Promise<void> {
    await this.refresh();
    this.runs.results.tell(this.tree.all);
  }

  private async discover(item: vscode.TestItem | undefined): Promise<void> {
    if (!this.client || (item && !this.tree.isTest(item))) {
      return;
    }
    if (item) {
      item.busy = true;
    }
    const before = item ? [] : this.tree.suites; // one that the server tells of meanwhile is none that is gone
    try {
      this.tree.show(await this.client.sendRequest(protocol.discoverTests, item ? { testId: item.id } : {}), before);
    } finally {
      if (item) {
        item.busy = false;
      }
    }
  }

  /** A server after another one: suites that were unfolded are asked about again. */
  private async refresh(): Promise<void> {
    await this.discover(undefined);
    const open = this.tree.suites.filter((suite) => suite.children.size > 0);
    await Promise.all(open.map((suite) => this.discover(suite)));
  }
}
