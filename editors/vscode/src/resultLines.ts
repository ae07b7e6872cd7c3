/**
 * Results at the ends of their lines, in the extension's own colours: VS Code has a single colour for all inlay hints, which is
 * too pale in its light themes. The texts are the server's inlay hints, as in every editor.
 *
 * With a screen reader, they stay inlay hints: VS Code reads those with their line, but not decorations.
 */

import * as vscode from 'vscode';
import { InlayHint, InlayHintRequest } from 'vscode-languageclient/node';
import { RubricClient, WITH_RESULTS } from './client';

export const STATES = ['passed', 'borderline', 'failed', 'unscored', 'stale', 'running'] as const;
export type State = (typeof STATES)[number];

/** A result as it is shown. */
export interface ResultLine {
  line: number;
  text: string;
  state: State;
  tooltip?: string;
}

/** The delay for further events, in milliseconds, while the user types or scrolls. */
const PAUSE_MS = 60;
/** Two spaces that are not drawn as one. */
const WIDE = '\u00a0\u00a0';
/** Lines around those that are seen, so that scrolling finds them drawn. */
const MARGIN = 60;

export class ResultLines implements vscode.Disposable {
  private readonly types = Object.fromEntries(STATES.map((state) => [state, decoration(state)])) as Record<State, vscode.TextEditorDecorationType>;
  private readonly hover = vscode.window.createTextEditorDecorationType({});
  private readonly shown = new Map<string, ResultLine[]>();
  private readonly waiting = new Map<vscode.TextEditor, NodeJS.Timeout>();
  private readonly followed = new WeakSet<object>();
  private readonly listeners: vscode.Disposable[];
  private client: RubricClient | undefined;

  constructor() {
    const soon = (editor: vscode.TextEditor) => this.soon(editor, PAUSE_MS);
    this.listeners = [
      vscode.window.onDidChangeVisibleTextEditors((editors) => editors.forEach((editor) => this.soon(editor))),
      vscode.window.onDidChangeTextEditorVisibleRanges(({ textEditor }) => soon(textEditor)),
      vscode.workspace.onDidChangeTextDocument(({ document }) => this.editorsOf(document).forEach(soon)),
      vscode.workspace.onDidChangeConfiguration((change) => change.affectsConfiguration('editor.accessibilitySupport') && this.all()),
    ];
  }

  connect(client: RubricClient): void {
    this.client = client;
    this.all();
  }

  /** The server has ended, perhaps for good: no run is in progress. */
  disconnect(): void {
    this.client = undefined;
    vscode.window.visibleTextEditors.forEach((editor) => this.draw(editor, this.of(editor.document.uri).flatMap(atRest)));
  }

  /** Of the hints of a document those that VS Code has to show. */
  others(hints: vscode.InlayHint[]): vscode.InlayHint[] {
    return isReadAloud() ? hints : hints.filter((hint) => stateOf(hint) === undefined);
  }

  /** The lines shown for a document now. */
  of(uri: vscode.Uri): readonly ResultLine[] {
    return this.shown.get(uri.toString()) ?? [];
  }

  dispose(): void {
    this.waiting.forEach((timer) => clearTimeout(timer));
    [...this.listeners, ...Object.values(this.types), this.hover].forEach((each) => each.dispose());
  }

  private all(): void {
    vscode.window.visibleTextEditors.forEach((editor) => this.soon(editor));
  }

  private editorsOf(document: vscode.TextDocument): vscode.TextEditor[] {
    return vscode.window.visibleTextEditors.filter((editor) => editor.document === document);
  }

  private soon(editor: vscode.TextEditor, pause = 0): void {
    if (!this.client || !vscode.languages.match(WITH_RESULTS, editor.document)) {
      return;
    }
    clearTimeout(this.waiting.get(editor));
    this.waiting.set(
      editor,
      setTimeout(() => {
        this.waiting.delete(editor);
        void this.look(editor);
      }, pause),
    );
  }

  private async look(editor: vscode.TextEditor): Promise<void> {
    const { document } = editor;
    this.follow(document);
    const { version } = document;
    const { client } = this;
    const lines = isReadAloud() ? [] : await this.ask(document, seen(editor));
    if (lines && this.client === client && document.version === version && vscode.window.visibleTextEditors.includes(editor)) {
      this.draw(editor, lines);
    }
  }

  private async ask(document: vscode.TextDocument, range: vscode.Range): Promise<ResultLine[] | undefined> {
    const { client } = this;
    if (!client?.isReady) {
      return undefined;
    }
    const { code2ProtocolConverter: convert } = client;
    const wanted = { textDocument: convert.asTextDocumentIdentifier(document), range: convert.asRange(range) };
    const hints = await client.sendRequest(InlayHintRequest.type, wanted).catch(() => undefined);
    return hints?.flatMap((hint) => lineOf(hint) ?? []);
  }

  /** Refresh whenever the server reports changed hints. */
  private follow(document: vscode.TextDocument): void {
    const provider = this.client?.getFeature(InlayHintRequest.method)?.getProvider(document);
    if (provider && !this.followed.has(provider)) {
      this.followed.add(provider);
      this.listeners.push(provider.onDidChangeInlayHints.event(() => this.all()));
    }
  }

  private draw(editor: vscode.TextEditor, lines: ResultLine[]): void {
    const { document } = editor;
    const there = lines.filter(({ line }) => line < document.lineCount);
    const end = ({ line }: ResultLine) => document.lineAt(line).range.end;
    for (const state of STATES) {
      const own = there.filter((each) => each.state === state);
      editor.setDecorations(
        this.types[state],
        own.map((each) => ({ range: new vscode.Range(end(each), end(each)), renderOptions: { after: { contentText: each.text.replaceAll('  ', WIDE) } } })),
      );
    }
    const told = there.filter(({ tooltip }) => tooltip);
    const last = (each: ResultLine) => new vscode.Range(end(each).translate(0, end(each).character ? -1 : 0), end(each));
    editor.setDecorations(
      this.hover,
      told.map((each) => ({ range: last(each), hoverMessage: new vscode.MarkdownString().appendText(each.tooltip ?? '') })),
    );
    this.shown.set(document.uri.toString(), there);
  }
}

function decoration(state: State): vscode.TextEditorDecorationType {
  const color = new vscode.ThemeColor(`rubric.${state}Foreground`);
  return vscode.window.createTextEditorDecorationType({
    isWholeLine: true, // what is typed at the end of the line stands before it
    rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
    after: { color, margin: '0 0 0 1.5ch' },
  });
}

const isReadAloud = () => vscode.workspace.getConfiguration('editor').get('accessibilitySupport') === 'on';

/** A result without the progress of a run; empty if there is nothing else. */
function atRest(line: ResultLine): ResultLine[] {
  return line.state === 'running' ? [] : [{ ...line, text: line.text.replace(/\s*⟳.*$/, '') }];
}

function seen({ visibleRanges, document }: vscode.TextEditor): vscode.Range {
  const first = Math.min(...visibleRanges.map(({ start }) => start.line), document.lineCount);
  const last = Math.max(...visibleRanges.map(({ end }) => end.line), 0);
  return document.validateRange(new vscode.Range(Math.max(0, first - MARGIN), 0, last + MARGIN, 0));
}

function stateOf(hint: unknown): State | undefined {
  const state = (hint as { data?: { state?: unknown } }).data?.state;
  return STATES.find((each) => each === state);
}

function lineOf(hint: InlayHint): ResultLine | undefined {
  const state = stateOf(hint);
  if (!state || typeof hint.label !== 'string') {
    return undefined;
  }
  const tooltip = typeof hint.tooltip === 'string' ? hint.tooltip : hint.tooltip?.value;
  return { line: hint.position.line, text: hint.label, state, tooltip };
}
