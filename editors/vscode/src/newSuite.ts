/** A suite to begin with. */

import * as vscode from 'vscode';

const SUITE = `# rubric: dialect=agentv-3
name: \${1:my-suite}
execution:
  target: \${2:default}
tests:
  - id: \${3:first-case}
    criteria: \${4:What a good answer does}
    input: \${5:What the target is asked}
    assertions:
      - type: contains
        value: \${6:words that the answer has to contain}
`;

export async function newSuite(): Promise<void> {
  const document = await vscode.workspace.openTextDocument({ language: 'eval-yaml' });
  const editor = await vscode.window.showTextDocument(document);
  await editor.insertSnippet(new vscode.SnippetString(SUITE));
}
