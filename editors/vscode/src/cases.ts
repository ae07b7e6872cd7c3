/** Commands of the palette. Each forwards to a command of the server, for the file in the active editor. */

import * as vscode from 'vscode';
import { CodeAction, CodeActionRequest, CodeActionTriggerKind } from 'vscode-languageclient/node';
import { RubricClient, SUITES } from './client';

/** The server's command for a whole file, by the command of the palette. */
export const FILE_COMMANDS = {
  'rubric.runThisFile': 'rubric.runFile',
  'rubric.cancelThisFile': 'rubric.cancel',
  'rubric.clearThisFile': 'rubric.clearResults',
};

export async function forFile(command: string): Promise<void> {
  const editor = suiteEditor();
  if (editor) {
    await vscode.commands.executeCommand(command, editor.document.uri.toString());
  }
}

/** The server knows where cases begin: it offers a code action for the one at the cursor. */
export async function runCaseAtCursor(client: RubricClient): Promise<void> {
  const editor = suiteEditor();
  if (!editor) {
    return;
  }
  const { code2ProtocolConverter: convert } = client;
  const actions = await client.sendRequest(CodeActionRequest.type, {
    textDocument: convert.asTextDocumentIdentifier(editor.document),
    range: convert.asRange(new vscode.Range(editor.selection.active, editor.selection.active)),
    context: { diagnostics: [], only: ['rubric.run'], triggerKind: CodeActionTriggerKind.Invoked },
  });
  const commands = (actions ?? []).map((action) => (CodeAction.is(action) ? action.command : action));
  const run = commands.find((command) => command?.command === 'rubric.runCase');
  if (run) {
    await vscode.commands.executeCommand(run.command, ...(run.arguments ?? []));
  } else {
    void vscode.window.showInformationMessage('There is no case at the cursor.');
  }
}

function suiteEditor(): vscode.TextEditor | undefined {
  const editor = vscode.window.activeTextEditor;
  if (editor && vscode.languages.match(SUITES, editor.document)) {
    return editor;
  }
  void vscode.window.showInformationMessage('Open an evaluation suite first, such as a *.eval.yaml file.');
  return undefined;
}
