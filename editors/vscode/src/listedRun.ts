/**
 * A run as VS Code lists it. VS Code counts every test of a run, an evaluator as much as its case: `2/8` where 2 of 3 cases passed.
 * Evaluators that are shown with their cases are therefore in an entry of their own below that of the cases: it begins before that
 * one, as VS Code sorts by the beginning, and has no states before the end, as VS Code adds up everything that is running.
 */

import * as vscode from 'vscode';
import { TestState } from './protocol';

export class ListedRun {
  private readonly beside = new Map<vscode.TestItem, TestState>();

  /** `evaluators` is undefined where no case has any. */
  constructor(
    readonly cases: vscode.TestRun,
    private readonly evaluators: vscode.TestRun | undefined,
    private readonly show: (run: vscode.TestRun, item: vscode.TestItem, told: TestState) => void,
  ) {}

  /** Whether evaluators have a place of their own. */
  get isDivided(): boolean {
    return this.evaluators !== undefined;
  }

  /** The state of an evaluator that is shown with its case, at the end; without one, nothing is said of it. */
  later(item: vscode.TestItem, told: TestState | undefined): void {
    if (told) {
      this.beside.set(item, told);
    } else {
      this.beside.delete(item);
    }
  }

  end(): void {
    const { evaluators } = this;
    if (evaluators) {
      this.beside.forEach((told, item) => this.show(evaluators, item, told));
      evaluators.end();
    }
    this.cases.end();
  }
}
