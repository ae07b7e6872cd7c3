/** Runs as VS Code shows them, whoever began them: the Test Explorer, a lens, another editor's command. */

import * as vscode from 'vscode';
import { ProtocolNotificationType, NotificationType } from 'vscode-languageclient/node';
import { RubricClient } from './client';
import { ListedRun } from './listedRun';
import * as protocol from './protocol';
import { RunBegan, RunEnded, RunWish, TestState } from './protocol';
import { OVER, Results } from './results';

/** How far a run is, for the status bar. */
export interface Going {
  done: number;
  of: number;
}

interface Run {
  label: string;
  tests: string[];
  /** The tests that have not had their last state yet, and how many of them are cases. */
  waiting: Set<string>;
  cases: Going;
  /** That of the Testing view, if it was asked for there: VS Code has a run for it already. */
  request: vscode.TestRunRequest | undefined;
  /** Made when something comes of it: VS Code lists every run for good, one that was cancelled before it began as well. */
  shown: ListedRun | undefined;
  /** The earlier states of tests, and which of them had messages at their lines. */
  before: Map<string, TestState | undefined>;
  marked: Set<string>;
}

/** The outcome of a run, and the request by which VS Code lists it. */
interface Finished {
  request: vscode.TestRunRequest | undefined;
  words: string;
}

const NOTHING = 'Nothing was run.';

/** The tree as runs need it. */
export interface RunsHost {
  find(id: string): vscode.TestItem | undefined;
  isCase(id: string): boolean;
  describe(id: string, description: string): void;
  /** Put tests into the tree that are not there yet. */
  look(ids: string[]): Promise<void>;
  /** The profile by which VS Code repeats a run that was not begun in the Testing view. */
  profile(): vscode.TestRunProfile;
}

export class Runs implements vscode.Disposable {
  private readonly running = new Map<string, Run>();
  /** The requests of runs that the server has not reported yet. */
  private readonly requests = new Map<string, vscode.TestRunRequest | undefined>();
  /** The runs of this server that are over. */
  private readonly finished = new Map<string, Finished>();
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly updated = new vscode.EventEmitter<TestState>();
  private client: RubricClient | undefined;
  /** Messages of the server are handled in order. */
  private queue: Promise<unknown> = Promise.resolve();
  readonly results: Results;
  /** A run began, went on or ended. */
  readonly onDidChange = this.changed.event;
  /** Something is known of a test that was not before. */
  readonly onDidUpdate = this.updated.event;

  constructor(
    controller: vscode.TestController,
    private readonly tree: RunsHost,
  ) {
    this.results = new Results(controller, {
      find: (id) => tree.find(id),
      isCase: (id) => tree.isCase(id),
      describe: (id, description) => tree.describe(id, description),
    });
  }

  /** Undefined when nothing runs. */
  get going(): Going | undefined {
    const all = [...this.running.values()].map((run) => run.cases);
    const sum = (numbers: number[]) => numbers.reduce((a, b) => a + b, 0);
    return all.length ? { of: sum(all.map((each) => each.of)), done: sum(all.map((each) => each.done)) } : undefined;
  }

  listen(client: RubricClient): void {
    this.client = client;
    this.finished.clear();
    this.requests.clear();
    const hear = <P>(type: NotificationType<P> | ProtocolNotificationType<P, void>, show: (params: P) => void | Promise<void>) =>
      client.onNotification(type as NotificationType<P>, (params) => {
        this.queue = this.queue.then(() => show(params)).catch(() => undefined); // a test that is gone: what follows is shown all the same
      });
    hear(protocol.runBegan, async (run) => {
      await this.tree.look(run.tests).catch(() => undefined);
      this.began(run);
    });
    hear(protocol.testState, (state) => this.state(state));
    hear(protocol.testOutput, ({ runId, testId, text }) => {
      const run = this.running.get(runId);
      if (run?.tests.some(this.tree.find)) {
        this.results.print(this.shown(run), text, testId ? this.tree.find(testId) : undefined);
      }
    });
    hear(protocol.runEnded, (end) => this.ended(end));
  }

  /** Start a run and wait for its end; the user may have to allow it first. `request` is that of the Testing view. */
  async begin(client: RubricClient, wish: RunWish, token?: vscode.CancellationToken, request?: vscode.TestRunRequest): Promise<void> {
    const why = await this.carryOut(client, wish, token, request).catch((error) => (token?.isCancellationRequested ? NOTHING : refused(error)));
    if (why) {
      this.nothingRan(request, why);
    }
  }

  /** A request of the Testing view came to nothing: VS Code has begun a run for it all the same. */
  nothingRan(request: vscode.TestRunRequest | undefined, why = NOTHING): void {
    if (request) {
      this.results.fill(request, why);
    }
  }

  /** The server has ended: unfinished cases have no result. Returns their number. */
  abandon(): number {
    const lost = [...this.running.values()].reduce((sum, { cases }) => sum + cases.of - cases.done, 0);
    for (const [runId, run] of this.running) {
      const message = new vscode.TestMessage('The language server stopped before there was a result.');
      if (run.shown || run.request) {
        const shown = this.shown(run);
        withItems([...run.waiting].map(this.tree.find), (item) => shown.cases.errored(item, message));
      }
      this.close(runId, run, message.message.toString());
    }
    this.client = undefined;
    this.changed.fire();
    return lost;
  }

  dispose(): void {
    this.abandon();
    this.changed.dispose();
    this.updated.dispose();
  }

  /** Run to the end. Returns why nothing was run, if so. */
  private async carryOut(client: RubricClient, wish: RunWish, token?: vscode.CancellationToken, request?: vscode.TestRunRequest): Promise<string> {
    const { runId } = await client.sendRequest(protocol.runTests, { ...wish, wait: true }, token);
    if (!runId) {
      return NOTHING;
    }
    this.claim(runId, request);
    const cancelled = token?.onCancellationRequested(() => this.cancel(runId));
    await this.over(runId);
    cancelled?.dispose();
    const { request: listed, words } = this.finished.get(runId) ?? { request: undefined, words: NOTHING };
    return listed === request ? '' : words;
  }

  /** The request of a run, which the server may or may not have reported yet. */
  private claim(runId: string, request: vscode.TestRunRequest | undefined): void {
    const run = this.running.get(runId);
    if (!run) {
      this.requests.set(runId, request);
    } else if (!run.shown) {
      run.request = request;
    }
  }

  private cancel(runId: string): void {
    if (this.running.has(runId)) {
      void this.client?.sendRequest(protocol.cancelTests, { runId });
    }
  }

  private over(runId: string): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (this.finished.has(runId) || !this.client) {
          listener.dispose();
          resolve();
        }
      };
      const listener = this.changed.event(look);
      look();
    });
  }

  private began({ runId, tests, label }: RunBegan): void {
    const request = this.requests.get(runId);
    this.requests.delete(runId);
    const cases = { of: tests.filter((id) => this.tree.isCase(id)).length, done: 0 };
    this.running.set(runId, { label, tests, waiting: new Set(tests), cases, request, shown: undefined, before: new Map(), marked: new Set() });
    this.changed.fire();
  }

  /** A run as VS Code lists it. */
  private shown(run: Run): ListedRun {
    if (run.shown) {
      return run.shown;
    }
    const items = run.tests.map(this.tree.find).filter((item) => item !== undefined);
    run.marked = this.results.withMessages();
    const name = run.label.replace(/^Running /u, ''); // it stays in VS Code's list when nothing runs any more
    run.shown = this.results.begin(run.request ?? new vscode.TestRunRequest(items, undefined, this.tree.profile()), items, name || undefined);
    run.shown.cases.token.onCancellationRequested(() => [...this.running].forEach(([runId, each]) => each === run && this.cancel(runId)));
    items.forEach((item) => run.shown?.cases.enqueued(item));
    return run.shown;
  }

  private state(told: TestState): void {
    if (this.results.isKnown(told)) {
      return;
    }
    const { testId, state } = told;
    const item = this.tree.find(testId);
    const run = this.running.get(told.runId);
    if (run && item && !['enqueued', 'cancelled'].includes(state)) {
      this.shown(run);
    }
    if (run && OVER.has(state) && !run.before.has(testId)) {
      run.before.set(testId, this.results.of(testId));
    }
    if (item && state !== 'cancelled' && (run?.shown || !run)) {
      this.results.take(item, told, run?.shown);
    } else if (item && run?.shown) {
      const before = run.before.has(testId) ? run.before.get(testId) : this.results.of(testId);
      this.results.restore(item, run.shown, before, run.marked.has(testId));
    } else if (OVER.has(state)) {
      this.results.keep(told); // until it is in the tree
    }
    if (run && (OVER.has(state) || state === 'cancelled') && run.waiting.delete(testId)) {
      run.cases.done += this.tree.isCase(testId) ? 1 : 0;
      this.changed.fire();
    }
    this.updated.fire(told);
  }

  private ended(end: RunEnded): void {
    const run = this.running.get(end.runId);
    if (run) {
      const words = tally(end);
      if (run.shown) {
        this.results.print(run.shown, `${words}\n`);
      }
      this.close(end.runId, run, words);
      this.changed.fire();
    }
  }

  private close(runId: string, run: Run, words: string): void {
    run.shown?.end();
    this.running.delete(runId);
    this.finished.set(runId, { request: run.shown && run.request, words });
  }
}

function withItems(items: (vscode.TestItem | undefined)[], act: (item: vscode.TestItem) => unknown): void {
  items.filter((item) => item !== undefined).forEach(act);
}

/** Show why the server runs nothing. */
function refused(error: unknown): string {
  const why = error instanceof Error ? error.message : String(error);
  void vscode.window.showWarningMessage(why);
  return why;
}

function tally(end: RunEnded): string {
  const counts = (['passed', 'borderline', 'failed', 'unscored'] as const).filter((each) => end[each]).map((each) => `${end[each]} ${each}`);
  const errors = end.graderErrors ? [`⚠ ${end.graderErrors} ${end.graderErrors === 1 ? 'grader' : 'graders'} failed`] : [];
  const words = [...counts, ...errors, ...(end.cancelled ? ['cancelled'] : [])].join(', ') || 'nothing was run';
  const cost = end.costUsd ? `, $${end.costUsd.toPrecision(2)}` : '';
  return `${words} in ${(end.durationMs / 1000).toFixed(1)} s${cost}`;
}
