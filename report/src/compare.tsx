/** Two runs side by side, with changed verdicts first. */

import type { VNode } from 'preact';
import { Scatter } from './charts';
import type { Change, Comparison, Difference, Pair, ReportData } from './data';
import { amount, count, decimal, dollars, moment, passRate, percent, safeText, seconds, total } from './format';
import { Fold, Section, Sign } from './pieces';

/** The kinds of changes in display order, each with its symbol and its label. */
const FLIPS: [Change, string, string][] = [
  ['no_longer_passes', '✘', 'No longer pass'],
  ['now_passes', '✔', 'Pass now'],
];
const OTHERS: [Change, string, string][] = [
  ['moved', '↕', 'Another score'],
  ['unscored', '○', 'Without a score in a run'],
  ['test_changed', '≠', 'The test changed: not compared'],
  ['only_after', '+', 'New'],
  ['only_before', '−', 'No longer there'],
];
/** The number of pairs of a kind that are shown at first. */
const AT_ONCE = 20;
const size = ({ before, after }: Pair) => Math.abs((after?.score ?? 0) - (before?.score ?? 0));

export function Compared({ data, comparison, address }: { data: ReportData; comparison: Comparison; address: (index: number) => string }): VNode {
  // The largest change comes first.
  const of = (change: Change) => comparison.pairs.filter((pair) => pair.change === change).sort((a, b) => size(b) - size(a));
  const same = of('same').length;
  const panels = (changes: typeof FLIPS) => changes.map(([change, sign, title]) => ({ change, sign, title, pairs: of(change) })).filter(({ pairs }) => pairs.length);
  const show = ({ change, sign, title, pairs }: ReturnType<typeof panels>[number]) => <Pairs key={change} change={change} sign={sign} title={title} pairs={pairs} data={data} address={address} />;
  const flips = panels(FLIPS);
  return (
    <>
      <section class="summary versus" aria-labelledby="versus">
        <h2 id="versus" class="unseen">Two runs</h2>
        <Side title="Before" run={comparison.base} />
        <span class="arrow" aria-hidden="true">→</span>
        <Side title="Now" run={data.run} />
        <p class="words">{safeText(comparison.words)}</p>
      </section>
      {flips.length > 1 ? <div class="grid-2">{flips.map(show)}</div> : flips.map(show)}
      <div class="grid-2">
        <Section id="differences" title="Differences" note="Over the cases with a score in both runs. Below a difference: its 95 % interval, or how often chance gives as much.">
          <Differences differences={comparison.differences} />
        </Section>
        <Section id="scatter" title="Scores, before and now"><Scatter pairs={comparison.pairs} /></Section>
      </div>
      {comparison.groups.length > 0 && <Groups groups={comparison.groups} />}
      {panels(OTHERS).map(show)}
      {same > 0 && <p class="note">{amount(same, 'case has', 'cases have')} the same verdict and score in both.</p>}
    </>
  );
}

const Side = ({ title, run }: { title: string; run: Comparison['base'] }) => (
  <div class="headline">
    <p class="sub">{title}</p>
    <p class="rate"><span class="number">{percent(passRate(run))}</span> <span class="of">passed<span class="sub">{count(run.counts.passed)} of {amount(total(run), 'case')}</span></span></p>
    <p class="since">{moment(run.startedAt)}{run.commit && <> · <code>{run.commit.slice(0, 8)}</code></>}</p>
  </div>
);

const SHOW: Record<Difference['unit'], (value: number | undefined) => string> = { rate: percent, score: decimal, usd: dollars, ms: seconds, tokens: count };
const BY: Record<Difference['unit'], (value: number) => string> = {
  rate: (value) => `${(100 * value).toFixed(1)} points`,
  score: (value) => value.toFixed(3),
  usd: dollars,
  ms: seconds,
  tokens: (value) => count(Math.round(value)),
};

function Differences({ differences }: { differences: Difference[] }): VNode {
  return (
    <div class="wide" tabIndex={0} role="group" aria-label="Differences">
      <table class="differences">
        <thead><tr><th scope="col">Figure</th><th scope="col" class="n">Before</th><th scope="col" class="n">Now</th><th scope="col" class="n">Difference</th></tr></thead>
        <tbody>
          {differences.map((each) => (
            <tr>
              <th scope="row">{safeText(each.name)}</th>
              <td class="n">{SHOW[each.unit](each.before)}</td>
              <td class="n">{SHOW[each.unit](each.after)}</td>
              <td class="n">{change(each)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The sources of a difference, with significant ones first. */
function Groups({ groups }: { groups: Difference[] }): VNode {
  const gap = ({ before, after }: Difference) => Math.abs((after ?? 0) - (before ?? 0));
  const moved = groups.filter((each) => gap(each) > 1e-9).sort((a, b) => Number(!!b.direction) - Number(!!a.direction) || gap(b) - gap(a));
  const shown = moved.slice(0, 12);
  return (
    <Section id="groups" title="Where it comes from" note={`Means by evaluator, criterion, tag, target and suite. ${moved.length ? '' : 'None differs.'}`}>
      {shown.length > 0 && (
        <div class="wide" tabIndex={0} role="group" aria-label="Where it comes from">
          <table class="differences roomy">
            <thead><tr><th scope="col">Scores of</th><th scope="col" class="n">Cases</th><th scope="col" class="n">Before</th><th scope="col" class="n">Now</th><th scope="col" class="n">Difference</th><th scope="col">Beyond chance</th></tr></thead>
            <tbody>
              {shown.map((each) => (
                <tr>
                  <th scope="row">{safeText(each.name)}</th>
                  <td class="n">{count(each.cases)}</td>
                  <td class="n">{decimal(each.before)}</td>
                  <td class="n">{decimal(each.after)}</td>
                  <td class="n">{change({ name: each.name, unit: each.unit, before: each.before, after: each.after })}</td>
                  <td>{each.direction ?? 'no'}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {moved.length > shown.length && <p class="note">{moved.length - shown.length} smaller ones are left out.</p>}
    </Section>
  );
}

function change({ unit, before, after, low, high, p }: Difference): VNode | string {
  if (before === undefined || after === undefined) return '–';
  const by = after - before;
  const signed = (value: number) => `${value < 0 ? '−' : '+'}${BY[unit](Math.abs(value))}`;
  return (
    <>
      {by === 0 ? '0' : signed(by)}
      {(low !== undefined && high !== undefined) && <span class="sub">{signed(low)} to {signed(high)}</span>}
      {p !== undefined && <span class="sub">p {p < 0.001 ? '< 0.001' : `= ${p.toFixed(3)}`}</span>}
    </>
  );
}

function Pairs({ change: kind, sign, title, pairs, data, address }: { change: Change; sign: string; title: string; pairs: Pair[]; data: ReportData; address: (index: number) => string }): VNode {
  const several = data.targets.length > 1 || new Set(pairs.map(({ target }) => target)).size > 1;
  const rows = (some: Pair[]) => (
    <div class="wide" tabIndex={0} role="group" aria-label={title}>
      <table class="pairs">
        <thead><tr><th scope="col">Case</th><th scope="col" class="n">Before</th><th scope="col" class="n">Now</th><th scope="col" class="n">Change</th></tr></thead>
        <tbody>
          {some.map((pair) => (
            <tr>
              <th scope="row">{pair.case === undefined ? safeText(pair.id) : <a href={address(pair.case)}>{safeText(pair.id)}</a>}{several && <span class="target">{safeText(pair.target)}</span>}</th>
              <td class="n">{pair.before && <><Sign verdict={pair.before.verdict} /><span class="unseen"> {pair.before.verdict} </span> {decimal(pair.before.score)}</>}</td>
              <td class="n">{pair.after && <><Sign verdict={pair.after.verdict} /><span class="unseen"> {pair.after.verdict} </span> {decimal(pair.after.score)}</>}</td>
              <td class="n">{moved(pair)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
  return (
    <Section id={`pairs-${kind}`} title={<><span class={`change-sign ${kind}`} aria-hidden="true">{sign}</span> {title} <span class="amount n">{count(pairs.length)}</span></>}>
      {rows(pairs.slice(0, AT_ONCE))}
      {pairs.length > AT_ONCE && <Fold name={`more-${kind}`} title={`${count(pairs.length - AT_ONCE)} more`}>{() => rows(pairs.slice(AT_ONCE))}</Fold>}
    </Section>
  );
}

function moved({ before, after }: Pair): string {
  if (before?.score === undefined || after?.score === undefined) return '';
  const by = after.score - before.score;
  return by ? `${by < 0 ? '−' : '+'}${Math.abs(by).toFixed(2)}` : '0';
}
