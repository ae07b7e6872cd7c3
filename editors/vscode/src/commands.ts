/** The server's commands, for the palette, menus, lenses and code actions alike. */

import * as vscode from 'vscode';
import { CodeAction, CodeActionRequest, CodeActionTriggerKind, Command } from 'vscode-languageclient/node';
import { RubricClient, Refusal, SUITES } from './client';
import { Texts } from './documents';
import { Explorer } from './explorer';
import { Launcher } from './launcher';
import { Reports } from './report';
import { Place } from './tree';
import { mayRun } from './trust';

type About = 'file' | 'case' | 'evaluator';

/** The subject of each command of the server; missing arguments come from the cursor. */
export const SERVER_COMMANDS: Record<string, About> = {
  'rubric.runCase': 'case',
  'rubric.runEvaluator': 'evaluator',
  'rubric.runFile': 'file',
  'rubric.runFailed': 'file',
  'rubric.runUnscored': 'file',
  'rubric.runAgain': 'file',
  'rubric.repeat': 'case',
  'rubric.record': 'case',
  'rubric.cancel': 'file',
  'rubric.clearResults': 'file',
  'rubric.openReport': 'case',
  'rubric.copyCommand': 'case',
  'rubric.openAnswer': 'case',
  'rubric.openPrompt': 'case',
  'rubric.openReply': 'case',
  'rubric.openTrace': 'case',
  'rubric.diffAnswer': 'case',
  'rubric.trust': 'file',
};

/** Those that run something, or allow it: not in Restricted Mode. */
const RUNS = new Set(['rubric.runCase', 'rubric.runEvaluator', 'rubric.runFile', 'rubric.runFailed', 'rubric.runUnscored', 'rubric.runAgain', 'rubric.repeat', 'rubric.record', 'rubric.trust']);

/** Commands that VS Code handles itself, instead of the server. */
type Shown = (client: RubricClient, place: Required<Pick<Place, 'uri' | 'caseId'>>) => Promise<unknown>;

export class Commands {
  private readonly shown: Record<string, Shown>;

  constructor(
    private readonly launcher: Launcher,
    private readonly explorer: Explorer,
    private readonly reports: Reports,
    texts: Texts,
  ) {
    this.shown = {
      'rubric.openReport': async (_, { uri, caseId }) => this.reports.show(uri, caseId),
      'rubric.copyCommand': async (client, { uri, caseId }) => {
        const line = await client.execute('rubric.copyCommand', [uri, caseId]);
        await vscode.env.clipboard.writeText(String(line));
        vscode.window.setStatusBarMessage(`Copied: ${line}`, 4000);
      },
      'rubric.diffAnswer': async (_, { uri, caseId }) => {
        const report = await this.reports.of(uri, caseId);
        return report ? texts.compare(report) : vscode.window.showInformationMessage(`The case ${caseId} has no result yet.`);
      },
    };
  }

  register(): vscode.Disposable[] {
    return Object.keys(SERVER_COMMANDS).map((name) => vscode.commands.registerCommand(name, (...args) => this.execute(name, args)));
  }

  private async execute(name: string, args: unknown[]): Promise<unknown> {
    if (RUNS.has(name) && !(await mayRun())) {
      return undefined;
    }
    const client = await this.launcher.whenReady();
    const place = client && (await this.place(client, name, args));
    if (!client || !place) {
      return undefined;
    }
    try {
      const { uri, caseId } = place;
      const show = this.shown[name];
      if (show && caseId) {
        return await show(client, { uri, caseId });
      }
      return await this.ask(client, name, place, args[2]);
    } catch (error) {
      if (error instanceof Refusal) {
        return this.refused(name, place, args, error.message);
      }
      throw error;
    }
  }

  /** Say why; what has no file yet can be saved and then run. */
  private async refused(name: string, place: Place, args: unknown[], why: string): Promise<unknown> {
    const unsaved = vscode.workspace.textDocuments.find(({ uri, isUntitled }) => isUntitled && uri.toString() === place.uri);
    const offered = unsaved && RUNS.has(name) ? ['Save and run'] : [];
    const chosen = await vscode.window.showWarningMessage(why, ...offered);
    const saved = chosen && unsaved && (await vscode.workspace.save(unsaved.uri));
    return saved ? this.execute(name, [saved.toString(), ...args.slice(1)]) : undefined;
  }

  private async ask(client: RubricClient, name: string, { uri, caseId, evaluator }: Place, more: unknown): Promise<unknown> {
    const about = SERVER_COMMANDS[name];
    const given: unknown[] = about === 'file' ? [uri] : about === 'case' ? [uri, caseId] : [uri, caseId, evaluator];
    if (name === 'rubric.repeat') {
      const times = typeof more === 'number' ? more : await howOften();
      return times && client.execute(name, [...given, times]);
    }
    return client.execute(name, given);
  }

  // -- where -----------------------------------------------------------------------------------------------------------

  /** The subject of a command; shows a message if there is none. */
  private async place(client: RubricClient, name: string, args: unknown[]): Promise<Place | undefined> {
    const about = SERVER_COMMANDS[name];
    const given = this.given(args);
    if (given && (about === 'file' || given.caseId) && (about !== 'evaluator' || given.evaluator)) {
      return given;
    }
    const editor = suiteEditor();
    if (!editor) {
      return undefined;
    }
    const uri = client.code2ProtocolConverter.asUri(editor.document.uri);
    if (about === 'file') {
      return { uri };
    }
    const commands = await runsAt(client, editor);
    const fits = about === 'evaluator' ? (each: Command) => each.command === 'rubric.runEvaluator' : isOfCase;
    // In a case file they refer to the suite that includes it.
    const [suite, caseId, evaluator] = (commands.find(fits)?.arguments ?? []) as string[];
    if (!caseId) {
      void vscode.window.showInformationMessage(`There is no ${about} at the cursor.`);
      return undefined;
    }
    return { uri: suite, caseId, evaluator };
  }

  private given([first, caseId, evaluator]: unknown[]): Place | undefined {
    if (typeof first === 'string') {
      return { uri: first, caseId: text(caseId), evaluator: text(evaluator) };
    }
    if (first instanceof vscode.Uri) {
      return { uri: first.toString() };
    }
    // Menus of the Test Explorer give an item, those of its messages an object with one.
    const item = (first as { test?: unknown } | undefined)?.test ?? first;
    return isItem(item) ? this.explorer.placeOf(item) : undefined;
  }
}

/** The server knows where cases begin: it offers code actions for the one at the cursor. */
async function runsAt(client: RubricClient, editor: vscode.TextEditor): Promise<Command[]> {
  const { code2ProtocolConverter: convert } = client;
  const actions = await client.sendRequest(CodeActionRequest.type, {
    textDocument: convert.asTextDocumentIdentifier(editor.document),
    range: convert.asRange(new vscode.Range(editor.selection.active, editor.selection.active)),
    context: { diagnostics: [], only: ['rubric.run'], triggerKind: CodeActionTriggerKind.Invoked },
  });
  return (actions ?? []).flatMap((action) => (CodeAction.is(action) ? (action.command ?? []) : action));
}

const isOfCase = ({ command, arguments: args }: Command) => SERVER_COMMANDS[command] === 'case' && args?.length !== undefined && args.length > 1;
const text = (value: unknown) => (typeof value === 'string' ? value : undefined);
const isItem = (value: unknown): value is vscode.TestItem => typeof (value as vscode.TestItem | undefined)?.children === 'object';

async function howOften(): Promise<number | undefined> {
  const told = await vscode.window.showInputBox({
    prompt: 'How many times should the case run?',
    value: '5',
    validateInput: (value) => (/^[1-9]\d?$/.test(value.trim()) ? undefined : 'A number from 1 to 99'),
  });
  return told === undefined ? undefined : Number(told);
}

/** The active suite; shows a message if there is none. */
export function suiteEditor(): vscode.TextEditor | undefined {
  const editor = vscode.window.activeTextEditor;
  if (editor && vscode.languages.match(SUITES, editor.document)) {
    return editor;
  }
  void vscode.window.showInformationMessage('Open an evaluation suite first, such as a *.eval.yaml file.');
  return undefined;
}
