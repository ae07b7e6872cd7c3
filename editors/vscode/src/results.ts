/**
 * The result of each test, and how it is shown in VS Code. VS Code knows results only as part of runs, and lists every run
 * permanently. Results from earlier sessions, and those that are valid again, are therefore shown in one run that stands for the
 * last one.
 */

import * as vscode from 'vscode';
import { ListedRun } from './listedRun';
import { messagesOf, withoutPlace } from './messages';
import { TestState } from './protocol';

/** How long no more results have to come, in milliseconds. */
const SETTLED_MS = 200;
/** Characters of output that are kept of the last run. */
const MOST_OUTPUT = 200_000;

const NOTHING = 'Nothing was run';
const EVALUATORS = 'Evaluators of the run above';
export const OVER = new Set(['passed', 'borderline', 'failed', 'unscored', 'skipped']);

/** The tree and the runs as results need them. */
export interface ResultsHost {
  find(id: string): vscode.TestItem | undefined;
  isCase(id: string): boolean;
  /** Show the mark of an evaluator beside its name, where its state does not say it; empty for none. */
  describe(id: string, description: string): void;
}

export class Results {
  private readonly last = new Map<string, TestState>();
  /** The cases whose last results are outdated. */
  private readonly outdated = new Set<string>();
  /** Shows earlier results, such as those of a run in a terminal. */
  private earlier: { shown: ListedRun; end: NodeJS.Timeout } | undefined;
  /** The last run and its output, to which VS Code's last run should lead. */
  private request = new vscode.TestRunRequest([]);
  private output = '';
  /** The tests whose messages VS Code lists: those of the latest run. */
  private readonly listed = new Set<string>();

  constructor(
    private readonly controller: vscode.TestController,
    private readonly tests: ResultsHost,
  ) {}

  of(id: string): TestState | undefined {
    return this.last.get(id);
  }

  /** A run of tests for VS Code's list. */
  begin(request: vscode.TestRunRequest, tests: vscode.TestItem[], label?: string): ListedRun {
    this.request = request;
    this.output = '';
    this.listed.clear();
    return this.list(request, tests, label, true);
  }

  /** `tests` are counted; those below them are shown beside them. */
  private list(request: vscode.TestRunRequest, tests: vscode.TestItem[], label: string | undefined, persist: boolean): ListedRun {
    const evaluators = tests.filter(({ id }) => this.tests.isCase(id)).flatMap(children);
    const beside = evaluators.length ? this.controller.createTestRun(request, EVALUATORS, persist) : undefined;
    const cases = this.controller.createTestRun(beside ? again(request) : request, label, persist);
    const run = new ListedRun(cases, beside, (shown, item, told) => this.show(shown, item, told));
    evaluators.forEach((item) => run.later(item, this.last.get(item.id)));
    return run;
  }

  print(shown: ListedRun | undefined, text: string, item?: vscode.TestItem): void {
    shown?.cases.appendOutput(text.replace(/\r?\n/g, '\r\n'), undefined, item);
    this.output = (this.output + text).slice(-MOST_OUTPUT);
  }

  /** The state of a test, in a run or, without one, from before. */
  take(item: vscode.TestItem, told: TestState, run: ListedRun | undefined): void {
    const { state, testId } = told;
    if (OVER.has(state)) {
      this.keep(told);
    }
    if (OVER.has(state) || state === 'fresh') {
      this.outdated.delete(testId);
    }
    if (state === 'outdated') {
      this.outdated.add(testId);
      this.controller.invalidateTestResults(item);
    } else if (state === 'fresh') {
      // VS Code cannot undo an outdated result: the result is reported again.
      family(item).forEach((each) => this.tellAgain(each));
    } else if (run) {
      this.put(run, item, told);
    } else {
      this.put(this.fromBefore(item), item, { ...told, messages: [] });
    }
  }

  /** The state of a test in a run. */
  private put(run: ListedRun, item: vscode.TestItem, told: TestState): void {
    if (!run.isDivided || this.tests.isCase(item.id)) {
      this.show(run.cases, item, told);
    } else if (OVER.has(told.state)) {
      run.later(item, told);
    }
  }

  /** Of a test that is not in the tree yet. */
  keep(told: TestState): void {
    this.last.set(told.testId, told);
    this.tests.describe(told.testId, told.description ?? '');
  }

  /** A test was removed, or its result was cleared. */
  forget(id: string): void {
    this.last.delete(id);
    this.outdated.delete(id);
    this.listed.delete(id);
  }

  /** A test stands as it stood before a run, whatever that run has shown of it meanwhile: VS Code would call it skipped. */
  restore(item: vscode.TestItem, run: ListedRun, before: TestState | undefined, marked: boolean): void {
    if (run.isDivided && !this.tests.isCase(item.id)) {
      run.later(item, before);
    } else if (before) {
      this.show(run.cases, item, marked ? before : { ...before, messages: [] });
    } else {
      run.cases.enqueued(item); // at the end of the run it has no result
    }
    if (before) {
      this.keep(before);
    } else {
      this.last.delete(item.id);
      this.tests.describe(item.id, '');
    }
    if (this.outdated.has(item.id)) {
      this.controller.invalidateTestResults(item);
    }
  }

  /** VS Code began a run by itself that did not happen: it shows the known results, with the reason. */
  fill(request: vscode.TestRunRequest, why: string): void {
    const marked = this.withMessages();
    const all = [...(request.include ?? []).flatMap(below), ...[...marked].flatMap((id) => this.tests.find(id) ?? [])];
    const shown = this.begin(request, all.some(({ id, parent }) => parent && this.tests.isCase(parent.id) && this.last.has(id)) ? all : [], NOTHING);
    for (const item of new Set(all)) {
      const before = this.last.get(item.id);
      if (before) {
        this.restore(item, shown, before, marked.has(item.id));
      }
    }
    this.print(shown, `${why}\n`);
    shown.end();
  }

  /** A test is in the tree of which something was known before. */
  appeared(item: vscode.TestItem): void {
    this.tests.describe(item.id, this.last.get(item.id)?.description ?? '');
    this.tellAgain(item);
  }

  /** Report the states of tests again: they moved in the tree, or the user has cleared them in VS Code. */
  tell(items: Iterable<vscode.TestItem>): void {
    const all = new Set(items);
    all.forEach((item) => this.tellAgain(item));
    all.forEach((item) => this.outdated.has(item.id) && this.controller.invalidateTestResults(item));
  }

  /** Whether the same was reported before, of an evaluator and then with its case, or of a reopened file. */
  isKnown(told: TestState): boolean {
    const before = this.last.get(told.testId);
    const same = (a: TestState) => JSON.stringify({ ...a, runId: '' }) === JSON.stringify({ ...told, runId: '' });
    return before !== undefined && OVER.has(told.state) && ['', before.runId].includes(told.runId) && same(before);
  }

  /** The tests that did not pass when they ran last. */
  failures(): string[] {
    return [...this.last].filter(([, { state }]) => ['failed', 'borderline', 'unscored'].includes(state)).map(([id]) => id);
  }

  /** The tests whose messages VS Code lists. */
  withMessages(): Set<string> {
    return new Set(this.listed);
  }

  /** Its state, without the messages. */
  private tellAgain(item: vscode.TestItem): void {
    const before = this.last.get(item.id);
    if (before) {
      this.put(this.fromBefore(item), item, { ...before, messages: [] });
    }
  }

  /** A run for results that are known already. It ends when no more come. */
  private fromBefore(item: vscode.TestItem): ListedRun {
    const owner = [item, item.parent].find((each) => each && this.tests.isCase(each.id) && this.last.has(each.id)); // an evaluator may have run alone
    if (this.earlier && !this.earlier.shown.isDivided && owner?.children.size) {
      this.endEarlier();
    }
    if (this.earlier) {
      this.earlier.end.refresh();
      return this.earlier.shown;
    }
    this.listed.clear();
    const shown = this.list(again(this.request), owner ? [owner] : [], 'Earlier results', false);
    if (this.output) {
      shown.cases.appendOutput(this.output.replace(/\r?\n/g, '\r\n'));
    }
    this.earlier = { shown, end: setTimeout(() => this.endEarlier(), SETTLED_MS) };
    const above = owner && owner !== item ? this.last.get(owner.id) : undefined;
    if (owner && above) {
      this.show(shown.cases, owner, { ...above, messages: [] });
    }
    return shown;
  }

  private endEarlier(): void {
    clearTimeout(this.earlier?.end);
    this.earlier?.shown.end();
    this.earlier = undefined;
  }

  /** Report the state of a test to a run. */
  show(shown: vscode.TestRun, item: vscode.TestItem, told: TestState): void {
    switch (told.state) {
      case 'enqueued':
        return shown.enqueued(item);
      case 'started':
        return shown.started(item);
      case 'passed':
        return shown.passed(item, told.durationMs);
      case 'skipped':
        return shown.skipped(item);
      case 'failed':
      case 'borderline':
        shown.enqueued(item); // now VS Code learns where the test stands, to go there from its messages
        return withoutPlace(item, () => shown.failed(item, this.messages(told), told.durationMs));
      case 'unscored': // trouble, not a verdict on the answer
        shown.enqueued(item);
        return withoutPlace(item, () => shown.errored(item, this.messages(told), told.durationMs));
    }
  }

  private messages(told: TestState): vscode.TestMessage[] {
    const all = messagesOf(told, this.tests.isCase(told.testId));
    if (all.length) {
      this.listed.add(told.testId);
    }
    return all;
  }
}

/** A request for the same tests; VS Code shows runs of one request as one. */
const again = ({ include, exclude, profile, continuous, preserveFocus }: vscode.TestRunRequest) =>
  new vscode.TestRunRequest(include, exclude, profile, continuous, preserveFocus);
const children = (item: vscode.TestItem) => [...item.children].map(([, child]) => child);
const family = (item: vscode.TestItem) => [item, ...children(item)];
const below = (item: vscode.TestItem): vscode.TestItem[] => [item, ...children(item).flatMap(below)];
