/** Runs as VS Code shows them, whoever began them: the Test Explorer, a lens, another editor's command. */

import * as vscode from 'vscode';
import { ProtocolNotificationType, NotificationType } from 'vscode-languageclient/node';
import { RubricClient } from './client';
import { Marks } from './marks';
import * as protocol from './protocol';
import { Message, RunBegan, RunEnded, RunWish, State, TestState } from './protocol';

/** How far a run is, for the status bar. */
export interface Going {
  done: number;
  of: number;
}

interface Run {
  shown: vscode.TestRun;
  waiting: Set<string>;
  cases: string[];
}

const OVER = new Set(['passed', 'borderline', 'failed', 'unscored', 'skipped']);

export class Runs implements vscode.Disposable {
  private readonly running = new Map<string, Run>();
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly updated = new vscode.EventEmitter<TestState>();
  /** The last that was heard of each test. */
  private readonly last = new Map<string, State>();
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
  ) {}

  /** Undefined when nothing runs. */
  get going(): Going | undefined {
    const all = [...this.running.values()];
    const cases = all.flatMap((run) => run.cases);
    const waiting = all.flatMap((run) => [...run.waiting].filter(this.isCase));
    return all.length ? { of: cases.length, done: cases.length - waiting.length } : undefined;
  }

  /** Whether a test has passed as its text stands. */
  hasPassed(id: string): boolean {
    return this.last.get(id) === 'passed';
  }

  listen(client: RubricClient): void {
    this.client = client;
    const hear = <P>(type: NotificationType<P> | ProtocolNotificationType<P, void>, show: (params: P) => void) =>
      client.onNotification(type as NotificationType<P>, (params) => {
        this.queue = this.queue.then(() => show(params));
      });
    hear(protocol.runBegan, (run) => this.began(run));
    hear(protocol.testState, (state) => this.state(state));
    hear(protocol.testOutput, ({ runId, testId, text }) =>
      this.running.get(runId)?.shown.appendOutput(text.replace(/\r?\n/g, '\r\n'), undefined, testId ? this.find(testId) : undefined),
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

  /** The server is gone: what it had not finished has no result. */
  abandon(): void {
    for (const [runId, { shown, waiting }] of this.running) {
      const message = new vscode.TestMessage('The language server stopped before there was a result.');
      waiting.forEach((id) => withItem(this.find(id), (item) => shown.errored(item, message)));
      shown.end();
      this.running.delete(runId);
    }
    this.client = undefined;
    this.changed.fire();
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
    const items = tests.map(this.find).filter((item) => item !== undefined);
    const shown = this.controller.createTestRun(request ?? new vscode.TestRunRequest(items), label || undefined, true);
    shown.token.onCancellationRequested(() => this.cancel(runId));
    this.running.set(runId, { shown, waiting: new Set(tests), cases: tests.filter(this.isCase) });
    items.forEach((item) => shown.enqueued(item));
    this.changed.fire();
  }

  private state(told: TestState): void {
    const item = this.find(told.testId);
    const run = this.running.get(told.runId);
    if (item) {
      this.remember(item, told);
      if (run) {
        this.show(run.shown, item, told);
      }
    }
    if (run && OVER.has(told.state) && run.waiting.delete(told.testId)) {
      this.changed.fire();
    }
    this.updated.fire(told);
  }

  private remember(item: vscode.TestItem, { state, testId }: TestState): void {
    if (state === 'outdated') {
      this.controller.invalidateTestResults(item);
    }
    if (state !== 'fresh') {
      this.last.set(testId, state);
    }
    if (state === 'outdated' || state === 'started') {
      this.marks.remove(testId);
    }
  }

  private show(shown: vscode.TestRun, item: vscode.TestItem, told: TestState): void {
    const messages = (told.messages ?? []).map((message) => this.message(message, item));
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
        this.marks.put(told.testId, messages);
        return shown.failed(item, messages.length ? messages : new vscode.TestMessage(told.state), told.durationMs);
      case 'unscored': // trouble, not a verdict on the answer
        this.marks.put(told.testId, messages);
        return shown.errored(item, messages.length ? messages : new vscode.TestMessage('unscored'), told.durationMs);
    }
  }

  private message(told: Message, item: vscode.TestItem): vscode.TestMessage {
    const message = new vscode.TestMessage(told.message);
    message.expectedOutput = told.expected;
    message.actualOutput = told.actual;
    message.contextValue = 'rubric';
    const range = item.range;
    message.location = told.location
      ? this.client?.protocol2CodeConverter.asLocation(told.location)
      : item.uri && range && new vscode.Location(item.uri, range);
    return message;
  }

  private ended(end: RunEnded): void {
    const run = this.running.get(end.runId);
    if (run) {
      // What was cancelled goes back to what it was.
      run.waiting.forEach((id) => withItem(this.find(id), (item) => run.shown.skipped(item)));
      run.shown.appendOutput(`${tally(end)}\r\n`);
      run.shown.end();
      this.running.delete(end.runId);
      this.changed.fire();
    }
  }
}

function withItem(item: vscode.TestItem | undefined, act: (item: vscode.TestItem) => void): void {
  if (item) {
    act(item);
  }
}

function tally(end: RunEnded): string {
  const counts = (['passed', 'borderline', 'failed', 'unscored', 'cancelled'] as const).filter((each) => end[each]);
  const cost = end.costUsd ? `, $${end.costUsd.toPrecision(2)}` : '';
  return `${counts.map((each) => `${end[each]} ${each}`).join(', ') || 'nothing was run'} in ${(end.durationMs / 1000).toFixed(1)} s${cost}`;
}
