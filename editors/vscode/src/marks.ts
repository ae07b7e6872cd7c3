/**
 * The lines on which VS Code shows the message of a failed test. The server's hint would say the same again there.
 *
 * As in VS Code, they are those of the latest run only; a message moves with its line, and goes when the line is edited.
 */

import * as vscode from 'vscode';

interface Mark {
  uri: string;
  line: number;
}

export class Marks implements vscode.Disposable {
  private readonly byTest = new Map<string, Mark[]>();
  private readonly listener = vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
    contentChanges.forEach((change) => this.edited(document.uri.toString(), change));
  });

  put(testId: string, messages: vscode.TestMessage[]): void {
    const places = messages.flatMap(({ location }) => location ?? []);
    this.byTest.set(
      testId,
      places.map(({ uri, range }) => ({ uri: uri.toString(), line: range.start.line })),
    );
  }

  /** Another run begins, whose messages take the place of all others. */
  clear(): void {
    this.byTest.clear();
  }

  /** Whether a message of a test is shown. */
  has(testId: string): boolean {
    return Boolean(this.byTest.get(testId)?.length);
  }

  remove(testId: string): void {
    this.byTest.delete(testId);
  }

  /** Hints without those on lines that have a message. */
  without(document: vscode.TextDocument, hints: vscode.InlayHint[]): vscode.InlayHint[] {
    const uri = document.uri.toString();
    const marks = [...this.byTest.values()].flat().filter((mark) => mark.uri === uri);
    const taken = new Set(marks.map((mark) => mark.line));
    return hints.filter((hint) => !taken.has(hint.position.line));
  }

  dispose(): void {
    this.listener.dispose();
  }

  private edited(uri: string, { range, text }: vscode.TextDocumentContentChangeEvent): void {
    const moved = text.split('\n').length - 1 - (range.end.line - range.start.line);
    for (const [testId, marks] of this.byTest) {
      const kept = marks.filter((mark) => mark.uri !== uri || mark.line < range.start.line || mark.line > range.end.line);
      kept.filter((mark) => mark.uri === uri && mark.line > range.end.line).forEach((mark) => (mark.line += moved));
      this.byTest.set(testId, kept);
    }
  }
}
