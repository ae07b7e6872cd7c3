/** Setting up the server that the extension carries: asked once, until it is answered, with progress, and a way out. */

import * as vscode from 'vscode';
import { PrivateEnvironment } from './environment';
import { openSetting } from './telling';

const CONSENTED = 'rubric.setUp';

export class Setup {
  private going = false;

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly own: PrivateEnvironment,
  ) {}

  /** Ask before the setup, unless the user agreed before, which applies to later versions, too. Throws NoPython, SetupFailed. */
  async agreed(): Promise<boolean> {
    const plan = await this.own.plan();
    return this.context.globalState.get(CONSENTED, false) || this.consent(plan.python?.version);
  }

  /** Do it; false when it is being done already. Throws NoPython, SetupFailed. */
  async carryOut(): Promise<boolean> {
    if (this.going) {
      return false;
    }
    this.going = true;
    try {
      await this.context.globalState.update(CONSENTED, true);
      await this.make();
      return true;
    } finally {
      this.going = false;
    }
  }

  private async consent(version: string | undefined): Promise<boolean> {
    const question =
      'Rubric needs its language server, which the extension brings along: without it no suite is checked or run. Set it up in a folder of its own? ' +
      `It uses ${version ? `Python ${version}` : 'a Python that uv downloads'}; its dependencies are downloaded from PyPI (about 15 MB).`;
    const [yes, other] = ['Set Up', 'Use Another'];
    // VS Code hides less important questions after some seconds, and users would not know why nothing works.
    const chosen = await vscode.window.showErrorMessage(question, yes, other);
    if (chosen === other) {
      await openSetting('rubric.server.command');
    }
    return chosen === yes;
  }

  private async make(): Promise<void> {
    const title = 'Setting up the language server';
    await vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title, cancellable: true }, async (progress, token) => {
      const stopping = new AbortController();
      token.onCancellationRequested(() => stopping.abort());
      await this.own.make((message) => progress.report({ message }), stopping.signal);
    });
  }
}
