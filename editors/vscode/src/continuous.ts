/** Continuous runs, if enabled: on save, the cases of the saved suite without an up-to-date pass. */

import * as vscode from 'vscode';
import { SUITES } from './client';
import { RunWish } from './protocol';

export interface Suites {
  /** Something began to run or ended. */
  readonly onDidChange: vscode.Event<void>;
  run(wish: RunWish, token: vscode.CancellationToken): Promise<void>;
  /** The cases in a file. */
  casesIn(uri: string): Promise<string[]>;
  busy(): boolean;
  /** Whether a file's suite may be run without asking. */
  allowed(uri: string): Promise<boolean>;
}

/** One continuous run, from its beginning until it is turned off. */
interface Session {
  wish: RunWish;
  token: vscode.CancellationToken;
  /** Files that were saved, and whose cases wait until nothing else runs. */
  saved: Set<string>;
  going: boolean;
  /** How often an untrusted folder was reported: once by a question, once by a message, and no more. */
  told: number;
}

export class Continuous implements vscode.Disposable {
  private readonly listeners = new Set<vscode.Disposable>();

  constructor(private readonly suites: Suites) {}

  /** Until `token` is cancelled. Nothing runs before the first save: models cost money. */
  begin(wish: RunWish, token: vscode.CancellationToken): void {
    const session: Session = { wish, token, saved: new Set(), going: false, told: 0 };
    const listener = vscode.Disposable.from(
      vscode.workspace.onDidSaveTextDocument((document) => {
        if (vscode.languages.match(SUITES, document)) {
          session.saved.add(document.uri.toString());
          void this.go(session);
        }
      }),
      this.suites.onDidChange(() => void this.go(session)),
    );
    this.listeners.add(listener);
    token.onCancellationRequested(() => {
      listener.dispose();
      this.listeners.delete(listener);
    });
  }

  dispose(): void {
    this.listeners.forEach((listener) => listener.dispose());
  }

  /** Run the saved files one after another, as soon as nothing else runs. */
  private async go(session: Session): Promise<void> {
    if (session.going) {
      return;
    }
    session.going = true;
    try {
      while (session.saved.size && !session.token.isCancellationRequested && !this.suites.busy()) {
        const [uri] = session.saved;
        session.saved.delete(uri);
        await this.again(session, uri);
      }
    } finally {
      session.going = false;
    }
  }

  private async again(session: Session, saved: string): Promise<void> {
    const { wish, token } = session;
    const wished = (id: string) => !wish.include || wish.include.some((each) => id === each || id.startsWith(`${each}::`) || each.startsWith(`${id}::`));
    const include = (await this.suites.casesIn(saved)).filter(wished);
    if (include.length && ((await this.suites.allowed(saved)) || this.mayAsk(session, saved))) {
      await this.suites.run({ ...wish, include, lacking: true }, token);
    }
  }

  /** Nobody wants to be asked on every save. */
  private mayAsk(session: Session, saved: string): boolean {
    session.told += 1;
    if (session.told === 2) {
      const trust = 'Trust This Folder';
      const text = 'Cases are not run on save: their folder is not trusted, and each run would have to ask.';
      void vscode.window.showWarningMessage(text, trust).then((chosen) => chosen && vscode.commands.executeCommand('rubric.trust', saved));
    }
    return session.told === 1;
  }
}
