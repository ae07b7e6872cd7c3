/** Commands of the palette. Each forwards to a command of the server, for the file in the active editor. */

import * as vscode from 'vscode';
import { CodeLens, CodeLensRequest } from 'vscode-languageclient/node';
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

/** The server knows where cases begin: the lens at or above the cursor says which one it is in. */
export async function runCaseAtCursor(client: RubricClient): Promise<void> {
  const editor = suiteEditor();
  if (!editor) {
    return;
  }
  const textDocument = { uri: client.code2ProtocolConverter.asUri(editor.document.uri) };
  const lenses = (await client.sendRequest(CodeLensRequest.type, { textDocument })) ?? [];
  const lens = lastAbove(lenses, editor.selection.active.line);
  if (lens?.command) {
    await vscode.commands.executeCommand(lens.command.command, ...(lens.command.arguments ?? []));
  } else {
    void vscode.window.showInformationMessage('There is no case at the cursor.');
  }
}

function lastAbove(lenses: CodeLens[], line: number): CodeLens | undefined {
  return lenses
    .filter((lens) => lens.command?.command === 'rubric.runCase' && lens.range.start.line <= line)
    .sort((one, other) => one.range.start.line - other.range.start.line)
    .at(-1);
}

function suiteEditor(): vscode.TextEditor | undefined {
  const editor = vscode.window.activeTextEditor;
  if (editor && vscode.languages.match(SUITES, editor.document)) {
    return editor;
  }
  void vscode.window.showInformationMessage('Open an evaluation suite first, such as a *.eval.yaml file.');
  return undefined;
}
