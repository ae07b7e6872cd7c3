/** Runs need trust. The server refuses too, but here the way to give it is one button away. */

import * as vscode from 'vscode';

export async function mayRun(): Promise<boolean> {
  if (vscode.workspace.isTrusted) {
    return true;
  }
  const manage = 'Manage Workspace Trust';
  const text = 'Cases are not run in Restricted Mode, because a suite can execute programs and call models.';
  if ((await vscode.window.showWarningMessage(text, manage)) === manage) {
    await vscode.commands.executeCommand('workbench.trust.manage');
  }
  return false;
}
