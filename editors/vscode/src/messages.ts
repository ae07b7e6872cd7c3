/** The result of a test, as the messages that VS Code shows at the lines. */

import * as vscode from 'vscode';
import { Message, TestState } from './protocol';

/** The failures, for the Testing view. A difference comes last, as VS Code would show it instead of the text. */
export function messagesOf(told: TestState, isCase: boolean): vscode.TestMessage[] {
  const [first, ...rest] = told.messages ?? [{ message: told.state, severity: 'error' }];
  if (!first) {
    return []; // known from before: hints say it
  }
  const parts = telling(isCase ? rest : [first, ...rest]);
  const all = [...parts, ...(isCase ? [first] : [])].map(({ message, subject }) => shown(subject ? `${subject}: ${message}` : message));
  if (first.expected !== undefined && first.actual !== undefined) {
    const difference = shown('The answer beside what was expected');
    difference.expectedOutput = first.expected;
    difference.actualOutput = first.actual;
    all.push(difference);
  }
  return all;
}

/**
 * Report the result of a test without places for its messages. VS Code would draw messages with places at the ends of lines,
 * where the results are already, and remove them at an edit. A message leads to its test.
 */
export function withoutPlace(item: vscode.TestItem, tell: () => void): void {
  const { range } = item;
  item.range = undefined; // else it is the place of messages that have none
  try {
    tell();
  } finally {
    item.range = range;
  }
}

/** Empty lines that give VS Code's peek room for the button over it, which is cut off over a single line. */
const ROOM = '\n\n';

function shown(text: string): vscode.TestMessage {
  const message = new vscode.TestMessage(text + ROOM);
  message.contextValue = 'rubric';
  return message;
}

/** A mark and a number, at most with the name of a criterion, which says more itself. */
const BARE = /^\S+( [\d./]+)?(: gate: .*)?$/;

/** Messages with information of their own. */
function telling(messages: Message[]): Message[] {
  const same = (a: Message, b: Message) => a.message === b.message && a.subject === b.subject;
  const distinct = messages.filter((each, index) => messages.findIndex((other) => same(each, other)) === index);
  const wordy = distinct.filter(({ message, subject }) => subject || !BARE.test(message));
  return wordy.length ? wordy : distinct;
}
