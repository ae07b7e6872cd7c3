/** A suite to begin with. */

import * as vscode from 'vscode';
import { RubricClient } from './client';
import { targetsOf } from './protocol';

/** What is named at first, if there is one of that name. */
const USUAL = 'default';
/** How long the server may take, in milliseconds: somebody waits for an editor to open. */
const PATIENCE = 2000;

const suite = (execution: string) => `# rubric: dialect=agentv-3
name: \${1:my-suite}
${execution}tests:
  - id: \${3:first-case}
    criteria: \${4:What a good answer does}
    input: \${5:What the target is asked}
    assertions:
      - type: contains
        value: \${6:words that the answer has to contain}
`;

/** Opens a new suite. It names a target of the folder, and none where there is none. */
export async function newSuite(server: () => Promise<RubricClient | undefined>): Promise<void> {
  const target = await Promise.race([firstTarget(server), new Promise<undefined>((done) => setTimeout(() => done(undefined), PATIENCE))]);
  const document = await vscode.workspace.openTextDocument({ language: 'eval-yaml' });
  const editor = await vscode.window.showTextDocument(document);
  const name = target?.replace(/[\\$}]/gu, '\\$&');
  await editor.insertSnippet(new vscode.SnippetString(suite(name === undefined ? '' : `execution:\n  target: \${2:${name}}\n`)));
}

async function firstTarget(server: () => Promise<RubricClient | undefined>): Promise<string | undefined> {
  const beside = vscode.window.activeTextEditor?.document.uri;
  const folder = beside?.scheme === 'file' ? vscode.Uri.joinPath(beside, '..') : vscode.workspace.workspaceFolders?.[0]?.uri;
  const names = folder && (await (await server())?.sendRequest(targetsOf, { uri: folder.toString() }).catch(() => undefined));
  return names?.includes(USUAL) ? USUAL : names?.[0];
}
