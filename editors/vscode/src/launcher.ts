/** At most one server, started and stopped one after the other however often that is asked for. */

import { delimiter } from 'node:path';
import * as vscode from 'vscode';
import { Listener, RubricClient } from './client';
import { PrivateEnvironment } from './environment';
import { Found, findServer, NotFound, NotInstalled } from './find';
import { Setup } from './setup';
import { difference, tellDifference, tellFailure } from './telling';

const ONLY_OWN = 'rubric.onlyOwn';
const PAUSES_MS = [500, 1000, 2000, 4000];
const WITHIN_MS = 3 * 60_000;

export type Condition = 'starting' | 'running' | 'missing' | 'failed';

/** The state of the server, for the status bar. */
export interface Status {
  condition: Condition;
  words: string;
  from?: string;
}

/** A start was abandoned: another one, or the end, has been asked for meanwhile. */
class Abandoned extends Error {}

export class Launcher implements vscode.Disposable {
  readonly output = vscode.window.createOutputChannel('Rubric', { log: true });
  readonly own: PrivateEnvironment;
  private readonly setup: Setup;
  status: Status = { condition: 'starting', words: 'starting …' };
  private readonly starting = new vscode.EventEmitter<RubricClient>();
  private readonly started = new vscode.EventEmitter<RubricClient>();
  private readonly ended = new vscode.EventEmitter<{ crashed: boolean }>();
  private readonly changed = new vscode.EventEmitter<Status>();
  /** A server is about to start: its messages are handled from the first on. */
  readonly onWillStart = this.starting.event;
  /** A server is ready. */
  readonly onDidStart = this.started.event;
  /** It is gone, whether that was wanted or not. */
  readonly onDidEnd = this.ended.event;
  readonly onDidChangeStatus = this.changed.event;
  private client: RubricClient | undefined;
  private found: Found | undefined;
  private crashes: number[] = [];
  private again: NodeJS.Timeout | undefined;
  private queue: Promise<void> = Promise.resolve();
  /** Abandons the starts that have been asked for: one that waits is left out, one that has no answer to `initialize` is ended. */
  private starts = new AbortController();

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly listener: Pick<Listener, 'hints'>,
  ) {
    this.own = new PrivateEnvironment(context, this.output);
    this.setup = new Setup(context, this.own);
  }

  /** The server, when it is ready. */
  get ready(): RubricClient | undefined {
    return this.client?.isReady ? this.client : undefined;
  }

  /** Restart it, on request or after a change of settings. */
  restart(): Promise<void> {
    this.crashes = [];
    this.abandonStarts();
    return this.start();
  }

  stop(): Promise<void> {
    clearTimeout(this.again);
    this.abandonStarts();
    return this.enqueue(() => this.end());
  }

  async restartIfMoved(): Promise<void> {
    const found = await this.find().catch(() => undefined);
    if (found?.argv[0] !== this.found?.argv[0]) {
      await this.restart();
    }
  }

  /** The server, started if needed; undefined after a failure, which has been reported. */
  async whenReady(): Promise<RubricClient | undefined> {
    for (let awaited; awaited !== this.queue; ) {
      awaited = this.queue;
      await awaited; // meanwhile another start may have been asked for
    }
    if (!this.ready) {
      this.crashes = [];
      await this.start({ unlessReady: true });
    }
    return this.ready;
  }

  dispose(): void {
    clearTimeout(this.again);
    [this.starting, this.started, this.ended, this.changed, this.output].forEach((each) => each.dispose());
  }

  private enqueue(work: () => Promise<void>): Promise<void> {
    this.queue = this.queue.then(work).catch((error) => this.output.error(String(error)));
    return this.queue;
  }

  private start({ afterCrash = false, unlessReady = false } = {}): Promise<void> {
    const { signal } = this.starts;
    return this.enqueue(async () => {
      if (!signal.aborted && !(unlessReady && this.ready)) {
        await this.replace(signal, afterCrash);
      }
    });
  }

  private abandonStarts(): void {
    this.starts.abort();
    this.starts = new AbortController();
  }

  private find(): Promise<Found> {
    return findServer(this.own, this.context.workspaceState.get(ONLY_OWN, false));
  }

  private async replace(signal: AbortSignal, afterCrash: boolean): Promise<void> {
    clearTimeout(this.again);
    await this.end();
    this.show('starting', 'starting …');
    try {
      this.found = await this.find();
      this.output.info(`Starting ${this.found.argv.join(' ')} (from ${this.found.from})`);
      await this.begin(this.found, signal);
    } catch (error) {
      if (error instanceof Abandoned) {
        this.output.warn(error.message);
      } else if (error instanceof NotInstalled) {
        this.show('missing', 'not set up');
        void this.offerSetup();
      } else if (!(afterCrash && this.comeBack())) {
        this.failed(error);
      }
    }
  }

  private async begin(found: Found, signal: AbortSignal): Promise<void> {
    if (signal.aborted) {
      throw new Abandoned('Another start has been asked for.');
    }
    const client = new RubricClient(found, this.output, {
      hints: this.listener.hints,
      closed: (which, ready) => this.closed(which, ready),
    });
    this.client = client;
    this.starting.fire(client);
    const abandoned = new Promise<never>((_, reject) => {
      const words = 'The language server had not answered yet, and is ended.';
      signal.addEventListener('abort', () => reject(new Abandoned(words)), { once: true });
    });
    try {
      await Promise.race([client.start(), abandoned]);
      client.answerQuestions();
    } catch (error) {
      if (error instanceof Abandoned) {
        throw error;
      }
      this.output.error(String(error));
      throw new NotFound(`The language server stopped before it was ready: ${found.argv[0]} (from ${found.from}).`);
    }
    const server = client.initializeResult?.serverInfo;
    const name = `${server?.name ?? 'rubric'} ${server?.version ?? ''}`.trim();
    this.output.info(`Ready: ${name}`);
    this.show('running', name);
    await vscode.commands.executeCommand('setContext', 'rubric.active', true);
    this.inTerminals(found);
    this.started.fire(client);
    this.compare(found, server?.version);
  }

  private async end(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    if (client) {
      this.ended.fire({ crashed: false });
      await client.dispose(2000).catch((error) => this.output.warn(String(error)));
    }
  }

  /** It ended by itself. Before it was ready, `begin` reports that. */
  private closed(client: RubricClient, ready: boolean): void {
    if (this.client !== client || !ready) {
      return;
    }
    this.ended.fire({ crashed: true });
    this.client = undefined;
    if (!this.comeBack()) {
      this.failed(new NotFound('The language server has stopped several times and is not started again.'));
    }
  }

  /** Restart it with increasing delay; false if it has crashed too often. */
  private comeBack(): boolean {
    const now = Date.now();
    this.crashes = [...this.crashes.filter((time) => now - time < WITHIN_MS), now];
    const pause = PAUSES_MS[this.crashes.length - 1];
    this.output.error(`The language server has stopped unexpectedly (${this.crashes.length}×).`);
    if (pause === undefined) {
      return false;
    }
    this.show('starting', 'starting again …');
    this.again = setTimeout(() => void this.start({ afterCrash: true }), pause);
    return true;
  }

  // -- setting up ------------------------------------------------------------------------------------------------------

  /** Set up the bundled server, at the user's request. */
  async setUp(): Promise<void> {
    try {
      this.show('starting', 'being set up …');
      if (await this.setup.carryOut()) {
        void this.restart();
      }
    } catch (error) {
      this.failed(error);
    }
  }

  private async offerSetup(): Promise<void> {
    try {
      if (await this.setup.agreed()) {
        await this.setUp();
      }
    } catch (error) {
      this.failed(error);
    }
  }

  /** `rubric run …`, as reports show it, is understood in the terminals of a workspace that uses the private environment. */
  private inTerminals(found: Found): void {
    const variables = this.context.environmentVariableCollection;
    variables.clear();
    if (found.own) {
      variables.description = 'The command line `rubric`';
      variables.append('PATH', `${delimiter}${this.own.programs}`);
    }
  }

  // -- telling ---------------------------------------------------------------------------------------------------------

  /** Whether server and extension are compatible; each incompatible server is reported once. */
  private compare(found: Found, server: string | undefined): void {
    const versions = { extension: this.context.extension.packageJSON.version as string, server };
    const message = difference(versions, found.from);
    if (!message) {
      return;
    }
    this.output.warn(message);
    const told = `rubric.told.${server}`;
    if (!this.context.workspaceState.get(told)) {
      void this.context.workspaceState.update(told, true);
      const useOwn = async () => {
        await this.context.workspaceState.update(ONLY_OWN, true);
        await this.restart();
      };
      tellDifference(message, found, versions, useOwn, () => this.output.show());
    }
  }

  private failed(error: unknown): void {
    this.output.error(error instanceof Error ? error.message : String(error));
    this.show('failed', 'not running');
    tellFailure(
      error,
      () => this.restart(),
      () => this.output.show(),
    );
  }

  private show(condition: Condition, words: string): void {
    this.status = { condition, words, from: condition === 'running' ? this.found?.from : undefined };
    if (condition !== 'running') {
      void vscode.commands.executeCommand('setContext', 'rubric.active', false);
    }
    this.changed.fire(this.status);
  }
}
