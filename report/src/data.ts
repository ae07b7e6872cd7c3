/** The data of the page. `rubric_core/evaluation/report_page/data.py` declares the same types. */

export type Verdict = 'passed' | 'borderline' | 'failed' | 'unscored';

/** One run. Scores and rates are 0..1, times milliseconds, costs US dollars. */
export interface Run {
  id: string;
  /** ISO 8601, UTC. */
  startedAt: string;
  endedAt?: string;
  state: 'running' | 'done' | 'stopped';
  commit?: string;
  dirty?: boolean;
  command: string;
  suites: string[];
  targets: string[];
  judges: string[];
  counts: Record<Verdict, number>;
  graderErrors: number;
  meanScore?: number;
  tokens?: number;
  costUsd?: number;
  durationMs?: number;
  rubricVersion: string;
  /** Why it decides nothing, for a run that this user's rubric did not store as it is. */
  foreign?: string;
}

/** The result of an evaluator for a case: its number in `ReportData.evaluators`, its verdict, its score. */
export type Score = [evaluator: number, verdict: Verdict, score: number | null];

export interface CaseRow {
  /** The numbers of its suite, its target and its tags in the lists of `ReportData`. */
  suite: number;
  target: number;
  tags: number[];
  id: string;
  verdict: Verdict;
  score?: number;
  durationMs?: number;
  costUsd?: number;
  tokens?: number;
  graderErrors?: number;
  /** The beginning of the question, and of the reason why the case did not pass. */
  input?: string;
  reason?: string;
  scores: Score[];
  /** Each run of a case that ran several times. */
  repeats?: [verdict: Verdict, score: number | null][];
  /** Opens the case in an editor. */
  open?: string;
}

export interface EvaluatorName {
  name: string;
  type: string;
}

/** The change of a case, as in `comparison.pairs.CaseChange`. */
export type Change = 'no_longer_passes' | 'now_passes' | 'moved' | 'same' | 'unscored' | 'test_changed' | 'only_before' | 'only_after';

/** A case in two runs. */
export interface Pair {
  change: Change;
  /** The number of the case in `ReportData.cases`; none if it is only in the previous run. */
  case?: number;
  id: string;
  target: string;
  before?: { verdict: Verdict; score?: number };
  after?: { verdict: Verdict; score?: number };
}

/** A figure in two runs; the bounds are those of a 95 % confidence interval of the difference. */
export interface Difference {
  name: string;
  unit: 'rate' | 'score' | 'usd' | 'ms' | 'tokens';
  before?: number;
  after?: number;
  low?: number;
  high?: number;
  p?: number;
  /** Significantly better or worse. */
  direction?: 'better' | 'worse';
  /** The number of cases. */
  cases?: number;
}

export interface Comparison {
  base: Run;
  /** The conclusion from the figures, in one sentence. */
  words: string;
  differences: Difference[];
  /** The same by evaluator, criterion, tag, target and suite: the sources of a difference. */
  groups: Difference[];
  pairs: Pair[];
}

export interface ReportData {
  version: 1;
  generatedAt: string;
  run: Run;
  /** Earlier runs and this one, oldest first. */
  trend: Run[];
  suites: string[];
  targets: string[];
  tags: string[];
  evaluators: EvaluatorName[];
  cases: CaseRow[];
  comparison?: Comparison;
  /** The number of cases in each chunk of the details. */
  detailsPerPiece: number;
}

// -- a case ----------------------------------------------------------------------------------------------------------------

export interface Range {
  start: { line: number; character: number };
  end: { line: number; character: number };
}

export interface Band {
  /** Bounds of 0..10, both included. */
  low: number;
  high: number;
  text: string;
  hit: boolean;
}

export interface Criterion {
  id: string;
  /** The displayed name: the id in the suite, else the text in quotes. */
  label: string;
  text: string;
  verdict: Verdict;
  score?: number;
  /** 0..10, as the judge gave it. */
  raw?: number;
  weight: number;
  minimum?: number;
  /** In how many rows or runs it passed, if not in all: `6/12`; `shown` is the one that its verdict and its texts are of. */
  passes?: string;
  shown?: string;
  /** Whether it is below the minimum, and fails its rubric. */
  gateFailed?: boolean;
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
  /** Its share of the score of the case, 0..1, and the part of it that was reached. */
  share: number;
  contribution?: number;
  minimum?: number;
  /** In how many rows or runs it passed, if not in all: `6/12`; `shown` is the one that its verdict and its texts are of. */
  passes?: string;
  shown?: string;
  /** The criterion that failed it. */
  gate?: string;
  reason?: string;
  /** Why it could not run, or how it crashed. */
  error?: string;
  reasoning?: string;
  hits: string[];
  misses: string[];
  /** The judge, and its reply in each attempt. */
  judge?: string;
  replies?: string[];
  durationMs?: number;
  range?: Range;
  criteria: Criterion[];
  /** The members of a composite, or of a turn. */
  members?: Evaluator[];
}

/** A request or message that the run sent, as text. */
export interface SentRequest {
  role: 'target' | 'judge' | 'program' | 'server';
  evaluator: string;
  title: string;
  before: string[];
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
  /** The whole exchange as text. */
  text: string;
}

export interface CaseDetails {
  caseId: string;
  suite: { name: string };
  dialect: string;
  target: string;
  judges: string[];
  verdict: Verdict;
  score?: number;
  /** Missing if no score decides. */
  threshold?: number;
  stale?: boolean;
  at: string;
  durationMs?: number;
  costUsd?: number;
  reason: string;
  graderErrors?: { evaluator: string; error: string }[];
  /** The question of the case. */
  prompt?: string;
  answer?: string;
  expectedOutput?: string;
  /** The command that runs the case in a terminal. */
  command: string;
  flips: string[];
  evaluators: Evaluator[];
  usage?: Usage[];
  requests?: SentRequest[];
  history: { verdict: Verdict; score?: number; at: string }[];
  /** The same case in the run that this one is compared with. */
  before?: CaseDetails;
  /** The number of characters left out of its texts to keep the page small. */
  cut?: number;
}

/** The order of lists: failures come first. */
export const WORST_FIRST: readonly Verdict[] = ['failed', 'unscored', 'borderline', 'passed'];
export const VERDICTS: readonly Verdict[] = ['passed', 'borderline', 'failed', 'unscored'];
export const SIGNS: Record<Verdict, string> = { passed: '✔', borderline: '◐', failed: '✘', unscored: '○' };
