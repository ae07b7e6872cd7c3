/** Starts the language server and keeps it running. What it does, every editor gets; here is only the launcher. */

import * as vscode from 'vscode';
import { FILE_COMMANDS, forFile, runCaseAtCursor } from './cases';
import { RubricClient, SUITES } from './client';
import { findServer, Found, NotFound, onPythonSelected } from './find';

let launcher: Launcher | undefined;

export function activate(context: vscode.ExtensionContext): void {
  launcher = new Launcher();
  context.subscriptions.push(launcher, ...commands(launcher), ...reasonsToRestart(launcher));
  void launcher.restart();
}

export async function deactivate(): Promise<void> {
  await launcher?.stop();
}

function commands(it: Launcher): vscode.Disposable[] {
  const register = vscode.commands.registerCommand;
  return [
    register('rubric.restartServer', () => it.restart()),
    register('rubric.showOutput', () => it.output.show()),
    register('rubric.runCaseAtCursor', () => it.whenReady(runCaseAtCursor)),
    ...Object.entries(FILE_COMMANDS).map(([palette, server]) =>
      register(palette, () => it.whenReady(() => forFile(server))),
    ),
  ];
}

function reasonsToRestart(it: Launcher): vscode.Disposable[] {
  const listeners = [
    vscode.workspace.onDidGrantWorkspaceTrust(() => it.restart()),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration('rubric.server')) {
        void it.restart();
      }
    }),
  ];
  if (vscode.workspace.isTrusted) {
    void onPythonSelected(() => it.restartIfMoved()).then((listener) => listener && listeners.push(listener));
  }
  return [{ dispose: () => listeners.forEach((listener) => listener.dispose()) }];
}

/** At most one server, started and stopped one after the other however often that is asked for. */
class Launcher implements vscode.Disposable {
  readonly output = vscode.window.createOutputChannel('Rubric', { log: true });
  private readonly status = vscode.languages.createLanguageStatusItem('rubric', SUITES);
  private client: RubricClient | undefined;
  private found: Found | undefined;
  private queue: Promise<void> = Promise.resolve();

  restart(): Promise<void> {
    this.queue = this.queue.then(() => this.replace()).catch((error) => this.output.error(String(error)));
    return this.queue;
  }

  stop(): Promise<void> {
    this.queue = this.queue.then(() => this.end()).catch((error) => this.output.error(String(error)));
    return this.queue;
  }

  async restartIfMoved(): Promise<void> {
    const found = await findServer().catch(() => undefined);
    if (found?.argv[0] !== this.found?.argv[0]) {
      await this.restart();
    }
  }

  async whenReady(action: (client: RubricClient) => Promise<void>): Promise<void> {
    await this.queue;
    if (this.client?.isReady) {
      await action(this.client);
    } else {
      await this.restart(); // says why it cannot run, or runs
      if (this.client?.isReady) {
        await action(this.client);
      }
    }
  }

  dispose(): void {
    this.status.dispose();
    this.output.dispose();
  }

  private async replace(): Promise<void> {
    await this.end();
    this.show('starting …', true);
    try {
      this.found = await findServer();
      this.output.info(`Starting ${this.found.argv.join(' ')} (from ${this.found.from})`);
      await this.begin(this.found);
    } catch (error) {
      this.failed(error);
    }
  }

  private async begin(found: Found): Promise<void> {
    const client = new RubricClient(found, this.output, { gone: () => this.gone(client) });
    this.client = client;
    try {
      await client.start();
    } catch (error) {
      this.output.error(String(error));
      throw new NotFound(`The language server stopped before it was ready: ${found.argv[0]} (from ${found.from}).`);
    }
    const server = client.initializeResult?.serverInfo;
    this.show(`${server?.name ?? 'rubric'} ${server?.version ?? ''}`.trim());
    await vscode.commands.executeCommand('setContext', 'rubric.active', true);
  }

  private async end(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    await client?.dispose(2000).catch((error) => this.output.warn(String(error)));
  }

  /** The server ended while it was in use. Before that, `begin` reports it. */
  private gone(client: RubricClient): void {
    if (this.client === client && client.isReady) {
      this.failed(new NotFound('The language server has stopped several times and is not started again.'));
    }
  }

  private failed(error: unknown): void {
    const message = error instanceof NotFound ? error.message : 'The language server could not be started.';
    this.output.error(error instanceof Error ? error.message : String(error));
    this.show('not running', false, vscode.LanguageStatusSeverity.Error);
    const actions: Record<string, () => unknown> = {
      'Open Setting': () => vscode.commands.executeCommand('workbench.action.openSettings', 'rubric.server.command'),
      'Show Output': () => this.output.show(),
      'Try Again': () => this.restart(),
    };
    void vscode.window.showErrorMessage(message, ...Object.keys(actions)).then((chosen) => chosen && actions[chosen]());
  }

  private show(text: string, busy = false, severity = vscode.LanguageStatusSeverity.Information): void {
    const restricted = !vscode.workspace.isTrusted;
    this.status.name = 'Rubric';
    this.status.text = text;
    this.status.busy = busy;
    this.status.severity = severity;
    this.status.detail = restricted ? 'Restricted Mode: cases are not run' : this.found && `from ${this.found.from}`;
    this.status.command = restricted
      ? { title: 'Manage Workspace Trust', command: 'workbench.trust.manage' }
      : { title: 'Restart', command: 'rubric.restartServer' };
  }
}
