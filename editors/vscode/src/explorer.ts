/** The Test Explorer: suites, cases, evaluators. What is a test, and what became of it, the server says. */

import * as vscode from 'vscode';
import { RubricClient } from './client';
import { Continuous } from './continuous';
import * as protocol from './protocol';
import { filed, Folder } from './folders';
import { Discovered, RunWish, Test } from './protocol';
import { Runs } from './runs';
import { mayRun } from './trust';

const REPEATS = 5;

/** What a tree item stands for. */
export interface Place {
  uri: string;
  caseId?: string;
  evaluator?: string;
}

export class Explorer implements vscode.Disposable {
  private readonly controller = vscode.tests.createTestController('rubric', 'Evaluation suites');
  private readonly items = new Map<string, vscode.TestItem>();
  private readonly kinds = new WeakMap<vscode.TestItem, Test['kind']>();
  /** The folders that suites stand in, by their ids. */
  private readonly folders = new Map<string, vscode.TestItem>();
  private readonly continuous: Continuous;
  readonly runs: Runs;
  private client: RubricClient | undefined;

  /** `ready` gives the server, started if need be; undefined when that did not work, which has then been said. */
  constructor(private readonly ready: () => Promise<RubricClient | undefined>) {
    this.runs = new Runs(
      this.controller,
      (id) => this.items.get(id),
      (id) => this.kindOf(id) === 'case',
      (ids) => this.look(ids),
    );
    this.continuous = new Continuous({
      run: (wish, token) => this.run(wish, token),
      casesIn: (uri) => this.casesIn(uri),
      busy: () => this.runs.going !== undefined,
      onDidChange: this.runs.onDidChange,
      allowed: async (uri) => (await this.client?.sendRequest(protocol.aboutSuite, { textDocument: { uri } }))?.trusted ?? false,
    });
    this.controller.resolveHandler = (item) => this.discover(item);
    this.controller.refreshHandler = () => this.discover(undefined);
    this.profile('Run', {}, true);
    this.profile(`Repeat ×${REPEATS}`, { repeat: REPEATS });
    this.profile('Record', { record: true });
  }

  /** Hear what a server says that is going to be started: it may tell of tests before it has answered. */
  listen(client: RubricClient): void {
    client.onNotification(protocol.discoveredTests, (found) => this.show(found));
    this.runs.listen(client);
  }

  /** A server is ready to be asked. */
  connect(client: RubricClient): void {
    if (!client.hasTests) {
      return;
    }
    this.client = client;
    if (this.items.size) {
      void this.refresh();
    }
  }

  /** It is gone, and what it was doing with it. */
  disconnect(crashed: boolean): void {
    this.client = undefined;
    const lost = this.runs.abandon();
    if (crashed && lost) {
      const what = lost === 1 ? 'a case was running, which has' : `${lost} cases were running, which have`;
      const again = 'Run Again';
      void vscode.window
        .showWarningMessage(`The language server stopped while ${what} no result. Results that were there are kept.`, again)
        .then((chosen) => chosen && vscode.commands.executeCommand('testing.reRunLastRun'));
    }
  }

  dispose(): void {
    this.continuous.dispose();
    this.runs.dispose();
    this.controller.dispose();
  }

  /** The case or the evaluator that an item stands for. */
  placeOf(item: vscode.TestItem): Place | undefined {
    const lineage = [item];
    while (lineage[0].parent && this.kinds.get(lineage[0]) !== 'suite') {
      lineage.unshift(lineage[0].parent);
    }
    const [suite, ...below] = lineage;
    const names = below.map((each, depth) => each.id.slice(lineage[depth].id.length + '::'.length));
    return this.kinds.get(suite) === 'suite' ? { uri: suite.id, caseId: names[0], evaluator: names[1] } : undefined;
  }

  private profile(label: string, wish: RunWish, usual = false): void {
    const start = (request: vscode.TestRunRequest, token: vscode.CancellationToken) => {
      const ids = (items: readonly vscode.TestItem[] | undefined) => items?.flatMap((item) => this.tests(item)).map(({ id }) => id);
      const chosen = { ...wish, include: ids(request.include), exclude: ids(request.exclude) };
      if (request.continuous) {
        this.continuous.begin(chosen, token);
        return undefined;
      }
      return this.run(chosen, token, request);
    };
    this.controller.createRunProfile(label, vscode.TestRunProfileKind.Run, start, usual, undefined, usual);
  }

  private async run(wish: RunWish, token?: vscode.CancellationToken, request?: vscode.TestRunRequest): Promise<void> {
    // Who has just trusted the workspace has a server that starts anew.
    const client = (await mayRun()) ? await this.ready() : undefined;
    if (client) {
      await this.unfold(wish.include);
      await this.runs.begin(client, wish, token, request);
    }
  }

  /** What an item stands for: itself, or the suites of a folder. */
  private tests(item: vscode.TestItem): vscode.TestItem[] {
    return this.kinds.has(item) ? [item] : [...item.children].flatMap(([, child]) => this.tests(child));
  }

  private get suites(): vscode.TestItem[] {
    return [...this.items.values()].filter((item) => this.kinds.get(item) === 'suite');
  }

  private kindOf(id: string): Test['kind'] | undefined {
    const item = this.items.get(id);
    return item && this.kinds.get(item);
  }

  /**
   * Of a suite that takes over cases of other files, these too; of such a file, those that are shown of it. Asked anew:
   * what was just typed is not in the tree yet.
   */
  private async casesIn(uri: string): Promise<string[]> {
    const cases = () => [...this.items].filter(([, item]) => this.kinds.get(item) === 'case' && (item.parent?.id === uri || item.uri?.toString() === uri));
    const suites = new Set([this.items.get(uri), ...cases().map(([, item]) => item.parent)].filter((suite) => suite !== undefined));
    await Promise.all([...suites].map((suite) => this.discover(suite)));
    return cases().map(([id]) => id);
  }

  /** What runs has to be there to be shown, and nobody may have looked into its suite yet. */
  private async unfold(ids: string[] | undefined): Promise<void> {
    if (!ids && !this.items.size) {
      await this.discover(undefined);
    }
    const items = ids ? ids.flatMap((id) => this.items.get(id) ?? []) : this.suites;
    await Promise.all(items.filter((item) => item.canResolveChildren && !item.children.size).map((item) => this.discover(item)));
  }

  /** Put the tests of a run into the tree: another editor may have started it, or its suite may not be unfolded yet. */
  private async look(ids: string[]): Promise<void> {
    for (const id of ids) {
      if (!this.items.has(id) && this.client) {
        this.show(await this.client.sendRequest(protocol.discoverTests, { testId: id }));
      }
    }
  }

  private async discover(item: vscode.TestItem | undefined): Promise<void> {
    if (!this.client || (item && !this.kinds.has(item))) {
      return;
    }
    if (item) {
      item.busy = true;
    }
    try {
      this.show(await this.client.sendRequest(protocol.discoverTests, item ? { testId: item.id } : {}), item === undefined);
    } finally {
      if (item) {
        item.busy = false;
      }
    }
  }

  /** A server after another one: suites that were unfolded are asked about again. */
  private async refresh(): Promise<void> {
    await this.discover(undefined);
    const open = this.suites.filter((suite) => suite.children.size > 0);
    await Promise.all(open.map((suite) => this.discover(suite)));
  }

  /** Show tests in place of those that the same suites had; `everything`: these are all suites. */
  private show({ tests, scope }: Discovered, everything = false): void {
    const listed = new Set(tests.map((test) => test.id));
    if (everything) {
      this.suites.filter(({ id }) => !listed.has(id)).forEach(({ id }) => this.forget(id));
    }
    for (const uri of scope) {
      if (!listed.has(uri)) {
        this.forget(uri);
      } else if (tests.some((test) => test.parent === uri) || !tests.find((test) => test.id === uri)?.canResolveChildren) {
        this.prune(this.items.get(uri), listed);
      }
    }
    for (const test of tests) {
      this.place(test);
    }
    this.arrange();
    // Menus about a case are for these.
    const inSuites = [...this.items].filter(([, item]) => this.kinds.get(item) !== 'suite').map(([id]) => id);
    void vscode.commands.executeCommand('setContext', 'rubric.cases', inSuites);
  }

  private place(test: Test): void {
    const siblings = test.parent === undefined ? this.controller.items : this.items.get(test.parent)?.children;
    if (!siblings) {
      return;
    }
    const known = this.items.get(test.id);
    const item = known ?? this.controller.createTestItem(test.id, test.label, vscode.Uri.parse(test.textDocument.uri));
    if (test.kind !== 'suite') {
      item.label = test.label; // that of a suite names its folder, too, and is sorted with it
      item.sortText = test.sortText;
    }
    // Not its description: VS Code reads that to the blind in place of the label.
    // One that has its children already is not asked for them again.
    item.canResolveChildren = test.canResolveChildren && item.children.size === 0;
    item.range = test.range && this.client?.protocol2CodeConverter.asRange(test.range);
    if (!known) {
      siblings.add(item);
      this.items.set(test.id, item);
      this.kinds.set(item, test.kind);
      this.runs.appeared(item);
    }
  }

  /** Put suites under their folders. One that moves there is shown its results again: VS Code knows a test by all that it stands under. */
  private arrange(): void {
    const suites = this.suites;
    const filing = filed(suites.map((item) => ({ id: item.id, path: pathOf(item) })));
    for (const item of suites) {
      const { folders, label } = filing.get(item.id)!;
      const parent = this.folder(folders);
      item.label = label;
      item.sortText = pathOf(item).join('/');
      if (item.parent?.id !== parent?.id) {
        (item.parent?.children ?? this.controller.items).delete(item.id);
        (parent?.children ?? this.controller.items).add(item);
        this.runs.moved([...item.children].flatMap(([, child]) => [child, ...[...child.children].map(([, each]) => each)]));
      }
    }
    const wanted = new Set([...filing.values()].flatMap(({ folders }) => folders.map(({ id }) => id)));
    for (const [id, folder] of [...this.folders]) {
      if (!wanted.has(id)) {
        (folder.parent?.children ?? this.controller.items).delete(id);
        this.folders.delete(id);
      }
    }
  }

  /** The item of the last of several folders, each in the one before; undefined for none. */
  private folder(chain: Folder[]): vscode.TestItem | undefined {
    let above: vscode.TestItem | undefined;
    for (const { id, label } of chain) {
      const known = this.folders.get(id);
      const item = known && known.parent?.id === above?.id ? known : this.controller.createTestItem(id, label);
      item.label = label;
      item.sortText = id.slice('folder:'.length);
      if (item !== known) {
        (known?.parent?.children ?? this.controller.items).delete(id);
        (above?.children ?? this.controller.items).add(item);
        this.folders.set(id, item);
      }
      above = item;
    }
    return above;
  }

  private prune(item: vscode.TestItem | undefined, listed: Set<string>): void {
    for (const [id, child] of item?.children ?? []) {
      if (listed.has(id)) {
        this.prune(child, listed);
      } else {
        this.forget(id);
      }
    }
  }

  private forget(id: string): void {
    const item = this.items.get(id);
    if (item) {
      [...item.children].forEach(([child]) => this.forget(child));
      this.items.delete(id);
      this.runs.forget(id);
      (item.parent?.children ?? this.controller.items).delete(id);
    }
  }
}

/** The names of the folders of a suite, from that of the workspace downward, and its own. */
function pathOf({ uri, id }: vscode.TestItem): string[] {
  const path = vscode.workspace.asRelativePath(uri ?? vscode.Uri.parse(id)); // with the folder of the workspace, where there are several
  return path.split('/').filter(Boolean);
}
