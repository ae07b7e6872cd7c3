/** Starts the language server, and adds views that only VS Code has. All other features come from the server. */

import * as vscode from 'vscode';
import { Commands } from './commands';
import { Texts } from './documents';
import { Explorer } from './explorer';
import { onPythonSelected } from './find';
import { SuiteLanguage } from './language';
import { Launcher } from './launcher';
import { newSuite } from './newSuite';
import { showReferences } from './references';
import { Reports } from './report';
import { ResultLine, ResultLines } from './resultLines';
import { RunReports } from './runReport';
import { StatusBar } from './status';
import { Walkthrough } from './walkthrough';

let running: Launcher | undefined;

/** For other extensions: the texts at the ends of a suite's lines. */
export interface Api {
  resultsOf(uri: vscode.Uri): readonly ResultLine[];
}

export function activate(context: vscode.ExtensionContext): Api {
  const lines = new ResultLines();
  const explorer: Explorer = new Explorer(() => launcher.whenReady(), context.extensionPath);
  const launcher = new Launcher(context, { hints: (hints) => lines.others(hints) });
  const texts = new Texts();
  const reports = new Reports(context, texts);
  const runReports = new RunReports();
  const walkthrough = new Walkthrough();
  const language = new SuiteLanguage(() => launcher.whenReady());
  const status = new StatusBar(launcher, explorer);
  const commands = new Commands(launcher, explorer, reports, texts);
  context.subscriptions.push(launcher, explorer, language, lines, texts, reports, status, ...commands.register(), ...reasonsToRestart(launcher));
  context.subscriptions.push(
    vscode.commands.registerCommand('rubric.restartServer', () => launcher.restart()),
    vscode.commands.registerCommand('rubric.showOutput', () => launcher.output.show()),
    vscode.commands.registerCommand('rubric.newSuite', () => newSuite(() => launcher.whenReady())),
    vscode.commands.registerCommand('rubric.showReferences', showReferences),
    vscode.commands.registerCommand('rubric.openRunReport', () => runReports.show(false)),
    vscode.commands.registerCommand('rubric.compareRuns', () => runReports.show(true)),
    vscode.commands.registerCommand('rubric.peekFailure', () => explorer.peekFailure()),
    walkthrough,
    vscode.workspace.onDidOpenTextDocument((document) => document.languageId === 'eval-yaml' && walkthrough.achieved('suite')),
    explorer.runs.onDidChange(() => explorer.runs.going && walkthrough.achieved('run')),
    launcher.onWillStart((client) => explorer.listen(client)),
    launcher.onDidStart((client) => {
      walkthrough.achieved('server');
      explorer.connect(client);
      lines.connect(client);
      reports.connect(client);
      runReports.connect(client);
      language.lookAtAll();
    }),
    launcher.onDidEnd(({ crashed }) => {
      explorer.disconnect(crashed);
      lines.disconnect();
      reports.disconnect();
      runReports.disconnect();
    }),
    explorer.runs.onDidUpdate(({ testId }) => reports.changed(testId)),
  );
  if (vscode.workspace.textDocuments.some((document) => document.languageId === 'eval-yaml')) {
    walkthrough.achieved('suite');
  }
  running = launcher;
  void launcher.restart();
  return { resultsOf: (uri) => lines.of(uri) };
}

export async function deactivate(): Promise<void> {
  await running?.stop();
}

function reasonsToRestart(launcher: Launcher): vscode.Disposable[] {
  const listeners = [
    vscode.workspace.onDidGrantWorkspaceTrust(() => launcher.restart()),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration('rubric.server')) {
        void launcher.restart();
      }
    }),
  ];
  if (vscode.workspace.isTrusted) {
    void onPythonSelected(() => launcher.restartIfMoved()).then((listener) => listener && listeners.push(listener));
  }
  return [{ dispose: () => listeners.forEach((listener) => listener.dispose()) }];
}
