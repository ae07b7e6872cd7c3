/** The server's test protocol, version 1: docs/test-protocol.md says what each message means. */

import { Location, NotificationType, Range, RequestType } from 'vscode-languageclient/node';

/** The version that this extension speaks. */
export const TEST_PROTOCOL = 1;

export type Verdict = 'passed' | 'borderline' | 'failed' | 'unscored';
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
}

export interface Discovered {
  tests: Test[];
  /** The suites whose tests are all in `tests`. */
  scope: string[];
}

/** What an edit made of the tests of a suite: some go, then those from a line on move, then some take the place of others. */
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
  messages?: Message[];
}

export interface RunWish {
  include?: string[];
  exclude?: string[];
  failed?: boolean;
  /** Only what has not passed as it stands now. */
  lacking?: boolean;
  /** Only what has changed since it ran last. */
  outdated?: boolean;
  repeat?: number;
  record?: boolean;
  /** Answer when a person who has to allow it has answered. */
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

export interface Band {
  /** Bounds of 0..10, both inclusive. */
  low: number;
  high: number;
  text: string;
  hit: boolean;
}

export interface Criterion {
  id: string;
  /** What people read: the id that was written, else the text in quotes. */
  label: string;
  text: string;
  verdict: Verdict;
  /** 0..1 */
  score?: number;
  /** 0..10, as the judge gave it. */
  raw?: number;
  weight: number;
  /** 0..1 */
  minimum?: number;
  reasoning?: string;
  bands: Band[];
  range?: Range;
}

export interface Evaluator {
  name: string;
  type: string;
  verdict: Verdict;
  score?: number;
  weight: number;
  /** Its part of the case's score, 0..1. */
  share: number;
  contribution?: number;
  /** 0..1 */
  minimum?: number;
  /** The criterion that failed it. */
  gate?: string;
  reason?: string;
  /** Why it could not run, or how it crashed. */
  error?: string;
  reasoning?: string;
  hits: string[];
  misses: string[];
  range?: Range;
  criteria: Criterion[];
  /** Of a composite, or of a turn. */
  members?: Evaluator[];
}

/** Something that a run sent, in words. */
export interface SentRequest {
  role: 'target' | 'judge' | 'program' | 'server';
  /** Empty for the target's. */
  evaluator: string;
  title: string;
  before: string[];
  /** What was sent, whole: messages by their roles, and what programs read. */
  texts: { name: string; text: string }[];
  after: string[];
}

export interface Usage {
  role: 'target' | 'judge';
  name: string;
  model?: string;
  calls: number;
  recorded: number;
  tokens?: { input: number; output: number; cached: number; reasoning: number };
  costUsd?: number;
  /** All of it in words. */
  text: string;
}

export interface Report {
  testId: string;
  caseId: string;
  suite: { uri: string; name: string };
  range?: Range;
  dialect: string;
  target: string;
  judges: string[];
  verdict: Verdict;
  score?: number;
  threshold: number;
  stale: boolean;
  /** ISO 8601. */
  at: string;
  durationMs: number;
  costUsd?: number;
  reason: string;
  /** The graders that could not run or crashed. */
  graderErrors?: { evaluator: string; error: string }[];
  prompt?: string;
  answer?: string;
  expectedOutput?: string;
  /** The line that runs the case in a terminal. */
  command: string;
  flips: string[];
  evaluators: Evaluator[];
  usage?: Usage[];
  requests?: SentRequest[];
  history: { verdict: Verdict; score?: number; at: string }[];
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
export const reportOf = new RequestType<{ testId: string }, Report | null, void>('rubric/report');

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

export const discoveredTests = new NotificationType<Discovered>('rubric/discoveredTests');
export const changedTests = new NotificationType<Changed>('rubric/changedTests');
export const runBegan = new NotificationType<RunBegan>('rubric/runBegan');
export const testState = new NotificationType<TestState>('rubric/testState');
export const testOutput = new NotificationType<{ runId: string; testId?: string; text: string }>('rubric/testOutput');
export const runEnded = new NotificationType<RunEnded>('rubric/runEnded');
