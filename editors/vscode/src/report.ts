/** The report of a case, beside its suite. It follows the case: another run, an edit, another theme. */

import * as vscode from 'vscode';
import { RubricClient } from './client';
import { Texts } from './documents';
import { Report, reportOf } from './protocol';
import { page } from './view/page';

const TYPE = 'rubric.report';
const WAIT_MS = 150;

type Ask = { command: string; line?: number };

/** The state of the page, to restore it when the window is reopened. */
interface Kept {
  testId: string;
  caseId: string;
}

export class Reports implements vscode.Disposable {
  private readonly open = new Map<string, Panel>();
  private client: RubricClient | undefined;

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly texts: Texts,
  ) {
    context.subscriptions.push(
      vscode.window.registerWebviewPanelSerializer(TYPE, {
        deserializeWebviewPanel: async (panel: vscode.WebviewPanel, kept: Kept | undefined) => {
          if (kept?.testId) {
            this.adopt(panel, kept);
          } else {
            panel.dispose();
          }
        },
      }),
    );
  }

  connect(client: RubricClient): void {
    this.client = client;
    this.open.forEach((panel) => panel.refresh());
  }

  disconnect(): void {
    this.client = undefined;
  }

  /** Show the report of a case; without a result the page says so and waits for one. */
  show(uri: string, caseId: string): void {
    const testId = `${uri}::${caseId}`;
    const known = this.open.get(testId);
    if (known) {
      known.reveal();
      return;
    }
    const column = vscode.ViewColumn.Beside;
    const panel = vscode.window.createWebviewPanel(TYPE, title(caseId), { viewColumn: column, preserveFocus: false }, options());
    this.adopt(panel, { testId, caseId });
  }

  /** Something became known of a test: of a case, or of a part of it. */
  changed(testId: string): void {
    for (const [id, panel] of this.open) {
      if (testId === id || testId.startsWith(`${id}::`)) {
        panel.refresh();
      }
    }
  }

  async of(uri: string, caseId: string): Promise<Report | null> {
    return (await this.client?.sendRequest(reportOf, { testId: `${uri}::${caseId}` })) ?? null;
  }

  dispose(): void {
    this.open.forEach((panel) => panel.dispose());
  }

  private adopt(webview: vscode.WebviewPanel, kept: Kept): void {
    const ask = () => this.client?.sendRequest(reportOf, { testId: kept.testId });
    const panel = new Panel(webview, kept, ask, this.texts, this.context.extensionUri);
    this.open.set(kept.testId, panel);
    webview.onDidDispose(() => this.open.delete(kept.testId));
  }
}

class Panel {
  private report: Report | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly panel: vscode.WebviewPanel,
    private readonly kept: Kept,
    private readonly ask: () => Promise<Report | null> | undefined,
    private readonly texts: Texts,
    extension: vscode.Uri,
  ) {
    panel.webview.options = options();
    panel.title = title(kept.caseId);
    panel.iconPath = vscode.Uri.joinPath(extension, 'images', 'icon.png');
    panel.webview.onDidReceiveMessage((message: Ask) => void this.asked(message));
    panel.onDidDispose(() => clearTimeout(this.timer));
    panel.webview.html = page(title(kept.caseId), kept);
  }

  /** Ask the server again, once for changes that come together. */
  refresh(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.load(), WAIT_MS);
  }

  reveal(): void {
    this.panel.reveal(undefined, false);
  }

  dispose(): void {
    this.panel.dispose();
  }

  private async load(): Promise<void> {
    const report = await this.ask()?.catch(() => undefined);
    if (report !== undefined) {
      this.report = report ?? undefined;
      await this.panel.webview.postMessage({ report });
    }
  }

  private async asked({ command, line }: Ask): Promise<void> {
    const suite = this.kept.testId.slice(0, -`::${this.kept.caseId}`.length);
    const run = (name: string) => vscode.commands.executeCommand(name, suite, this.kept.caseId);
    const acts: Record<string, () => unknown> = {
      ready: () => this.load(),
      run: () => run('rubric.runCase'),
      copy: () => run('rubric.copyCommand'),
      prompt: () => run('rubric.openPrompt'),
      answer: () => run('rubric.openAnswer'),
      reply: () => run('rubric.openReply'),
      diff: () => this.report && this.texts.compare(this.report),
      suite: () => this.showSuite(vscode.Uri.parse(suite), line ?? this.report?.range?.start.line ?? 0),
    };
    await acts[command]?.();
  }

  private async showSuite(uri: vscode.Uri, line: number): Promise<void> {
    const shown = vscode.window.tabGroups.all.find((group) => group.tabs.some((tab) => tab.input instanceof vscode.TabInputText && tab.input.uri.toString() === uri.toString()));
    await vscode.window.showTextDocument(uri, { selection: new vscode.Range(line, 0, line, 0), viewColumn: shown?.viewColumn ?? vscode.ViewColumn.One });
  }
}

const options = (): vscode.WebviewOptions => ({ enableScripts: true, localResourceRoots: [] });
const title = (caseId: string) => `Report: ${caseId}`;
