/** The page of a suite's last run, or of its last two compared. It is read from the store: nothing is run. */

import * as vscode from 'vscode';
import type { ReportData } from '../../../report/src/data';
import { RubricClient } from './client';
import { caseOfRun, reportOfRun } from './protocol';
import { page } from './view/page';

const TYPE = 'rubric.runReport';

type Ask = { command: string; index?: number };

export class RunReports {
  private client: RubricClient | undefined;

  connect(client: RubricClient): void {
    this.client = client;
  }

  disconnect(): void {
    this.client = undefined;
  }

  /** Show the last run of the open suite, with `compare` compared with the run before. */
  show(compare: boolean): void {
    const document = vscode.window.activeTextEditor?.document;
    if (document?.languageId !== 'eval-yaml') {
      void vscode.window.showInformationMessage('Open a suite first.');
      return;
    }
    const title = `${compare ? 'Compare' : 'Run'}: ${vscode.workspace.asRelativePath(document.uri)}`;
    const panel = vscode.window.createWebviewPanel(TYPE, title, vscode.ViewColumn.Beside, { enableScripts: true, localResourceRoots: [], retainContextWhenHidden: true });
    const textDocument = { uri: document.uri.toString() };
    let data: ReportData | undefined;
    panel.webview.onDidReceiveMessage(async ({ command, index }: Ask) => {
      if (command === 'ready') {
        const found = await this.client?.sendRequest(reportOfRun, { textDocument, compare }).catch(() => undefined);
        data = found?.data;
        await panel.webview.postMessage(found ?? { trouble: 'The language server does not answer.' });
      } else if (command === 'details' && index !== undefined && data) {
        await panel.webview.postMessage({ details: { index, report: await this.details(textDocument, data, index) } });
      }
    });
    panel.webview.html = page(title, compare ? { view: 'compare' } : {});
  }

  private async details(textDocument: { uri: string }, data: ReportData, index: number) {
    const row = data.cases[index];
    if (!row) return null;
    const asked = { textDocument, run: data.run.id, base: data.comparison?.base.id, suite: data.suites[row.suite], case: row.id, target: data.targets[row.target] };
    return (await this.client?.sendRequest(caseOfRun, asked).catch(() => null)) ?? null;
  }
}
