/** The document that the page shows. `rubric_core/evaluation/report_page/data.py` declares the same types. */

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
}

/** What an evaluator made of a case: its number in `ReportData.evaluators`, its verdict, its score. */
export type Score = [evaluator: number, verdict: Verdict, score: number | null];

export interface CaseRow {
  /** The number of its suite, its target, its tags in the lists of `ReportData`. */
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
  /** The beginning of what the case asked, and of why it did not pass. */
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

/** What became of a case, in the words of `comparison.pairs.CaseChange`. */
export type Change = 'no_longer_passes' | 'now_passes' | 'moved' | 'same' | 'unscored' | 'test_changed' | 'only_before' | 'only_after';

/** A case in two runs. */
export interface Pair {
  change: Change;
  /** The number of the case in `ReportData.cases`; one that is only in the run before has none. */
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
  /** Better or worse beyond chance. */
  direction?: 'better' | 'worse';
  /** Over how many cases. */
  cases?: number;
}

export interface Comparison {
  base: Run;
  /** What the figures amount to, in a sentence. */
  words: string;
  differences: Difference[];
  /** The same for evaluators, criteria, tags, targets and suites: where a difference comes from. */
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
  /** How many cases a piece of the details has. */
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
  /** What people read: the id that was written, else the text in quotes. */
  label: string;
  text: string;
  verdict: Verdict;
  score?: number;
  /** 0..10, as the judge gave it. */
  raw?: number;
  weight: number;
  minimum?: number;
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
  /** Its part of the score of the case, 0..1, and what it gives of that. */
  share: number;
  contribution?: number;
  minimum?: number;
  /** The criterion that failed it. */
  gate?: string;
  reason?: string;
  /** Why it could not run, or how it crashed. */
  error?: string;
  reasoning?: string;
  hits: string[];
  misses: string[];
  /** Who judged, and what it replied in each try. */
  judge?: string;
  replies?: string[];
  durationMs?: number;
  range?: Range;
  criteria: Criterion[];
  /** Of a composite, or of a turn. */
  members?: Evaluator[];
}

/** Something that a run sent, in words. */
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
  /** All of it in words. */
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
  /** Missing where no score decides. */
  threshold?: number;
  stale?: boolean;
  at: string;
  durationMs?: number;
  costUsd?: number;
  reason: string;
  graderErrors?: { evaluator: string; error: string }[];
  /** What the case asked. */
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
  /** The same case in the run that this one is compared with. */
  before?: CaseDetails;
  /** How many characters were left out of its texts to keep the page small. */
  cut?: number;
}

/** What went wrong first, for people: the order of lists. */
export const WORST_FIRST: readonly Verdict[] = ['failed', 'unscored', 'borderline', 'passed'];
export const VERDICTS: readonly Verdict[] = ['passed', 'borderline', 'failed', 'unscored'];
export const SIGNS: Record<Verdict, string> = { passed: '✔', borderline: '◐', failed: '✘', unscored: '○' };
