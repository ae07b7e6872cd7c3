/** Texts of a run as documents that cannot be edited, for comparing them. */

import * as vscode from 'vscode';
import { Report } from './protocol';

const SCHEME = 'rubric-text';
/** The maximum number of cached documents; an older one is empty when reopened. */
const MOST = 40;

export class Texts implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly texts = new Map<string, string>();
  private readonly registration = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.toString()) ?? '';
  }

  /** Show the expected output beside the answer. */
  async compare(report: Report): Promise<void> {
    if (report.answer === undefined || report.expectedOutput === undefined) {
      const missing = report.answer === undefined ? 'answer' : '`expected_output`';
      void vscode.window.showInformationMessage(`The case ${report.caseId} has no ${missing} to compare.`);
      return;
    }
    const at = report.at.replace(/[^0-9]/g, '');
    const expected = this.keep(`${report.caseId}/expected-${at}.txt`, report.expectedOutput);
    const answer = this.keep(`${report.caseId}/answer-${at}.txt`, report.answer);
    await vscode.commands.executeCommand('vscode.diff', expected, answer, `${report.caseId}: expected ↔ answer`);
  }

  dispose(): void {
    this.registration.dispose();
  }

  private keep(path: string, text: string): vscode.Uri {
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${path}` });
    this.texts.set(uri.toString(), text);
    [...this.texts.keys()].slice(0, -MOST).forEach((old) => this.texts.delete(old));
    return uri;
  }
}
