/** The page in an editor: the extension sends the data and performs the actions. */

import { render, type VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { App, type Host } from './app';
import { type Actions, Button, Case } from './case';
import type { CaseDetails, ReportData } from './data';
import { safeText } from './format';
import type { Source } from './source';

interface VsCode {
  postMessage(message: unknown): void;
  setState(state: unknown): void;
}
declare function acquireVsCodeApi(): VsCode;

/** The state that the extension stores so that it can restore the page when the window is reopened. */
interface Kept {
  caseId?: string;
  /** The initial state of the page of a run. */
  view?: string;
}

/** The messages from the extension. */
interface Sent {
  report?: CaseDetails | null;
  data?: ReportData;
  trouble?: string;
  details?: { index: number; report: CaseDetails | null };
}

export function startEditor(place: HTMLElement, written: string): void {
  const vscode = acquireVsCodeApi();
  const kept = JSON.parse(written) as Kept;
  vscode.setState(kept);
  if (kept.view && !location.hash) location.hash = `#view=${kept.view}`;
  const ask = (command: string, more: object = {}) => vscode.postMessage({ command, ...more });
  const page = kept.caseId !== undefined ? <CasePanel caseId={kept.caseId} ask={ask} /> : <App host={runHost(ask)} />;
  render(page, place);
}

const listen = (take: (sent: Sent) => void) => window.addEventListener('message', ({ data }: MessageEvent<Sent>) => take(data));

/** The report of one case, which follows the case. */
function CasePanel({ caseId, ask }: { caseId: string; ask: (command: string, more?: object) => void }): VNode {
  const [report, setReport] = useState<CaseDetails | null>();
  const [words, said] = useState('');
  useEffect(() => {
    listen((sent) => sent.report !== undefined && setReport(sent.report));
    ask('ready');
  }, []);
  const outcome = report ? `${report.verdict} ${report.score?.toFixed(2) ?? ''}` : '';
  const [before, setBefore] = useState('');
  useEffect(() => {
    if (before && outcome && before !== outcome) said(outcome);
    if (outcome) setBefore(outcome);
  }, [outcome]);
  const actions: Actions = {
    said,
    run: () => ask('run'),
    diff: () => ask('diff'),
    reply: () => ask('reply'),
    suite: (line) => ask('suite', { line }),
    copy: () => ask('copy'),
  };
  return (
    <>
      <main id="report">
        {report ? <Case report={report} actions={actions} /> : (
          <>
            <h1>{safeText(caseId)}</h1>
            {report === undefined ? <p>Waiting for the language server …</p> : (
              <>
                <p>This case has no result yet.</p>
                <div class="actions"><Button act="run" does={() => ask('run')}>Run case</Button><Button act="suite" does={() => ask('suite')}>Show in suite</Button></div>
              </>
            )}
          </>
        )}
      </main>
      <p id="announcement" class="unseen" role="status">{words}</p>
    </>
  );
}

/** VS Code intercepts clicks on links of the page and only scrolls, so the page opens other views itself. */
function followLinks(event: MouseEvent): void {
  const href = event.target instanceof Element ? event.target.closest('a')?.getAttribute('href') : undefined;
  if (!href?.startsWith('#')) return;
  event.preventDefault();
  location.hash = href;
}

/** The report of a run. */
function runHost(ask: (command: string, more?: object) => void): Host {
  const waiting = new Map<number, { resolve: (details: CaseDetails) => void; reject: (error: Error) => void }>();
  const source: Source = {
    follow(take, lost) {
      document.addEventListener('click', followLinks, { capture: true });
      listen((sent) => {
        if (sent.data) take(sent.data);
        if (sent.trouble) lost(sent.trouble);
        const asked = sent.details && waiting.get(sent.details.index);
        if (!sent.details || !asked) return;
        waiting.delete(sent.details.index);
        if (sent.details.report) asked.resolve(sent.details.report);
        else asked.reject(new Error('There are no details of this case.'));
      });
      ask('ready');
    },
    details(_, index) {
      return new Promise((resolve, reject) => {
        waiting.set(index, { resolve, reject });
        ask('details', { index });
      });
    },
  };
  return { source, inEditor: true };
}
