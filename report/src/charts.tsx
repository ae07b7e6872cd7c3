/** Charts, drawn as SVG with D3's scales and shapes. Each has a text alternative. */

import { bin, max } from 'd3-array';
import { scaleLinear, scalePoint } from 'd3-scale';
import { line } from 'd3-shape';
import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type CaseRow, type Pair, type Run, SIGNS, type Verdict, VERDICTS } from './data';
import { amount, decimal, moment, passRate, percent, plain, total } from './format';

/** The width of an element in pixels. */
function useWidth(first: number): [{ current: HTMLDivElement | null }, number] {
  const place = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(first);
  useEffect(() => {
    if (!place.current) return undefined;
    const seen = new ResizeObserver(([entry]) => entry && entry.contentRect.width > 0 && setWidth(Math.round(entry.contentRect.width)));
    seen.observe(place.current);
    return () => seen.disconnect();
  }, []);
  return [place, width];
}

const BINS = 20;
const MARGIN = { top: 12, right: 8, bottom: 24, left: 36 };
const STACKED: readonly Verdict[] = ['failed', 'borderline', 'passed'];

/** A histogram of the scores of cases, stacked by verdict. */
export function Distribution({ cases }: { cases: CaseRow[] }): VNode {
  const [place, width] = useWidth(560);
  const height = 200;
  const scored = cases.filter((row) => row.score !== undefined);
  const bins = bin<CaseRow, number>()
    .domain([0, 1])
    .thresholds(Array.from({ length: BINS - 1 }, (_, index) => (index + 1) / BINS))
    .value((row) => row.score ?? 0)(scored);
  const x = scaleLinear([0, 1], [MARGIN.left, width - MARGIN.right]);
  const y = scaleLinear([0, max(bins, (each) => each.length) || 1], [height - MARGIN.bottom, MARGIN.top]).nice(4);
  const bars = bins.map((each) => {
    let below = 0;
    const left = x(each.x0 ?? 0) + 1;
    const wide = Math.max(1, x(each.x1 ?? 1) - x(each.x0 ?? 0) - 2);
    const counts = STACKED.map((verdict) => [verdict, each.filter((row) => row.verdict === verdict).length] as const).filter(([, number]) => number);
    return (
      <g>
        <title>{`${decimal(each.x0)}–${decimal(each.x1)}: ${counts.map(([verdict, number]) => `${number} ${verdict}`).join(', ') || 'none'}`}</title>
        {counts.map(([verdict, number]) => {
          const top = y(below + number);
          const bar = <rect class={`fill ${verdict}`} x={left} width={wide} y={top} height={y(below) - top} rx={1} />;
          below += number;
          const lines = verdict !== 'passed' && <rect x={left} width={wide} y={top} height={y(below - number) - top} fill={`url(#lines-${verdict})`} />;
          return [bar, lines];
        })}
      </g>
    );
  });
  const words = bins.filter((each) => each.length).map((each) => `${decimal(each.x0)} to ${decimal(each.x1)}: ${each.length}`);
  return (
    <div ref={place} class="chart">
      <svg role="img" aria-label={`Distribution of ${amount(scored.length, 'score')}. ${words.join('; ')}`} viewBox={`0 0 ${width} ${height}`} width={width} height={height}>
        <defs>
          <Lines verdict="failed" angle={45} />
          <Lines verdict="borderline" angle={0} />
        </defs>
        {y.ticks(4).filter(Number.isInteger).map((tick) => (
          <g>
            <line class="grid" x1={MARGIN.left} x2={width - MARGIN.right} y1={y(tick)} y2={y(tick)} />
            <text class="tick n" x={MARGIN.left - 6} y={y(tick) + 4} text-anchor="end">{tick}</text>
          </g>
        ))}
        {bars}
        {[0, 0.2, 0.4, 0.6, 0.8, 1].map((tick) => (
          <text class="tick" x={x(tick)} y={height - 6} text-anchor="middle">{tick.toFixed(1)}</text>
        ))}
      </svg>
    </div>
  );
}

/** What a verdict is told by without its colour. */
const Lines = ({ verdict, angle }: { verdict: Verdict; angle: number }) => (
  <pattern id={`lines-${verdict}`} width="5" height="5" patternUnits="userSpaceOnUse" patternTransform={`rotate(${angle})`}>
    <line class="hatching" x1="0" x2="0" y1="0" y2="5" />
  </pattern>
);

/** The pass rate of each run. */
export function Trend({ runs, chosen, choose }: { runs: Run[]; chosen: string; choose?: ((id: string) => void) | undefined }): VNode {
  const [place, width] = useWidth(560);
  const height = 200;
  const known = runs.filter((run) => passRate(run) !== undefined);
  const x = scalePoint(known.map(({ id }) => id), [MARGIN.left + 12, width - MARGIN.right - 12]);
  const lowest = Math.min(...known.map((run) => passRate(run) ?? 0));
  const from = lowest >= 0.75 ? 0.5 : 0;
  const y = scaleLinear([from, 1], [height - MARGIN.bottom, MARGIN.top]);
  const at = (run: Run): [number, number] => [x(run.id) ?? 0, y(passRate(run) ?? 0)];
  const path = line<Run>((run) => at(run)[0], (run) => at(run)[1])(known) ?? '';
  const first = known[0];
  const last = known[known.length - 1];
  return (
    <div ref={place} class="chart">
      <svg role="img" aria-label={`Pass rate of ${amount(known.length, 'run')}, oldest first: ${known.map((run) => percent(passRate(run))).join(', ')}`} viewBox={`0 0 ${width} ${height}`} width={width} height={height}>
        {y.ticks(from ? 3 : 5).map((tick) => (
          <g>
            <line class="grid" x1={MARGIN.left} x2={width - MARGIN.right} y1={y(tick)} y2={y(tick)} />
            <text class="tick n" x={MARGIN.left - 6} y={y(tick) + 4} text-anchor="end">{Math.round(tick * 100)}</text>
          </g>
        ))}
        <path class="trend" d={path} />
        {known.map((run) => (
          <circle class={run.id === chosen ? 'point chosen' : 'point'} cx={at(run)[0]} cy={at(run)[1]} r={run.id === chosen ? 5 : 3.5} onClick={choose && (() => choose(run.id))}>
            <title>{`${percent(passRate(run))} of ${total(run)} passed, ${moment(run.startedAt)}${run.commit ? `, ${run.commit.slice(0, 8)}` : ''}`}</title>
          </circle>
        ))}
        {last && <text class="value" x={at(last)[0]} y={at(last)[1] + (at(last)[1] > 40 ? -12 : 22)} text-anchor="end">{percent(passRate(last))}</text>}
        {first && first !== last && <text class="tick" x={MARGIN.left} y={height - 6}>{day(first.startedAt)}</text>}
        {last && <text class="tick" x={width - MARGIN.right} y={height - 6} text-anchor="end">{day(last.startedAt)}</text>}
      </svg>
    </div>
  );
}

function day(at: string): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? at : date.toLocaleDateString('en-GB', { day: 'numeric', month: 'short' });
}

/** Scores before and after: points above the diagonal have improved. */
export function Scatter({ pairs }: { pairs: Pair[] }): VNode {
  const [place, width] = useWidth(360);
  const side = Math.min(width, 360);
  const both = pairs.filter((pair) => pair.before?.score !== undefined && pair.after?.score !== undefined);
  // If all scores are high, axes from 0 would show them as one spot; the axes are labelled with their start.
  const lowest = Math.min(1, ...both.flatMap(({ before, after }) => [before?.score ?? 0, after?.score ?? 0]));
  const from = lowest >= 0.5 ? 0.5 : 0;
  const x = scaleLinear([from, 1], [MARGIN.left, side - MARGIN.right]);
  const y = scaleLinear([from, 1], [side - MARGIN.left, MARGIN.top]);
  const better = both.filter(({ before, after }) => (after?.score ?? 0) > (before?.score ?? 0)).length;
  const worse = both.filter(({ before, after }) => (after?.score ?? 0) < (before?.score ?? 0)).length;
  return (
    <div ref={place} class="chart">
      <svg role="img" aria-label={`Scores of ${amount(both.length, 'case')} before and after: ${better} higher, ${worse} lower`} viewBox={`0 0 ${side} ${side}`} width={side} height={side}>
        {[from, (from + 1) / 2, 1].map((tick) => (
          <g>
            <line class="grid" x1={x(from)} x2={x(1)} y1={y(tick)} y2={y(tick)} />
            <line class="grid" x1={x(tick)} x2={x(tick)} y1={y(from)} y2={y(1)} />
            <text class="tick n" x={x(from) - 6} y={y(tick) + 4} text-anchor="end">{plain(tick)}</text>
            <text class="tick n" x={x(tick)} y={y(from) + 16} text-anchor="middle">{plain(tick)}</text>
          </g>
        ))}
        <line class="threshold" x1={x(from)} y1={y(from)} x2={x(1)} y2={y(1)} />
        {both.map(({ id, change, before, after }) => (
          <g class={`pair ${change}`}>
            <title>{`${id}: ${decimal(before?.score)} → ${decimal(after?.score)}`}</title>
            <Shape change={change} x={x(before?.score ?? 0)} y={y(after?.score ?? 0)} />
          </g>
        ))}
        <text class="tick" x={x(1)} y={side - 2} text-anchor="end">before →</text>
        <text class="tick" x={x(from) + 4} y={y(1) + 12}>↑ after</text>
      </svg>
    </div>
  );
}

/** Each change has its own shape. */
function Shape({ change, x, y }: { change: string; x: number; y: number }): VNode {
  if (change === 'no_longer_passes') return <path class="stroke" d={`M${x - 4} ${y - 4} l8 8 m0 -8 l-8 8`} />;
  if (change === 'now_passes') return <path class="solid" d={`M${x} ${y - 5} l5 9 h-10 z`} />;
  return <circle class="solid" cx={x} cy={y} r={3} />;
}

const STEP = 20;

/** The last runs of one case, oldest first. Each verdict has its own sign. */
export function History({ runs, threshold }: { runs: { verdict: Verdict; score?: number; at: string }[]; threshold?: number }): VNode {
  const height = 72;
  const width = runs.length * STEP;
  const y = scaleLinear([0, 1], [height - 12, 12]);
  const point = (index: number) => index * STEP + STEP / 2;
  const path = line<{ score?: number }>((_, index) => point(index), (run) => y(run.score ?? 0)).defined((run) => run.score !== undefined)(runs) ?? '';
  const words = runs.map((run) => `${run.verdict}${run.score === undefined ? '' : ` ${decimal(run.score)}`}`).join(', ');
  return (
    <svg class="history" role="img" aria-label={`Last ${runs.length} runs, oldest first: ${words}`} width={width} height={height} viewBox={`0 0 ${width} ${height}`}>
      {threshold !== undefined && <line class="threshold" x1="0" x2={width} y1={y(threshold)} y2={y(threshold)} />}
      <path class="trend" d={path} />
      {runs.map((run, index) => (
        <g class={run.verdict}>
          <title>{`${run.verdict}${run.score === undefined ? '' : ` ${decimal(run.score)}`}, ${moment(run.at)}`}</title>
          <circle class="behind" cx={point(index)} cy={y(run.score ?? 0)} r="7" />
          <text class={`sign ${run.verdict}`} x={point(index)} y={y(run.score ?? 0) + 4} text-anchor="middle">{SIGNS[run.verdict]}</text>
        </g>
      ))}
    </svg>
  );
}

export const Legend = ({ counts }: { counts: Record<Verdict, number> }) => (
  <ul class="legend">
    {VERDICTS.filter((verdict) => counts[verdict]).map((verdict) => (
      <li class={verdict}>
        <span class={`swatch fill ${verdict}`} aria-hidden="true" /> {verdict} <span class="n">{counts[verdict]}</span>
      </li>
    ))}
  </ul>
);
