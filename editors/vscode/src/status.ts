/** The item in the status bar: the suite's dialect, its target, and running cases. A click opens the menu. */

import * as vscode from 'vscode';
import { OURS, SUITES } from './client';
import { Explorer } from './explorer';
import { Condition, Launcher } from './launcher';
import { About, aboutSuite } from './protocol';

/** How long after the last edit the server is asked again, in milliseconds. */
const IDLE_MS = 400;

type Choice = vscode.QuickPickItem & { run?: () => Thenable<unknown> | Promise<unknown> | void };

/** The colour of states that need attention: the server could not be started, or has to be set up. */
const BACKGROUNDS: Partial<Record<Condition, string>> = { failed: 'statusBarItem.errorBackground', missing: 'statusBarItem.warningBackground' };

const execute = (name: string) => () => vscode.commands.executeCommand(name);

export class StatusBar implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem('rubric.status', vscode.StatusBarAlignment.Right, 90);
  private readonly listeners: vscode.Disposable[];
  private about: { uri: string; about: About } | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly launcher: Launcher,
    private readonly explorer: Explorer,
  ) {
    this.item.name = 'Rubric';
    this.item.command = 'rubric.menu';
    const show = () => this.show();
    const look = () => this.look();
    this.listeners = [
      launcher.onDidChangeStatus(show),
      launcher.onDidStart(look),
      explorer.runs.onDidChange(() => (explorer.runs.going ? this.show() : this.look())), // a run may have been the first
      vscode.window.onDidChangeActiveTextEditor(look),
      vscode.workspace.onDidChangeTextDocument(({ document }) => document === this.suite && this.look(IDLE_MS)),
      vscode.workspace.onDidSaveTextDocument(look), // of targets, too
      vscode.commands.registerCommand('rubric.menu', () => this.menu()),
    ];
    this.look();
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.listeners.forEach((listener) => listener.dispose());
    this.item.dispose();
  }

  private get suite(): vscode.TextDocument | undefined {
    const document = vscode.window.activeTextEditor?.document;
    return document && vscode.languages.match(SUITES, document) ? document : undefined;
  }

  /** The server's facts about the active suite. */
  private get known(): About | undefined {
    return this.about?.uri === this.suite?.uri.toString() ? this.about?.about : undefined;
  }

  /** Request the facts about the suite, and show them. */
  private look(afterMs = 0): void {
    this.show();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.ask(), typeof afterMs === 'number' ? afterMs : 0);
  }

  private async ask(): Promise<void> {
    const uri = this.suite?.uri.toString();
    const client = this.launcher.ready;
    if (uri && client?.hasTests) {
      const about = await client.sendRequest(aboutSuite, { textDocument: { uri } }).catch(() => null);
      this.about = about ? { uri, about } : undefined;
      this.show();
    }
  }

  private show(): void {
    const { going } = this.explorer.runs;
    const { condition, words } = this.launcher.status;
    const { known } = this;
    const isOurs = this.suite && (known || vscode.languages.match(OURS, this.suite));
    if (!isOurs && !going && condition !== 'missing') {
      this.item.hide();
      return;
    }
    const [icon, text] = {
      starting: ['loading~spin', words],
      missing: ['circle-slash', words],
      failed: ['error', words],
      running: going ? ['loading~spin', `${going.done}/${going.of}`] : ['beaker', known ? [known.dialect, known.target].filter(Boolean).join(' · ') : ''],
    }[condition];
    this.item.text = `$(${icon}) ${condition === 'running' ? text || 'Rubric' : `Rubric: ${text}`}`;
    this.item.backgroundColor = BACKGROUNDS[condition] && new vscode.ThemeColor(BACKGROUNDS[condition]);
    this.item.tooltip = this.tooltip(known);
    this.item.accessibilityInformation = { label: `Rubric: ${going ? `running, ${text} cases done` : text || words}` };
    this.item.show();
  }

  private tooltip(known: About | undefined): vscode.MarkdownString {
    const { words, from } = this.launcher.status;
    const restricted = !vscode.workspace.isTrusted;
    const rows = known && [
      ['Dialect', `${known.dialect} (${known.because})`],
      ['Target', known.target || 'none'],
      ['Judge', known.judge || 'none: recordings only'],
      ['Runs', restricted ? 'not in Restricted Mode' : known.trusted ? 'allowed, the folder is trusted' : 'says what it would do, and asks'],
    ];
    const table = rows ? `| | |\n|---|---|\n${rows.map(([name, value]) => `| ${name} | ${escaped(value)} |`).join('\n')}` : '';
    const server = `Server: ${words}${from ? `, from ${from}` : ''}`;
    return new vscode.MarkdownString([table, server, '_Click for the menu_'].filter(Boolean).join('\n\n'));
  }

  private async menu(): Promise<void> {
    const chosen = await vscode.window.showQuickPick(this.choices(), { title: 'Rubric', placeHolder: this.launcher.status.words });
    await chosen?.run?.();
  }

  private choices(): Choice[] {
    const suite = this.suite !== undefined;
    const restricted = !vscode.workspace.isTrusted;
    const ready = this.launcher.ready !== undefined;
    const missing = this.launcher.status.condition === 'missing';
    const wanted: [boolean, Choice[]][] = [
      [missing, [{ label: '$(cloud-download) Set up the language server', run: () => this.launcher.setUp() }]],
      [this.explorer.runs.going !== undefined, [{ label: '$(debug-stop) Cancel', run: execute('rubric.cancel') }]],
      [restricted, [{ label: '$(shield) Manage Workspace Trust', detail: 'Cases are not run in Restricted Mode', run: execute('workbench.trust.manage') }]],
      [suite && ready && !restricted, RUN],
      [suite && ready && !restricted && this.known?.trusted === false, [TRUST]],
      [suite && ready, RESULTS],
      [true, SERVER],
    ];
    return wanted.flatMap(([shown, choices]) => (shown ? choices : []));
  }
}

const escaped = (text: string) => text.replace(/\s+/gu, ' ').replace(/[\\`*_{}[\]()#+|<>!~@&:-]/g, '\\$&');
const separator = (label: string): Choice => ({ label, kind: vscode.QuickPickItemKind.Separator });

const RUN: Choice[] = [
  separator('run'),
  { label: '$(play) Run case', description: 'at the cursor', run: execute('rubric.runCase') },
  { label: '$(run-all) Run every case of this file', run: execute('rubric.runFile') },
  { label: '$(run-errors) Run failed cases', run: execute('rubric.runFailed') },
];
const TRUST: Choice = { label: '$(shield) Trust this folder', description: 'each run asks first', run: execute('rubric.trust') };
const RESULTS: Choice[] = [
  separator('results'),
  { label: '$(graph) Open report', description: 'of the case at the cursor', run: execute('rubric.openReport') },
  { label: '$(pulse) Open the report of the last run', run: execute('rubric.openRunReport') },
  { label: '$(git-compare) Compare with the last run', run: execute('rubric.compareRuns') },
  { label: '$(clear-all) Clear results', run: execute('rubric.clearResults') },
];
const SERVER: Choice[] = [
  separator('language server'),
  { label: '$(symbol-enum) Set the dialect', run: () => vscode.commands.executeCommand('workbench.action.openSettings', 'rubric.dialect') },
  { label: '$(gear) Settings', run: () => vscode.commands.executeCommand('workbench.action.openSettings', '@ext:rubric.rubric') },
  { label: '$(output) Show the output', run: execute('rubric.showOutput') },
  { label: '$(debug-restart) Restart', run: execute('rubric.restartServer') },
];
