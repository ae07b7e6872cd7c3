/** The language client: one voice towards the person, everything else goes to the output. */

import * as vscode from 'vscode';
import {
  CloseAction,
  ErrorAction,
  LanguageClient,
  LanguageClientOptions,
  RevealOutputChannelOn,
  State,
} from 'vscode-languageclient/node';
import { Found } from './find';

const MOST_CRASHES = 4;
const WITHIN_MS = 3 * 60 * 1000;

export const SUITES: vscode.DocumentFilter[] = [
  { scheme: 'file', language: 'eval-yaml' },
  { scheme: 'untitled', language: 'eval-yaml' },
  { scheme: 'file', language: 'yaml', pattern: '**/*.eval.{yaml,yml}' },
  { scheme: 'file', language: 'yaml', pattern: '**/.agentv/*.{yaml,yml}' },
];

export interface Events {
  /** The server ended and is not started again. */
  gone(): void;
}

export class RubricClient extends LanguageClient {
  private readonly crashes: number[] = [];

  constructor(found: Found, output: vscode.LogOutputChannel, events: Events) {
    const [command, ...args] = found.argv;
    super('rubric', 'Rubric', { command, args }, options(output, () => this.afterClose(events)));
  }

  get isReady(): boolean {
    return this.state === State.Running;
  }

  /** Restart after a crash, unless the server never came up or crashes again and again. */
  private afterClose(events: Events): { action: CloseAction; handled: boolean } {
    const now = Date.now();
    this.crashes.push(now);
    const lately = this.crashes.filter((time) => now - time < WITHIN_MS).length;
    if (this.isReady && lately <= MOST_CRASHES) {
      return { action: CloseAction.Restart, handled: true };
    }
    events.gone();
    return { action: CloseAction.DoNotRestart, handled: true };
  }

  // The base class shows a stack trace in a notification: a person needs a sentence, which `events` leads to.
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }

  override warn(message: string, data?: unknown): void {
    super.warn(message, data, false);
  }

  override info(message: string, data?: unknown): void {
    super.info(message, data, false);
  }

  // `rubric.trace.server` alone must be enough to see messages, whatever the log level of the output is.
  override trace(message: string, data?: unknown): void {
    super.info(message, data, false);
  }
}

function options(
  output: vscode.LogOutputChannel,
  closed: () => { action: CloseAction; handled: boolean },
): LanguageClientOptions {
  return {
    documentSelector: SUITES as LanguageClientOptions['documentSelector'],
    initializationOptions: { trusted: vscode.workspace.isTrusted },
    outputChannel: output,
    revealOutputChannelOn: RevealOutputChannelOn.Never,
    initializationFailedHandler: () => false,
    errorHandler: { error: () => ({ action: ErrorAction.Continue, handled: true }), closed },
    middleware: { executeCommand },
  };
}

/** Runs need trust. The server refuses too, but here the way to give it is one button away. */
async function executeCommand(
  command: string,
  args: unknown[],
  next: (command: string, args: unknown[]) => vscode.ProviderResult<unknown>,
): Promise<unknown> {
  if (!vscode.workspace.isTrusted && /^rubric\.run/.test(command)) {
    const manage = 'Manage Workspace Trust';
    const text = 'Cases are not run in Restricted Mode, because a suite can execute programs and call models.';
    if ((await vscode.window.showWarningMessage(text, manage)) === manage) {
      await vscode.commands.executeCommand('workbench.trust.manage');
    }
    return undefined;
  }
  return next(command, args);
}
