/** The items of the Testing view: suites under their folders, their cases and evaluators, as reported by the server. */

import * as vscode from 'vscode';
import { Range as LspRange } from 'vscode-languageclient/node';
import { filed, Folder } from './folders';
import { Changed, Discovered, Test } from './protocol';

/** The meaning of a tree item. */
export interface Place {
  uri: string;
  caseId?: string;
  evaluator?: string;
}

/** Is notified of changes of items. */
export interface Watcher {
  appeared(item: vscode.TestItem): void;
  /** They have moved: VS Code identifies a test by its path in the tree. */
  moved(items: vscode.TestItem[]): void;
  forgotten(id: string): void;
  range(range: LspRange): vscode.Range | undefined;
}

export class Tree {
  private readonly items = new Map<string, vscode.TestItem>();
  private readonly kinds = new WeakMap<vscode.TestItem, Test['kind']>();
  /** What is shown behind the names of evaluators, by their ids. */
  private readonly descriptions = new Map<string, string>();
  /** The folders of suites, by their ids. */
  private readonly folders = new Map<string, vscode.TestItem>();

  constructor(
    private readonly controller: vscode.TestController,
    private readonly watcher: Watcher,
  ) {}

  get isEmpty(): boolean {
    return this.items.size === 0;
  }

  get all(): Iterable<vscode.TestItem> {
    return this.items.values();
  }

  get suites(): vscode.TestItem[] {
    return [...this.items.values()].filter((item) => this.kinds.get(item) === 'suite');
  }

  find(id: string): vscode.TestItem | undefined {
    return this.items.get(id);
  }

  isCase(id: string): boolean {
    const item = this.items.get(id);
    return item !== undefined && this.kinds.get(item) === 'case';
  }

  /** Show something behind the name of an evaluator: in its label, as VS Code reads a description to the blind in place of that. */
  describe(id: string, description: string): void {
    const before = this.descriptions.get(id) ?? '';
    const item = this.items.get(id);
    if (item && before !== description) {
      const name = before ? item.label.slice(0, -before.length - GAP.length) : item.label;
      this.descriptions.set(id, description);
      item.label = this.labelled(id, name);
    }
  }

  private labelled(id: string, name: string): string {
    const description = this.descriptions.get(id);
    return description ? name + GAP + description : name;
  }

  /** Whether it is a suite, or something in one: a folder is not. */
  isTest(item: vscode.TestItem): boolean {
    return this.kinds.has(item);
  }

  /** The tests of an item: itself, or the suites of a folder. */
  tests(item: vscode.TestItem): vscode.TestItem[] {
    return this.isTest(item) ? [item] : children(item).flatMap((child) => this.tests(child));
  }

  /** The evaluators of an item that a debugger can stop in, or that item itself. */
  debuggable(item: vscode.TestItem): vscode.TestItem[] {
    const own = this.kinds.get(item) === 'evaluator' && item.tags.includes(DEBUGGABLE);
    return own ? [item] : children(item).flatMap((child) => this.debuggable(child));
  }

  /** The case or evaluator of an item. */
  placeOf(item: vscode.TestItem): Place | undefined {
    const lineage = [item];
    while (lineage[0].parent && this.kinds.get(lineage[0]) !== 'suite') {
      lineage.unshift(lineage[0].parent);
    }
    const [suite, ...below] = lineage;
    const names = below.map((each, depth) => each.id.slice(lineage[depth].id.length + '::'.length));
    return this.kinds.get(suite) === 'suite' ? { uri: suite.id, caseId: names[0], evaluator: names[1] } : undefined;
  }

  /** The path by which VS Code identifies an item: the ids of its controller, of its parents, and its own. */
  pathOf(item: vscode.TestItem): string {
    const ids = [item.id];
    for (let above = item.parent; above; above = above.parent) {
      ids.unshift(above.id);
    }
    return [this.controller.id, ...ids].join('\0');
  }

  /** Of some tests the one of a file whose line is nearest to another; the innermost of several. Lines count from 0. */
  nearest(ids: Iterable<string>, file: vscode.Uri, line: number): vscode.TestItem | undefined {
    const uri = file.toString();
    const there = [...ids].flatMap((id) => this.items.get(id) ?? []).filter((item) => item.range && item.uri?.toString() === uri);
    const far = ({ range }: vscode.TestItem) => Math.max(range!.start.line - line, line - lastLine(range!), 0);
    const size = ({ range }: vscode.TestItem) => range!.end.line - range!.start.line;
    return there.sort((a, b) => far(a) - far(b) || size(a) - size(b))[0];
  }

  /** The cases in a file, its own and those that suites include. */
  casesIn(uri: string): vscode.TestItem[] {
    return [...this.items.values()].filter((item) => this.kinds.get(item) === 'case' && (item.parent?.id === uri || item.uri?.toString() === uri));
  }

  /** Show tests in place of those that the same suites had; of the suites `before`, only those that are listed are still there. */
  show({ tests, scope }: Discovered, before: vscode.TestItem[] = []): void {
    const listed = new Set(tests.map((test) => test.id));
    before.filter(({ id }) => !listed.has(id)).forEach(({ id }) => this.forget(id));
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
  }

  /** Apply the effect of an edit on the tests of a suite. */
  change({ textDocument: { uri }, moved, tests, removed }: Changed): void {
    removed.forEach((id) => this.forget(id));
    if (moved) {
      const file = vscode.Uri.parse(uri).toString();
      for (const item of below(this.items.get(uri))) {
        if (item.range && item.range.start.line >= moved.line && item.uri?.toString() === file) {
          item.range = new vscode.Range(item.range.start.translate(moved.by), item.range.end.translate(moved.by));
        }
      }
    }
    tests.forEach((test) => this.place(test));
  }

  private place(test: Test): void {
    const siblings = test.parent === undefined ? this.controller.items : this.items.get(test.parent)?.children;
    if (!siblings) {
      return;
    }
    const known = this.items.get(test.id);
    const item = known ?? this.controller.createTestItem(test.id, test.label, vscode.Uri.parse(test.textDocument.uri));
    if (test.kind !== 'suite') {
      item.label = this.labelled(test.id, test.label); // that of a suite names its folder, too, and is sorted with it
      item.sortText = test.sortText;
    }
    // One that has its children already is not asked for them again.
    item.canResolveChildren = test.canResolveChildren && item.children.size === 0;
    item.tags = test.debuggable ? [DEBUGGABLE] : [];
    item.range = test.range && this.watcher.range(test.range);
    if (!known) {
      siblings.add(item);
      this.items.set(test.id, item);
      this.kinds.set(item, test.kind);
      this.watcher.appeared(item);
    }
  }

  /** Put suites under their folders. */
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
        this.watcher.moved(children(item).flatMap((child) => [child, ...children(child)]));
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
      this.descriptions.delete(id);
      this.watcher.forgotten(id);
      (item.parent?.children ?? this.controller.items).delete(id);
    }
  }
}

/** Of tests that a debugger can stop in. */
export const DEBUGGABLE = new vscode.TestTag('debuggable');

/** Between the name of an evaluator and its mark. */
const GAP = ' ';

const children = (item: vscode.TestItem) => [...item.children].map(([, child]) => child);

/** Everything below an item. */
const below = (item: vscode.TestItem | undefined): vscode.TestItem[] => (item ? children(item).flatMap((child) => [child, ...below(child)]) : []);
const lastLine = ({ end }: vscode.Range) => (end.character ? end.line : end.line - 1);

/** The names of the folders of a suite, from that of the workspace downward, and its own. */
function pathOf({ uri, id }: vscode.TestItem): string[] {
  const path = vscode.workspace.asRelativePath(uri ?? vscode.Uri.parse(id)); // with the folder of the workspace, where there are several
  return path.split('/').filter(Boolean);
}
