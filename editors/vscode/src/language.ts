/** Sets the language of suites with ambiguous names, which the server detects by their content. */

import * as vscode from 'vscode';
import { RubricClient } from './client';

const NAMED = within('{dataset*,*-eval,eval,suite,*.test}');

/** Early releases of agentv gave suites any name. Files of cases, which have none of these keys, stay YAML. */
const UNNAMED = within('*');
const CASES = /^(?:evalcases|eval_cases|testcases|tests)[ \t]*:/mu;

export class SuiteLanguage implements vscode.Disposable {
  /** The documents handled before: one that the user sets back to YAML stays YAML. */
  private readonly given = new Set<string>();
  private readonly listeners = [
    vscode.workspace.onDidOpenTextDocument((document) => void this.look(document)),
    vscode.window.onDidChangeActiveTextEditor((editor) => editor && void this.look(editor.document)),
    vscode.workspace.onDidSaveTextDocument((document) => void this.look(document)),
  ];

  constructor(private readonly ready: () => Promise<RubricClient | undefined>) {}

  /** A server has started: check the documents opened before. */
  lookAtAll(): void {
    vscode.workspace.textDocuments.forEach((document) => void this.look(document));
  }

  dispose(): void {
    this.listeners.forEach((listener) => listener.dispose());
  }

  private async look(document: vscode.TextDocument): Promise<void> {
    const uri = document.uri.toString();
    if (this.given.has(uri) || !mayBeSuite(document)) {
      return;
    }
    const client = await this.ready();
    const suite = await client?.sendRequest('rubric/suite', { textDocument: { uri } }).then(Boolean, () => false);
    if (suite && !document.isClosed && !this.given.has(uri)) {
      this.given.add(uri);
      await vscode.languages.setTextDocumentLanguage(document, 'eval-yaml');
    }
  }
}

function within(names: string): vscode.DocumentFilter {
  return { scheme: 'file', language: 'yaml', pattern: `**/evals/**/${names}.{yaml,yml}` };
}

function mayBeSuite(document: vscode.TextDocument): boolean {
  return vscode.languages.match(NAMED, document) > 0 || (vscode.languages.match(UNNAMED, document) > 0 && CASES.test(document.getText()));
}
