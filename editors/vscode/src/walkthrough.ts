/** The walkthrough checks off completed steps, also those completed before it was opened. */

import * as vscode from 'vscode';

export type Step = 'server' | 'suite' | 'run';

/**
 * VS Code reads a walkthrough when it is first opened, and ticks a step off when its context becomes true after that. A step
 * whose context is true from the start stays open forever, so contexts are set only once a walkthrough may exist.
 */
export class Walkthrough implements vscode.Disposable {
  private readonly done = new Set<Step>();
  private opened = false;
  // It is a tab of a kind that extensions have no name for.
  private readonly listener = vscode.window.tabGroups.onDidChangeTabs(({ opened }) => {
    if (!this.opened && opened.some((tab) => tab.input === undefined)) {
      this.opened = true;
      this.done.forEach((step) => this.tell(step));
    }
  });

  achieved(step: Step): void {
    if (!this.done.has(step)) {
      this.done.add(step);
      if (this.opened) {
        this.tell(step);
      }
    }
  }

  dispose(): void {
    this.listener.dispose();
  }

  private tell(step: Step): void {
    void vscode.commands.executeCommand('setContext', `rubric.walkthrough.${step}`, true);
  }
}
