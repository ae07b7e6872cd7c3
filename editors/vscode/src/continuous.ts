/** Continuous runs, for who asked for them: on save, the cases of the saved suite that have not passed as they stand. */

import * as vscode from 'vscode';
import { SUITES } from './client';
import { RunWish } from './protocol';

export interface Suites {
  run(wish: RunWish, token: vscode.CancellationToken): Promise<void>;
  /** The cases that stand in a file. */
  casesIn(uri: string): Promise<string[]>;
  busy(): boolean;
}

export class Continuous implements vscode.Disposable {
  private readonly listeners = new Set<vscode.Disposable>();

  constructor(private readonly suites: Suites) {}

  /** Until `token` says stop. Nothing is run before the first save: models cost money. */
  begin(wish: RunWish, token: vscode.CancellationToken): void {
    const listener = vscode.workspace.onDidSaveTextDocument((document) => {
      if (vscode.languages.match(SUITES, document) && !this.suites.busy()) {
        void this.again(wish, document.uri.toString(), token);
      }
    });
    this.listeners.add(listener);
    token.onCancellationRequested(() => {
      listener.dispose();
      this.listeners.delete(listener);
    });
  }

  dispose(): void {
    this.listeners.forEach((listener) => listener.dispose());
  }

  private async again(wish: RunWish, saved: string, token: vscode.CancellationToken): Promise<void> {
    const wished = (id: string) => !wish.include || wish.include.some((each) => id === each || id.startsWith(`${each}::`) || each.startsWith(`${id}::`));
    const include = (await this.suites.casesIn(saved)).filter(wished);
    if (include.length) {
      await this.suites.run({ ...wish, include, lacking: true }, token);
    }
  }
}
