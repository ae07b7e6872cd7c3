/** The source of the data: the page itself, the server of `rubric view`, or an editor. */

import type { CaseDetails, ReportData } from './data';

export interface Source {
  /** Calls `take` with the report, and again with each newer one; `lost` with the reason if there is none. */
  follow(take: (data: ReportData) => void, lost: (why: string) => void): void;
  details(data: ReportData, index: number): Promise<CaseDetails>;
  /** Shows another run, or compares with another one. Undefined if the page has one report only. */
  choose?(run: string, base?: string): void;
}

/** Data in the page itself, compressed with gzip and encoded in base64. */
export class Embedded implements Source {
  private readonly pieces = new Map<number, Promise<CaseDetails[]>>();

  follow(take: (data: ReportData) => void, lost: (why: string) => void): void {
    unpacked<ReportData>('data').then(take, () => lost('The report is damaged, or this browser is older than 2023.'));
  }

  async details(data: ReportData, index: number): Promise<CaseDetails> {
    const piece = Math.floor(index / data.detailsPerPiece);
    const known = this.pieces.get(piece) ?? unpacked<CaseDetails[]>(`details-${piece}`);
    this.pieces.set(piece, known);
    const found = (await known)[index % data.detailsPerPiece];
    if (!found) throw new Error('The report has no details of this case.');
    return found;
  }
}

async function unpacked<T>(id: string): Promise<T> {
  const written = document.getElementById(id)?.textContent ?? '';
  const bytes = Uint8Array.from(atob(written), (sign) => sign.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return (await new Response(stream).json()) as T;
}

const RUNNING_MS = 1000;
const IDLE_MS = 3000;

/** The server of `rubric view`, polled repeatedly; it answers only when something has changed. */
export class Served implements Source {
  private tag = '';
  private query = '';
  private timer = 0;
  private take: (data: ReportData) => void = () => undefined;
  private lost: (why: string) => void = () => undefined;

  follow(take: (data: ReportData) => void, lost: (why: string) => void): void {
    this.take = take;
    this.lost = lost;
    document.addEventListener('visibilitychange', () => !document.hidden && this.soon(0));
    void this.ask();
  }

  choose(run: string, base?: string): void {
    this.query = `?${new URLSearchParams(base ? { run, base } : { run })}`;
    this.tag = '';
    this.soon(0);
  }

  async details(data: ReportData, index: number): Promise<CaseDetails> {
    const row = data.cases[index];
    const base: Record<string, string> = data.comparison ? { base: data.comparison.base.id } : {};
    const query = new URLSearchParams({ run: data.run.id, case: row?.id ?? '', suite: data.suites[row?.suite ?? 0] ?? '', target: data.targets[row?.target ?? 0] ?? '', ...base });
    const answer = await fetch(`case?${query}`);
    if (!answer.ok) throw new Error('The server has no details of this case.');
    return (await answer.json()) as CaseDetails;
  }

  private async ask(): Promise<void> {
    const asked = this.query;
    let wait = IDLE_MS;
    try {
      const answer = await fetch(`data${asked}`, { headers: this.tag ? { 'If-None-Match': this.tag } : {}, cache: 'no-store' });
      if (asked !== this.query) return;
      if (answer.ok) {
        const data = (await answer.json()) as ReportData;
        this.tag = answer.headers.get('ETag') ?? '';
        this.running = data.run.state === 'running';
        this.take(data);
      } else if (answer.status !== 304) {
        this.lost(await answer.text());
      }
      wait = this.running ? RUNNING_MS : IDLE_MS;
    } catch {
      this.lost('rubric view has ended: what is shown is the last that it said.');
    }
    this.soon(wait);
  }

  private running = false;

  private soon(wait: number): void {
    window.clearTimeout(this.timer);
    if (!document.hidden || wait === 0) this.timer = window.setTimeout(() => void this.ask(), wait);
  }
}
