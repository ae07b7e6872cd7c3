/** Filters and sorts the cases. */

import { type CaseRow, type ReportData, type Verdict, WORST_FIRST } from './data';
import type { Route, Sort } from './route';

/** The numbers of the cases that match a route, in its order. */
export function selected(data: ReportData, route: Route): number[] {
  const words = route.q.toLowerCase().split(/\s+/).filter(Boolean);
  const tag = data.tags.indexOf(route.tag);
  const suite = data.suites.indexOf(route.suite);
  const target = data.targets.indexOf(route.target);
  const evaluator = data.evaluators.findIndex(({ name }) => name === route.evaluator);
  const fits = (row: CaseRow) =>
    (!route.verdict || row.verdict === route.verdict) &&
    (!route.tag || row.tags.includes(tag)) &&
    (!route.suite || row.suite === suite) &&
    (!route.target || row.target === target) &&
    (!route.evaluator || row.scores.some(([which, verdict]) => which === evaluator && verdict !== 'passed')) &&
    (!words.length || contains(text(data, row), words));
  const found = data.cases.flatMap((row, index) => (fits(row) ? [index] : []));
  return ordered(data, found, route.sort);
}

const contains = (searched: string, words: string[]) => words.every((word) => searched.includes(word));

const texts = new WeakMap<CaseRow, string>();

/** The text of a row for searches. */
function text(data: ReportData, row: CaseRow): string {
  let known = texts.get(row);
  if (known === undefined) {
    const tags = row.tags.map((tag) => data.tags[tag]);
    known = [row.id, data.suites[row.suite], data.targets[row.target], row.verdict, ...tags, row.input, row.reason].join('\n').toLowerCase();
    texts.set(row, known);
  }
  return known;
}

function ordered(data: ReportData, found: number[], sort: Sort): number[] {
  const row = (index: number) => data.cases[index] as CaseRow;
  const score = (index: number) => row(index).score ?? -1;
  const by: Record<Sort, (a: number, b: number) => number> = {
    order: (a, b) => a - b,
    worst: (a, b) => rank(row(a).verdict) - rank(row(b).verdict) || score(a) - score(b),
    score: (a, b) => score(a) - score(b),
    name: (a, b) => row(a).id.localeCompare(row(b).id, 'en', { numeric: true }),
    slow: (a, b) => (row(b).durationMs ?? -1) - (row(a).durationMs ?? -1),
    cost: (a, b) => (row(b).costUsd ?? -1) - (row(a).costUsd ?? -1),
  };
  return found.sort((a, b) => by[sort](a, b) || a - b);
}

const rank = (verdict: Verdict) => WORST_FIRST.indexOf(verdict);

export interface Group {
  name: string;
  counts: Record<Verdict, number>;
  amount: number;
  rate: number;
}

/** The number of verdicts by tag and by evaluator, the worst first. */
export function byTag(data: ReportData): Group[] {
  const groups = data.tags.map(empty);
  for (const row of data.cases) for (const tag of row.tags) tally(groups[tag], row.verdict);
  return sorted(groups);
}

export function byEvaluator(data: ReportData): Group[] {
  const groups = data.evaluators.map(({ name }) => empty(name));
  for (const row of data.cases) for (const [evaluator, verdict] of row.scores) tally(groups[evaluator], verdict);
  return sorted(groups);
}

const empty = (name: string): Group => ({ name, counts: { passed: 0, borderline: 0, failed: 0, unscored: 0 }, amount: 0, rate: 0 });

function tally(group: Group | undefined, verdict: Verdict): void {
  if (!group) return;
  group.counts[verdict] += 1;
  group.amount += 1;
  group.rate = group.counts.passed / group.amount;
}

const sorted = (groups: Group[]) => groups.filter(({ amount }) => amount).sort((a, b) => a.rate - b.rate || b.amount - a.amount || a.name.localeCompare(b.name));
