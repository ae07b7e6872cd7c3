/** Scores as pictures. Each says in words what it shows; colours come from the theme, through classes. */

import { Criterion, Evaluator, Report, Verdict } from '../protocol';
import { html, Html } from './html';

const POINTS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10];

/** The bands of a criterion over 0..10, the one that was hit standing out. */
export function scale(each: Criterion): Html {
  if (!each.bands.length) {
    return html``;
  }
  const bands = [...each.bands].sort((a, b) => a.low - b.low);
  const cell = (point: number) => {
    const band = bands.find(({ low, high }) => low <= point && point <= high);
    const classes = [band && 'in', band?.hit && 'hit', band && Math.ceil(band.low) === point && 'first', each.raw === point && 'at'];
    return html`<span class="${classes.filter(Boolean).join(' ')}">${point}</span>`;
  };
  const line = ({ low, high, text, hit }: Criterion['bands'][number]) =>
    html`<li class="${hit ? 'hit' : ''}"><span class="bounds">${low === high ? low : `${low}–${high}`}</span><span>${text}${hit && html`<span class="said"> ← the judge gave ${each.raw ?? 'this'}</span>`}</span></li>`;
  return html`<div class="scale" aria-hidden="true">${POINTS.map(cell)}</div><ol class="bands">${bands.map(line)}</ol>`;
}

/** What the evaluators give, one after the other, against the score that is needed. */
export function total(report: Report): Html {
  let at = 0;
  const parts = report.evaluators.map((each) => {
    const given = each.contribution ?? 0;
    at += given;
    return html`<rect class="given" x="${percent(at - given)}" width="${percent(given)}" y="4" height="12"><title>${each.name} ${given.toFixed(2)}</title></rect>
      <rect class="edge" x="${percent(at)}" width="${given > 0 && at < 0.999 ? 1 : 0}" y="4" height="12"></rect>`;
  });
  const needed = percent(report.threshold);
  return html`<svg class="total" role="img" aria-label="${at.toFixed(2)} of ${report.threshold.toFixed(2)} needed" height="20" width="100%">
    <rect class="room" width="100%" y="4" height="12"></rect>${parts}<line class="threshold" x1="${needed}" x2="${needed}" y1="0" y2="20"></line></svg>`;
}

/** What an evaluator gives of what it could. */
export function part(each: Evaluator): Html {
  return html`<svg class="part" aria-hidden="true" width="100" height="8">
    <rect class="room" width="${percent(each.share)}" height="8"></rect><rect class="given" width="${percent(each.contribution ?? 0)}" height="8"></rect></svg>`;
}

const STEP = 18;
const HEIGHT = 64;

/** The scores of the last runs, oldest first. Each verdict has its own shape. */
export function history(report: Report): Html {
  const runs = report.history;
  const width = runs.length * STEP;
  const y = (score: number) => Math.round((1 - score) * (HEIGHT - 16)) + 8;
  const points = runs.map((run, index) => ({ ...run, x: index * STEP + STEP / 2, y: y(run.score ?? 0) }));
  const line = points.filter((point) => point.score !== undefined).map((point) => `${point.x},${point.y}`).join(' ');
  const marks = points.map((point) => html`<g class="${point.verdict}"><title>${point.verdict}${point.score !== undefined && ` ${point.score.toFixed(2)}`}, ${point.at.slice(0, 16).replace('T', ' ')}</title>${shape(point.verdict, point.x, point.y)}</g>`);
  const words = runs.map((run) => `${run.verdict}${run.score === undefined ? '' : ` ${run.score.toFixed(2)}`}`).join(', ');
  return html`<svg class="history" role="img" aria-label="Last ${runs.length} runs, oldest first: ${words}" width="${width}" height="${HEIGHT}" viewBox="0 0 ${width} ${HEIGHT}">
    <line class="threshold" x1="0" x2="${width}" y1="${y(report.threshold)}" y2="${y(report.threshold)}"></line>
    <polyline points="${line}"></polyline>${marks}</svg>`;
}

function shape(verdict: Verdict, x: number, y: number): Html {
  switch (verdict) {
    case 'passed':
      return html`<circle cx="${x}" cy="${y}" r="4"></circle>`;
    case 'failed':
      return html`<path d="M${x - 4} ${y - 4} l8 8 m0 -8 l-8 8"></path>`;
    case 'borderline':
      return html`<path class="solid" d="M${x} ${y - 5} l5 5 l-5 5 l-5 -5 z"></path>`;
    case 'unscored':
      return html`<circle class="hollow" cx="${x}" cy="${y}" r="4"></circle>`;
  }
}

const percent = (part: number) => `${Math.round(Math.max(0, Math.min(1, part)) * 10_000) / 100}%`;
