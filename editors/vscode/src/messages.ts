/** What became of a test, in the words that VS Code shows at the lines. */

import * as vscode from 'vscode';
import { Location as LspLocation } from 'vscode-languageclient/node';
import { Message, TestState } from './protocol';

type Locate = (location: LspLocation) => vscode.Location | undefined;

/**
 * What is wrong, at the lines of the parts that are: VS Code shows it there in red, and once is enough. The line of
 * the case has the server's hint. A difference comes last: VS Code would show it in place of the words.
 */
export function messagesOf(told: TestState, item: vscode.TestItem, isCase: boolean, locate: Locate): vscode.TestMessage[] {
  const [first, ...rest] = told.messages ?? [{ message: told.state, severity: 'error' }];
  if (!first) {
    return []; // known from before: hints say it
  }
  const parts = telling(isCase ? rest : [first, ...rest]);
  const at = parts[0]?.location ?? first.location;
  const whole = isCase ? [{ ...first, location: at }] : [];
  const all = [...parts, ...whole].map((each) => shown(each, item, locate));
  if (first.expected !== undefined && first.actual !== undefined) {
    const difference = shown({ ...first, message: 'The answer beside what was expected', location: at }, item, locate);
    difference.expectedOutput = first.expected;
    difference.actualOutput = first.actual;
    all.push(difference);
  }
  return all;
}

function shown(told: Message, item: vscode.TestItem, locate: Locate): vscode.TestMessage {
  const message = new vscode.TestMessage(told.message);
  message.contextValue = 'rubric';
  const { uri, range } = item;
  message.location = told.location ? locate(told.location) : uri && range && new vscode.Location(uri, range);
  return message;
}

/** A mark and a number, at most with the name of a criterion, which says more itself. */
const BARE = /^\S+( [\d./]+)?(: gate: .*)?$/;

/** Messages that say something of their own. */
function telling(messages: Message[]): Message[] {
  const distinct = messages.filter((each, index) => messages.findIndex(({ message }) => message === each.message) === index);
  const wordy = distinct.filter(({ message }) => !BARE.test(message));
  return wordy.length ? wordy : distinct;
}
