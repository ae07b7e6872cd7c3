/** The server's test protocol, version 1: docs/test-protocol.md describes the messages. */

import { Location, NotificationType, Range, RequestType } from 'vscode-languageclient/node';
import type { CaseDetails, ReportData, Verdict } from '../../../report/src/data';

/** The version that this extension speaks. */
export const TEST_PROTOCOL = 1;

export type { Verdict };
export type State = 'enqueued' | 'started' | Verdict | 'skipped' | 'cancelled' | 'outdated' | 'fresh';

export interface Test {
  id: string;
  label: string;
  description?: string;
  kind: 'suite' | 'case' | 'evaluator';
  parent?: string;
  canResolveChildren: boolean;
  textDocument: { uri: string };
  range?: Range;
  sortText: string;
  /** An evaluator whose program a debugger can stop in, or its case. */
  debuggable?: boolean;
}

/** A grading program as a run starts it. */
export interface GraderProgram {
  kind: 'python' | 'node';
  runtime: string;
  /** Options of the interpreter. */
  options: string[];
  /** A file, `-m` and a module, or code behind `-c` or `-e`; then its own arguments. */
  arguments: string[];
  cwd: string;
  /** All variables that a run gives it. */
  environment: Record<string, string>;
  stdin: string;
}

export interface Discovered {
  tests: Test[];
  /** The suites whose tests are all in `tests`. */
  scope: string[];
}

/** The effect of an edit on the tests of a suite: some are removed, then those from a line on move, then some replace others. */
export interface Changed {
  textDocument: { uri: string };
  moved?: { line: number; by: number };
  tests: Test[];
  removed: string[];
}

export interface Message {
  message: string;
  severity: 'error' | 'warning' | 'information';
  location?: Location;
  /** The criterion that it is about. */
  subject?: string;
  expected?: string;
  actual?: string;
}

export interface TestState {
  runId: string;
  testId: string;
  state: State;
  /** 0..1 */
  score?: number;
  durationMs?: number;
  /** Graders that could not run or crashed. */
  graderErrors?: number;
  /** The mark of an evaluator whose state is that of its case: `✘ 0.60` in a case that passed. */
  description?: string;
  messages?: Message[];
}

export interface RunWish {
  include?: string[];
  exclude?: string[];
  failed?: boolean;
  /** Only cases without an up-to-date pass. */
  lacking?: boolean;
  /** Only cases that have changed since their last run. */
  outdated?: boolean;
  repeat?: number;
  record?: boolean;
  /** Respond only after the user has answered a question for permission. */
  wait?: boolean;
}

export interface RunBegan {
  runId: string;
  tests: string[];
  label: string;
}

export interface RunEnded {
  runId: string;
  passed: number;
  borderline: number;
  failed: number;
  unscored: number;
  /** Graders that could not run or crashed. */
  graderErrors?: number;
  cancelled: boolean;
  durationMs: number;
  costUsd?: number;
}

/** The report of a case. */
export interface Report extends CaseDetails {
  testId: string;
  suite: { uri: string; name: string };
  range?: Range;
  markdown: string;
}

export const discoverTests = new RequestType<
  { textDocument?: { uri: string }; testId?: string },
  Discovered,
  void
>('rubric/discoverTests');
/** `runId` is empty when nothing was started: the run was not allowed, or no test qualified. */
export const runTests = new RequestType<RunWish, { runId: string; tests: string[] }, void>('rubric/runTests');
export const cancelTests = new RequestType<{ runId?: string }, null, void>('rubric/cancelTests');
/** How an evaluator is debugged, or why it cannot be; neither if the user did not allow it. */
export const debugGrader = new RequestType<{ testId: string }, { launch?: GraderProgram; trouble?: string }, void>('rubric/debugGrader');
export const reportOf = new RequestType<{ testId: string }, Report | null, void>('rubric/report');

/** The last run of a suite, with `compare` compared with the run before; `trouble` says why there is none. */
export const reportOfRun = new RequestType<{ textDocument: { uri: string }; compare: boolean }, { data?: ReportData; trouble?: string }, void>('rubric/runReport');
export const caseOfRun = new RequestType<{ textDocument: { uri: string }; run: string; base?: string; suite: string; case: string; target: string }, CaseDetails | null, void>('rubric/runCase');

export interface About {
  dialect: string;
  /** Why it is that one. */
  because: string;
  target: string;
  judge: string;
  cases: number;
  trusted: boolean;
}
export const aboutSuite = new RequestType<{ textDocument: { uri: string } }, About | null, void>('rubric/suite');

/** The names of the targets for suites in a folder. */
export const targetsOf = new RequestType<{ uri: string }, string[], void>('rubric/targets');

export const discoveredTests = new NotificationType<Discovered>('rubric/discoveredTests');
export const changedTests = new NotificationType<Changed>('rubric/changedTests');
export const runBegan = new NotificationType<RunBegan>('rubric/runBegan');
export const testState = new NotificationType<TestState>('rubric/testState');
export const testOutput = new NotificationType<{ runId: string; testId?: string; text: string }>('rubric/testOutput');
export const runEnded = new NotificationType<RunEnded>('rubric/runEnded');
