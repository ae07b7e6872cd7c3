/** The references of a lens that counts them, as VS Code lists them. */

import * as vscode from 'vscode';
import { Location, Position } from 'vscode-languageclient/node';

const place = ({ line, character }: Position): vscode.Position => new vscode.Position(line, character);

export async function showReferences(uri: string, at: Position, found: Location[]): Promise<void> {
  const places = found.map(
    ({ uri: where, range }) => new vscode.Location(vscode.Uri.parse(where), new vscode.Range(place(range.start), place(range.end))),
  );
  await vscode.commands.executeCommand('editor.action.showReferences', vscode.Uri.parse(uri), place(at), places);
}
