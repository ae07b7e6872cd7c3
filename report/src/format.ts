/** Formats numbers and times. */

import type { CaseRow, ReportData, Run } from './data';

export const decimal = (value: number | null | undefined) => (value === undefined || value === null ? '–' : value.toFixed(2));
export const plain = (value: number) => String(Math.round(value * 100) / 100);

export function percent(value: number | undefined): string {
  if (value === undefined || Number.isNaN(value)) return '–';
  // 99.6 % is not "100 %": only what is whole may look whole.
  const rounded = Math.round(value * 100);
  const shown = rounded === 100 && value < 1 ? 99 : rounded === 0 && value > 0 ? 1 : rounded;
  return `${shown} %`;
}

export function seconds(ms: number | undefined): string {
  if (ms === undefined) return '–';
  if (ms < 950) return `${Math.round(ms)} ms`;
  if (ms < 99_500) return `${(ms / 1000).toFixed(1)} s`;
  const minutes = Math.floor(ms / 60_000);
  return minutes < 60 ? `${minutes} min ${Math.round((ms % 60_000) / 1000)} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export function dollars(usd: number | undefined): string {
  if (usd === undefined) return '–';
  if (usd === 0) return '$0';
  return usd >= 1 ? `$${usd.toFixed(2)}` : `$${usd.toPrecision(2)}`;
}

export const count = (value: number | undefined) => (value === undefined ? '–' : value.toLocaleString('en-US'));

export function amount(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

export function moment(at: string | undefined): string {
  const date = new Date(at ?? '');
  return Number.isNaN(date.getTime()) ? (at ?? '') : date.toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short' });
}

export const total = (run: Run) => run.counts.passed + run.counts.borderline + run.counts.failed + run.counts.unscored;
export const passRate = (run: Run) => (total(run) ? run.counts.passed / total(run) : undefined);

/** The name of a case in addresses, shortened if it stays unique. */
export function keys(data: ReportData): string[] {
  const times = new Map<string, number>();
  const longer = (row: CaseRow) => `${data.suites[row.suite] ?? ''}::${row.id}`;
  const tally = (key: string) => times.set(key, (times.get(key) ?? 0) + 1);
  for (const row of data.cases) {
    tally(row.id);
    if (longer(row) !== row.id) tally(longer(row));
  }
  return data.cases.map((row) => {
    if (times.get(row.id) === 1) return row.id;
    return times.get(longer(row)) === 1 ? longer(row) : `${longer(row)}@${data.targets[row.target] ?? ''}`;
  });
}

/** Control characters, except tab and line breaks, and characters that change the direction of text. */
const ACTING = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\ufff9-\ufffb]/g;

/** A text with such characters replaced. Applied to every text of a case. */
export const safeText = (text: string) => text.replace(ACTING, '\ufffd');
