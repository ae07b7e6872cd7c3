/** Runs as VS Code shows them, whoever began them: the Test Explorer, a lens, another editor's command. */

import * as vscode from 'vscode';
import { ProtocolNotificationType, NotificationType } from 'vscode-languageclient/node';
import { RubricClient } from './client';
import { Marks } from './marks';
import { messagesOf } from './messages';
import * as protocol from './protocol';
import { RunBegan, RunEnded, RunWish, TestState } from './protocol';

/** How far a run is, for the status bar. */
export interface Going {
  done: number;
  of: number;
}

interface Run {
  /** Made when something comes of it: VS Code lists every run for good, one that was cancelled before it began as well. */
  shown: vscode.TestRun | undefined;
  make: () => vscode.TestRun;
  waiting: Set<string>;
  cases: string[];
}

/** How long no more results have to come, in milliseconds. */
const SETTLED_MS = 200;
const OVER = new Set(['passed', 'borderline', 'failed', 'unscored', 'skipped']);

export class Runs implements vscode.Disposable {
  private readonly running = new Map<string, Run>();
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly updated = new vscode.EventEmitter<TestState>();
  /** What became of each test. */
  private readonly last = new Map<string, TestState>();
  /** The cases whose last results are outdated. */
  private readonly outdated = new Set<string>();
  /** Shows what is known from before, such as from a run in a terminal. */
  private earlier: { shown: vscode.TestRun; end: NodeJS.Timeout } | undefined;
  private client: RubricClient | undefined;
  /** What the server says is shown in order, and after the answer that names the run. */
  private queue: Promise<unknown> = Promise.resolve();
  /** Where VS Code shows a message of its own. */
  readonly marks = new Marks();
  /** A run began, went on or ended. */
  readonly onDidChange = this.changed.event;
  /** Something is known of a test that was not before. */
  readonly onDidUpdate = this.updated.event;

  constructor(
    private readonly controller: vscode.TestController,
    private readonly find: (id: string) => vscode.TestItem | undefined,
    private readonly isCase: (id: string) => boolean,
    private readonly look: (ids: string[]) => Promise<void>,
  ) {}

  /** Undefined when nothing runs. */
  get going(): Going | undefined {
    const all = [...this.running.values()];
    const cases = all.flatMap((run) => run.cases);
    const waiting = all.flatMap((run) => [...run.waiting].filter(this.isCase));
    return all.length ? { of: cases.length, done: cases.length - waiting.length } : undefined;
  }

  /** A test is not there any more, or what became of it is not wanted any more. */
  forget(id: string): void {
    this.last.delete(id);
    this.outdated.delete(id);
    this.marks.remove(id);
  }

  listen(client: RubricClient): void {
    this.client = client;
    const hear = <P>(type: NotificationType<P> | ProtocolNotificationType<P, void>, show: (params: P) => void | Promise<void>) =>
      client.onNotification(type as NotificationType<P>, (params) => {
        this.queue = this.queue.then(() => show(params)).catch(() => undefined); // a test that is gone: what follows is shown all the same
      });
    hear(protocol.runBegan, async (run) => {
      await this.look(run.tests.filter((id) => !this.find(id)));
      this.began(run);
    });
    hear(protocol.testState, (state) => this.state(state));
    hear(protocol.testOutput, ({ runId, testId, text }) =>
      this.running.get(runId)?.shown?.appendOutput(text.replace(/\r?\n/g, '\r\n'), undefined, testId ? this.find(testId) : undefined),
    );
    hear(protocol.runEnded, (end) => this.ended(end));
  }

  /** Begin a run and come back when it is over. */
  async begin(client: RubricClient, wish: RunWish, token?: vscode.CancellationToken, request?: vscode.TestRunRequest): Promise<void> {
    const asked = client.sendRequest(protocol.runTests, wish);
    const known = asked.then(({ runId, tests }) => runId && this.began({ runId, tests, label: '' }, request));
    this.queue = Promise.all([this.queue, known.catch(() => undefined)]);
    try {
      const { runId } = await asked;
      await known;
      const cancelled = token?.onCancellationRequested(() => this.cancel(runId));
      await this.over(runId);
      cancelled?.dispose();
    } catch (error) {
      void vscode.window.showWarningMessage(error instanceof Error ? error.message : String(error));
    }
  }

  /** The server is gone: what it had not finished has no result. How many cases that are. */
  abandon(): number {
    const lost = [...this.running.values()].flatMap(({ waiting }) => [...waiting].filter(this.isCase)).length;
    for (const [runId, { shown, waiting }] of this.running) {
      const message = new vscode.TestMessage('The language server stopped before there was a result.');
      withItems([...waiting].map(this.find), (item) => shown?.errored(item, message));
      shown?.end();
      this.running.delete(runId);
    }
    this.client = undefined;
    this.changed.fire();
    return lost;
  }

  dispose(): void {
    this.abandon();
    this.changed.dispose();
    this.updated.dispose();
    this.marks.dispose();
  }

  private cancel(runId: string): void {
    if (this.running.has(runId)) {
      void this.client?.sendRequest(protocol.cancelTests, { runId });
    }
  }

  private over(runId: string): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (!this.running.has(runId)) {
          listener.dispose();
          resolve();
        }
      };
      const listener = this.changed.event(look);
      look();
    });
  }

  private began({ runId, tests, label }: RunBegan, request?: vscode.TestRunRequest): void {
    if (this.running.has(runId)) {
      return;
    }
    const make = () => {
      const items = tests.map(this.find).filter((item) => item !== undefined);
      const shown = this.controller.createTestRun(request ?? new vscode.TestRunRequest(items), label || undefined, true);
      shown.token.onCancellationRequested(() => this.cancel(runId));
      this.marks.clear();
      items.forEach((item) => shown.enqueued(item));
      return shown;
    };
    this.running.set(runId, { shown: undefined, make, waiting: new Set(tests), cases: tests.filter(this.isCase) });
    this.changed.fire();
  }

  private state(told: TestState): void {
    if (this.isKnown(told)) {
      return;
    }
    const item = this.find(told.testId);
    const run = this.running.get(told.runId);
    if (run && !['enqueued', 'cancelled'].includes(told.state)) {
      run.shown ??= run.make();
    }
    if (item) {
      this.remember(item, told, run);
    } else if (OVER.has(told.state)) {
      this.last.set(told.testId, told); // until it is in the tree
    }
    if (run && [...OVER, 'cancelled'].includes(told.state) && run.waiting.delete(told.testId)) {
      this.changed.fire();
    }
    this.updated.fire(told);
  }

  private remember(item: vscode.TestItem, told: TestState, run: Run | undefined): void {
    const { state, testId } = told;
    if (state === 'cancelled') {
      return this.restore(item, run?.shown);
    }
    if (OVER.has(state)) {
      this.last.set(testId, told);
    }
    if (OVER.has(state) || state === 'fresh') {
      this.outdated.delete(testId);
    }
    if (state === 'outdated') {
      this.outdated.add(testId);
      this.withdraw(family(item));
      this.controller.invalidateTestResults(item);
    } else if (state === 'fresh') {
      // VS Code cannot take back that a result is outdated: it is told the result again.
      family(item).forEach((each) => this.tellAgain(each));
    } else if (!run) {
      this.show(this.fromBefore(), item, { ...told, messages: [] });
    } else if (run.shown) {
      this.show(run.shown, item, told);
    }
  }

  /** What was cancelled stands as it stood: VS Code would call it skipped. */
  private restore(item: vscode.TestItem, run: vscode.TestRun | undefined): void {
    const before = this.last.get(item.id);
    if (run && before) {
      this.show(run, item, { ...before, messages: [] });
    }
    if (this.outdated.has(item.id)) {
      this.controller.invalidateTestResults(item);
    }
  }

  /** A test is in the tree of which something was known before. */
  appeared(item: vscode.TestItem): void {
    this.tellAgain(item);
  }

  /** Tests stand elsewhere in the tree, where VS Code has no results of them. */
  moved(items: vscode.TestItem[]): void {
    items.forEach((item) => this.tellAgain(item));
    withItems([...this.outdated].map(this.find), (item) => items.includes(item) && this.controller.invalidateTestResults(item));
  }

  /** VS Code shows a message until its line is edited or something runs: another run, of everything that is known, takes it away. */
  private withdraw(items: vscode.TestItem[]): void {
    const shown = items.some(({ id }) => this.marks.has(id));
    items.forEach(({ id }) => this.marks.remove(id));
    if (shown && !this.running.size) {
      withItems([...this.last.keys()].map(this.find), (each) => this.tellAgain(each));
      withItems([...this.outdated].map(this.find), (each) => this.controller.invalidateTestResults(each));
    }
  }

  /** What became of it, without the messages. */
  private tellAgain(item: vscode.TestItem): void {
    const before = this.last.get(item.id);
    if (before) {
      this.show(this.fromBefore(), item, { ...before, messages: [] });
    }
  }

  /** Whether the same was said before, of an evaluator and then with its case, or of a file that is opened again. */
  private isKnown(told: TestState): boolean {
    const before = this.last.get(told.testId);
    const same = (a: TestState) => JSON.stringify({ ...a, runId: '' }) === JSON.stringify({ ...told, runId: '' });
    return before !== undefined && OVER.has(told.state) && ['', before.runId].includes(told.runId) && same(before);
  }

  /** A run for results that are known already; VS Code knows no others. It ends when no more come. */
  private fromBefore(): vscode.TestRun {
    if (this.earlier) {
      this.earlier.end.refresh();
      return this.earlier.shown;
    }
    this.marks.clear();
    const shown = this.controller.createTestRun(new vscode.TestRunRequest([]), 'Earlier results', false);
    const end = setTimeout(() => {
      shown.end();
      this.earlier = undefined;
    }, SETTLED_MS);
    this.earlier = { shown, end };
    return shown;
  }

  private show(shown: vscode.TestRun, item: vscode.TestItem, told: TestState): void {
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
        return shown.failed(item, this.messages(told, item), told.durationMs);
      case 'unscored': // trouble, not a verdict on the answer
        return shown.errored(item, this.messages(told, item), told.durationMs);
    }
  }

  private messages(told: TestState, item: vscode.TestItem): vscode.TestMessage[] {
    const all = messagesOf(told, item, this.isCase(told.testId), (location) => this.client?.protocol2CodeConverter.asLocation(location));
    if (all.length) {
      this.marks.put(told.testId, all);
    }
    return all;
  }

  private ended(end: RunEnded): void {
    const run = this.running.get(end.runId);
    if (run) {
      run.shown?.appendOutput(`${tally(end)}\r\n`);
      run.shown?.end();
      this.running.delete(end.runId);
      this.changed.fire();
    }
  }
}

const family = (item: vscode.TestItem) => [item, ...[...item.children].map(([, child]) => child)];

function withItems(items: (vscode.TestItem | undefined)[], act: (item: vscode.TestItem) => unknown): void {
  items.filter((item) => item !== undefined).forEach(act);
}

function tally(end: RunEnded): string {
  const counts = (['passed', 'borderline', 'failed', 'unscored'] as const).filter((each) => end[each]).map((each) => `${end[each]} ${each}`);
  const errors = end.graderErrors ? [`⚠ ${end.graderErrors} ${end.graderErrors === 1 ? 'grader' : 'graders'} failed`] : [];
  const words = [...counts, ...errors, ...(end.cancelled ? ['cancelled'] : [])].join(', ') || 'nothing was run';
  const cost = end.costUsd ? `, $${end.costUsd.toPrecision(2)}` : '';
  return `${words} in ${(end.durationMs / 1000).toFixed(1)} s${cost}`;
}
