/** What the report of a case shows. */

import { Criterion, Evaluator, Report, SentRequest, Usage, Verdict } from '../protocol';
import { history, part, scale, total } from './drawings';
import { html, Html } from './html';
import { rendered } from './markdown';

export const SIGNS: Record<Verdict, string> = { passed: '✔', borderline: '◐', failed: '✘', unscored: '○' };

/** The inside of the page; without a report it says what to do. */
export function body(caseId: string, report: Report | undefined): string {
  const shown = report
    ? [header(report), reasons(report), score(report), [...report.evaluators].sort(failedFirst).map(evaluator), answer(report), took(report), past(report), requests(report), command(report)]
    : [html`<h1>${caseId}</h1>`, html`<p>This case has no result yet.</p>`, html`<div class="actions">${button('run', 'Run case')}${button('suite', 'Show in suite')}</div>`];
  return html`${shown}`.markup;
}

function header(report: Report): Html {
  const number = report.score === undefined ? '' : report.score.toFixed(2);
  const facts: [string, string][] = [
    ['Suite', report.suite.name],
    ['Dialect', report.dialect],
    ['Target', report.target],
    [report.judges.length > 1 ? 'Judges' : 'Judge', report.judges.join(', ')],
    ['Time', seconds(report.durationMs)],
    ['Cost', report.costUsd ? `$${report.costUsd.toPrecision(2)}` : ''],
    ['Run', moment(report.at)],
  ];
  const known = facts.filter(([, value]) => value);
  return html`<header>
    <h1>${report.caseId}</h1>
    <p class="verdict ${report.verdict}" data-announce>
      <span class="word"><span class="sign" aria-hidden="true">${SIGNS[report.verdict]}</span> ${report.verdict}</span>
      ${number && html`<span class="number">${number}</span><span class="needed">needs ${report.threshold.toFixed(2)}</span>`}
    </p>
    ${report.stale && html`<p class="stale"><span aria-hidden="true">◌</span> Stale: the case has changed since this run.</p>`}
    <dl class="facts">${known.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
    <div class="actions" role="group" aria-label="Actions">
      ${button('run', report.stale ? 'Run case' : 'Run again')}
      ${report.answer !== undefined && report.expectedOutput !== undefined && button('diff', 'Compare with expected')}
      ${report.judges.length > 0 && button('reply', report.judges.length > 1 ? "Judges' replies" : "Judge's reply")}
      ${button('suite', 'Show in suite')}
    </div>
  </header>`;
}

function reasons(report: Report): Html {
  const failed = report.graderErrors ?? [];
  const told = failed.some(({ evaluator, error }) => report.reason.startsWith(`${evaluator}: ${error}`));
  return html`${failed.length > 0 &&
    html`<section class="errors" aria-labelledby="errors"><h2 id="errors"><span aria-hidden="true">⚠</span> ${failed.length} ${failed.length === 1 ? 'grader' : 'graders'} failed</h2><ul>${failed.map(({ evaluator, error }) => html`<li><strong>${evaluator}:</strong> ${error}</li>`)}</ul></section>`}
    ${report.reason && !told && html`<p class="reason">${report.reason}</p>`}
    ${report.flips.length > 0 &&
    html`<section aria-labelledby="flips"><h2 id="flips">To pass</h2><ul>${report.flips.map((flip) => html`<li>${flip}</li>`)}</ul></section>`}`;
}

function score(report: Report): Html {
  if (!report.evaluators.length) {
    return html``;
  }
  return html`<section aria-labelledby="score">
    <h2 id="score">Score</h2>
    ${report.score !== undefined && total(report)}
    <table class="scores">
      <thead><tr><th scope="col">Evaluator</th><th scope="col">Verdict</th><th scope="col" class="n">Score</th><th scope="col" class="n">Weight</th><th scope="col" class="n">Share</th><th scope="col" class="n">Gives</th><th></th></tr></thead>
      <tbody>${report.evaluators.map(
        (each) => html`<tr>
          <th scope="row">${each.name}</th>
          <td>${verdict(each.verdict)}</td>
          <td class="n">${decimal(each.score)}</td><td class="n">${plain(each.weight)}</td>
          <td class="n">${Math.round(each.share * 100)} %</td><td class="n">${decimal(each.contribution)}</td><td>${part(each)}</td>
        </tr>`,
      )}</tbody>
    </table>
  </section>`;
}

function evaluator(each: Evaluator, index: number | string): Html {
  const said = [each.gate && html`<p><strong>Gate:</strong> ${each.gate}</p>`, paragraph(each.reason), each.reasoning !== each.reason && paragraph(each.reasoning)];
  // Of criteria these lists would say the same in other words.
  const lists = each.criteria.length ? [] : [list('Found', each.hits, '✔'), list('Missing', each.misses, '✘')];
  const members = (each.members ?? []).map((member, number) => evaluator(member, `${index}-${number}`));
  const shown = [...said, ...lists, ...each.criteria.map(criterion), ...members];
  if (!shown.some((part) => part && part.markup)) {
    return html``;
  }
  return html`<section aria-labelledby="e${index}" class="evaluator">
    <h2 id="e${index}">${link(each.name, each.range?.start.line)} <span class="kind">${each.type !== each.name && each.type}</span> ${verdict(each.verdict)}</h2>
    ${shown}
  </section>`;
}

function criterion(each: Criterion): Html {
  const points = each.raw === undefined ? decimal(each.score) : `${plain(each.raw)}/10 → ${decimal(each.score)}`;
  const notes = [each.minimum !== undefined && `needs ${each.minimum.toFixed(2)}`, each.weight !== 1 && `weight ${plain(each.weight)}`];
  return html`<article class="criterion">
    <h3>${link(each.label, each.range?.start.line)} ${verdict(each.verdict)} <span class="points">${points}</span>
      <span class="note">${notes.filter(Boolean).join(' · ')}</span></h3>
    ${![each.text, `"${each.text}"`].includes(each.label) && paragraph(each.text)}
    ${scale(each)}
    ${each.reasoning && html`<blockquote>${each.reasoning}</blockquote>`}
  </article>`;
}

function answer(report: Report): Html {
  return html`${report.answer !== undefined && html`<section aria-labelledby="answer"><h2 id="answer">Answer</h2>${said(report.answer)}</section>`}
    ${report.expectedOutput !== undefined && html`<details data-key="expected"><summary>Expected</summary><pre tabindex="0">${report.expectedOutput}</pre></details>`}
    ${report.prompt !== undefined && !report.requests && html`<details data-key="prompt"><summary>Prompt</summary><pre tabindex="0">${report.prompt}</pre></details>`}`;
}

/** The answer as it is meant, and as it is written. */
function said(text: string): Html {
  const source = html`<pre tabindex="0" aria-label="Answer">${text || '(empty)'}</pre>`;
  const laidOut = text ? rendered(text) : undefined;
  return laidOut ? html`<div class="markdown">${laidOut}</div><details data-key="source"><summary>Source</summary>${source}</details>` : source;
}

/** Tokens and cost, for whom. */
function took(report: Report): Html {
  const usage = report.usage ?? [];
  if (!usage.length) {
    return html``;
  }
  const count = (value: number | undefined) => (value === undefined ? '–' : value.toLocaleString());
  const calls = ({ calls, recorded }: Usage) => [calls && count(calls), recorded && `${count(recorded)} recorded`].filter(Boolean).join(', ') || '0';
  const more = ({ tokens }: Usage) => [tokens?.cached && `${count(tokens.cached)} cached`, tokens?.reasoning && `${count(tokens.reasoning)} reasoning`].filter(Boolean).join(', ');
  return html`<section aria-labelledby="took"><h2 id="took">Tokens and cost</h2>
    <table>
      <thead><tr><th scope="col">For</th><th scope="col" class="n">Calls</th><th scope="col" class="n">Read</th><th scope="col" class="n">Written</th><th scope="col" class="n">Cost</th></tr></thead>
      <tbody>${usage.map(
        (each) => html`<tr>
          <th scope="row">${each.role} ${each.name}${each.model && each.model !== each.name && ` (${each.model})`} <span class="note">${more(each)}</span></th>
          <td class="n">${calls(each)}</td><td class="n">${count(each.tokens?.input)}</td><td class="n">${count(each.tokens?.output)}</td>
          <td class="n">${each.costUsd === undefined ? '–' : `$${each.costUsd.toPrecision(2)}`}</td>
        </tr>`,
      )}</tbody>
    </table>
  </section>`;
}

function requests(report: Report): Html {
  const sent = report.requests ?? [];
  return html`${sent.length > 0 && html`<section aria-labelledby="sent"><h2 id="sent">Prompts that were sent</h2>${sent.map(request)}</section>`}`;
}

function request(each: SentRequest, index: number): Html {
  const sentence = (text: string) => html`<p class="note">${text}</p>`;
  return html`<details data-key="sent-${index}"><summary>${each.title}</summary>
    ${each.before.map(sentence)}
    ${each.texts.map(({ name, text }) => html`<h3>${name}</h3><pre tabindex="0">${text}</pre>`)}
    ${each.after.map(sentence)}
  </details>`;
}

function past(report: Report): Html {
  if (report.history.length < 2) {
    return html``;
  }
  return html`<section aria-labelledby="history"><h2 id="history">Last runs</h2>
    ${history(report)}
    <p class="note">${report.history.filter((run) => run.verdict === 'passed').length} of ${report.history.length} passed</p>
  </section>`;
}

function command(report: Report): Html {
  return html`<section aria-labelledby="command"><h2 id="command">In a terminal</h2>
    <div class="command"><code>${report.command}</code>${button('copy', 'Copy')}</div>
  </section>`;
}

const failedFirst = (a: Evaluator, b: Evaluator) => Number(a.verdict === 'passed') - Number(b.verdict === 'passed');

// -- pieces --------------------------------------------------------------------------------------------------------------

const button = (act: string, label: string) => html`<button type="button" data-act="${act}" data-key="${act}">${label}</button>`;

function link(text: string, line: number | undefined): Html {
  return line === undefined ? html`${text}` : html`<a href="#" data-act="suite" data-line="${line}" data-key="line-${line}-${text}" title="Show in suite">${text}</a>`;
}

const verdict = (which: Verdict) => html`<span class="mark ${which}"><span class="sign" aria-hidden="true">${SIGNS[which]}</span> ${which}</span>`;
const paragraph = (text: string | undefined) => (text ? html`<p>${text}</p>` : html``);
const decimal = (value: number | undefined) => (value === undefined ? '–' : value.toFixed(2));
const plain = (value: number) => String(Math.round(value * 100) / 100);

function list(name: string, items: string[], sign: string): Html {
  const listed = items.map((item) => html`<li><span class="sign" aria-hidden="true">${sign}</span> ${item}</li>`);
  return items.length ? html`<h3>${name}</h3><ul class="signed ${name.toLowerCase()}">${listed}</ul>` : html``;
}

const seconds = (ms: number) => (ms < 950 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`);

function moment(at: string): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? at : date.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });
}
