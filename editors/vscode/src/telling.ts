/** Messages about the server: one sentence, and buttons that help. */

import * as vscode from 'vscode';
import { SetupFailed } from './environment';
import { Found, NotFound } from './find';
import { NoPython } from './python';
import { skew } from './versions';

type Actions = Record<string, () => unknown>;

/** There is no server. */
export function tellFailure(error: unknown, tryAgain: () => unknown, showOutput: () => unknown): void {
  const known = error instanceof NotFound || error instanceof NoPython || error instanceof SetupFailed;
  const message = known ? error.message : 'The language server could not be started.';
  const setting = error instanceof NoPython ? 'rubric.server.python' : 'rubric.server.command';
  const actions = { 'Try Again': tryAgain, 'Open Setting': () => openSetting(setting), 'Show Output': showOutput };
  choose(vscode.window.showErrorMessage(message, ...Object.keys(actions)), actions);
}

export interface Versions {
  extension: string;
  server: string | undefined;
}

/** The message about a server of another version; undefined if it is compatible. */
export function difference({ extension, server }: Versions, from: string): string | undefined {
  switch (skew(extension, server)) {
    case 'older':
      return (
        `The language server of ${from} is ${server ?? 'of an unknown version'}, older than this extension (${extension}): ` +
        'some things will be missing. Install the one of this extension’s version, or use the one that it carries.'
      );
    case 'newer':
      return `The language server of ${from} is ${server}, newer than this extension (${extension}). Update the extension.`;
    case undefined:
      return undefined;
  }
}

/** Show it, with a button for the bundled server if that helps. */
export function tellDifference(message: string, found: Found, { extension, server }: Versions, useOwn: () => unknown, showOutput: () => unknown): void {
  const older = skew(extension, server) === 'older' && !found.configured;
  const actions: Actions = { ...(older && { "Use the Extension's Own": useOwn }), 'Show Output': showOutput };
  choose(vscode.window.showWarningMessage(message, ...Object.keys(actions)), actions);
}

export function openSetting(name: string): Thenable<unknown> {
  return vscode.commands.executeCommand('workbench.action.openSettings', name);
}

function choose(shown: Thenable<string | undefined>, actions: Actions): void {
  void shown.then((chosen) => chosen && actions[chosen]());
}
