/**
 * Runs need two things: VS Code's trust in the workspace, without which nothing is asked and nothing runs; and the consent of a
 * person who was told what a run would do. The server asks for the consent, with the same words in every editor, and the answer
 * applies to all editors.
 */

import * as vscode from 'vscode';
import { MessageActionItem, ShowMessageRequestParams } from 'vscode-languageclient/node';

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

/** Answers questions of the server. */
export class Questions {
  private last: ShowMessageRequestParams | undefined;

  /** A notification would disappear after some seconds, and the request with it: so the question is modal. */
  async answer(asked: ShowMessageRequestParams): Promise<MessageActionItem | null> {
    if (!vscode.workspace.isTrusted) {
      return null;
    }
    // Who wanted to see more is asked once more with less to choose from, and has to be able to read meanwhile.
    const { message, actions = [] } = asked;
    const again = message === this.last?.message && actions.length < (this.last.actions?.length ?? 0);
    this.last = asked;
    return (await (again ? beside(message, actions) : before(message, actions))) ?? null;
  }
}

function before(message: string, actions: MessageActionItem[]): Thenable<MessageActionItem | undefined> {
  const [question, detail] = message.split(/(?<=\?) (.+)/su);
  const items = actions.map(({ title }, index) => ({ title, isCloseAffordance: index === actions.length - 1 }));
  return vscode.window.showInformationMessage(question, { modal: true, detail }, ...items).then((chosen) => chosen && { title: chosen.title });
}

/** Stays open while a document is read. */
async function beside(message: string, actions: MessageActionItem[]): Promise<MessageActionItem | undefined> {
  const title = message.split(/(?<=\?) /u)[0];
  const chosen = await vscode.window.showQuickPick(
    actions.map((action) => action.title),
    { title, placeHolder: 'What it would do stands in the document behind', ignoreFocusOut: true },
  );
  return chosen === undefined ? undefined : { title: chosen };
}
