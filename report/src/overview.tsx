/** The overview of a run. */

import type { VNode } from 'preact';
import { Distribution, Legend, Trend } from './charts';
import { type CaseRow, type ReportData, type Run, VERDICTS } from './data';
import { amount, count, decimal, dollars, moment, passRate, percent, safeText, seconds, total } from './format';
import { Copy, Section, VerdictBar } from './pieces';
import { link, type Route } from './route';
import { byEvaluator, byTag, type Group } from './select';

const MOST = 5;
/** The number of groups that are shown before the rest is collapsed. */
const GROUPS = 10;

interface Props {
  data: ReportData;
  route: Route;
  address: (index: number) => string;
  choose?: ((run: string) => void) | undefined;
  said: (words: string) => void;
}

export function Overview({ data, route, address, choose, said }: Props): VNode {
  const { run, trend } = data;
  const before = trend[trend.findIndex(({ id }) => id === run.id) - 1];
  return (
    <>
      <Summary data={data} before={before} route={route} />
      <div class="grid-2">
        <Section id="distribution" title="Scores" note={words(data)}>
          <Distribution cases={data.cases} />
          <Legend counts={run.counts} />
        </Section>
        <Section id="trend" title="Runs" note={trend.length > 1 ? `Pass rate in percent of the last ${trend.length} runs` : 'This is the only run of these suites.'}>
          {trend.length > 1 && <Trend runs={trend} chosen={run.id} choose={choose} />}
          {trend.length > 1 && <TrendTable runs={trend} chosen={run.id} choose={choose} />}
        </Section>
        {data.tags.length > 0 && <Groups id="tags" title="By tag" groups={byTag(data)} address={(tag) => link(route, { view: 'cases', tag, sort: 'worst' })} />}
        {data.evaluators.length > 0 && <Groups id="evaluators" title="By evaluator" groups={byEvaluator(data)} address={(evaluator) => link(route, { view: 'map', evaluator, sort: 'worst' })} />}
        <Most id="slowest" title="Slowest" data={data} of={(row) => row.durationMs} words={seconds} address={address} more={link(route, { view: 'cases', sort: 'slow' })} />
        <Most id="expensive" title="Most expensive" data={data} of={(row) => row.costUsd} words={dollars} address={address} more={link(route, { view: 'cases', sort: 'cost' })} />
      </div>
      <Section id="about" title="This run">
        <dl class="facts">
          {facts(data).map(([name, value]) => <div><dt>{name}</dt><dd>{safeText(value)}</dd></div>)}
        </dl>
        <div class="command"><code>{safeText(run.command)}</code><Copy text={run.command} said={said} /></div>
      </Section>
    </>
  );
}

function facts({ run, suites, targets, generatedAt }: ReportData): [string, string][] {
  const some = (values: string[]) => values.slice(0, 4).join(', ') + (values.length > 4 ? ` and ${values.length - 4} more` : '');
  const known: [string, string][] = [
    ['Run', run.id],
    ['Started', moment(run.startedAt)],
    ['Commit', run.commit ? `${run.commit.slice(0, 10)}${run.dirty ? ' with changes' : ''}` : ''],
    [suites.length > 1 ? 'Suites' : 'Suite', some(suites)],
    [targets.length > 1 ? 'Targets' : 'Target', some(targets)],
    [run.judges.length > 1 ? 'Judges' : 'Judge', some(run.judges)],
    ['rubric', run.rubricVersion],
    ['Report', moment(generatedAt)],
  ];
  return known.filter(([, value]) => value);
}

function words(data: ReportData): string {
  const unscored = data.cases.filter((row) => row.score === undefined).length;
  const mean = data.run.meanScore === undefined ? '' : `Mean ${decimal(data.run.meanScore)}`;
  return [mean, unscored ? `${amount(unscored, 'case has', 'cases have')} no score` : ''].filter(Boolean).join(' · ');
}

function Summary({ data, before, route }: { data: ReportData; before: Run | undefined; route: Route }): VNode {
  const { run } = data;
  const whole = total(run);
  const rate = passRate(run);
  const figures: [string, string, string][] = [
    ['Mean score', decimal(run.meanScore), delta(run.meanScore, before?.meanScore, (by) => by.toFixed(2))],
    ['Time', seconds(run.durationMs), delta(run.durationMs, before?.durationMs, seconds)],
    ['Cost', dollars(run.costUsd), delta(run.costUsd, before?.costUsd, dollars)],
    ['Tokens', count(run.tokens), delta(run.tokens, before?.tokens, count)],
  ];
  return (
    <section class="summary" aria-labelledby="summary">
      <h2 id="summary" class="unseen">Summary</h2>
      <div class="headline">
        <p class="rate"><span class="number">{percent(rate)}</span> <span class="of">passed<span class="sub">{count(run.counts.passed)} of {amount(whole, 'case')}</span></span></p>
        {before && rate !== undefined && passRate(before) !== undefined && <p class="since">{since(rate - (passRate(before) ?? 0))} the run before</p>}
      </div>
      {run.foreign && <p class="trouble"><span aria-hidden="true">⚠</span> Not yours: {safeText(run.foreign)}.</p>}
      <div class="verdicts">
        <VerdictBar counts={run.counts} class="thick" />
        <ul>
          {VERDICTS.filter((verdict) => run.counts[verdict]).map((verdict) => (
            <li><a href={link(route, { view: 'cases', verdict })}><span class={`sign ${verdict}`} aria-hidden="true">{({ passed: '✔', borderline: '◐', failed: '✘', unscored: '○' } as const)[verdict]}</span> <span class="n">{count(run.counts[verdict])}</span> {verdict}</a></li>
          ))}
          {run.graderErrors > 0 && <li class="trouble"><span aria-hidden="true">⚠</span> {amount(run.graderErrors, 'grader')} failed</li>}
        </ul>
      </div>
      <dl class="figures">
        {figures.filter(([, value]) => value !== '–').map(([name, value, change]) => <div><dt>{name}</dt><dd><span class="n">{value}</span>{change && <span class="delta">{change}</span>}</dd></div>)}
      </dl>
    </section>
  );
}

function since(by: number): string {
  const points = Math.round(Math.abs(by) * 100);
  if (!points) return 'as in';
  return `${by > 0 ? '▲' : '▼'} ${amount(points, 'point')} ${by > 0 ? 'above' : 'below'}`;
}

function delta(now: number | undefined, then: number | undefined, show: (by: number) => string): string {
  if (now === undefined || then === undefined) return '';
  const by = now - then;
  if (Math.abs(by) < 0.005 * Math.abs(then)) return '';
  const shown = show(Math.abs(by));
  return shown === show(0) ? '' : `${by > 0 ? '+' : '−'}${shown}`;
}

function TrendTable({ runs, chosen, choose }: { runs: Run[]; chosen: string; choose?: ((run: string) => void) | undefined }): VNode {
  return (
    <details class="as-table">
      <summary>As a table</summary>
      <div class="wide" tabIndex={0} role="group" aria-label="Runs">
        <table>
          <thead><tr><th scope="col">Started</th><th scope="col">Commit</th><th scope="col" class="n">Passed</th><th scope="col" class="n">Cost</th></tr></thead>
          <tbody>
            {[...runs].reverse().map((run) => (
              <tr aria-current={run.id === chosen ? 'true' : undefined}>
                <th scope="row">{choose && run.id !== chosen ? <button type="button" class="plain" onClick={() => choose(run.id)}>{moment(run.startedAt)}</button> : moment(run.startedAt)}</th>
                <td><code>{run.commit?.slice(0, 8) ?? ''}</code></td>
                <td class="n">{percent(passRate(run))} of {total(run)}</td>
                <td class="n">{dollars(run.costUsd)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

function Groups({ id, title, groups, address }: { id: string; title: string; groups: Group[]; address: (name: string) => string }): VNode {
  const row = (group: Group) => (
    <li>
      <a href={address(group.name)}>{safeText(group.name)}</a>
      <VerdictBar counts={group.counts} />
      <span class="n">{percent(group.rate)}</span>
      <span class="n of">{group.counts.passed}/{group.amount}</span>
    </li>
  );
  return (
    <Section id={id} title={title}>
      <ul class="groups">{groups.slice(0, GROUPS).map(row)}</ul>
      {groups.length > GROUPS && <details><summary>{amount(groups.length - GROUPS, 'more', 'more')}</summary><ul class="groups">{groups.slice(GROUPS).map(row)}</ul></details>}
    </Section>
  );
}

function Most({ id, title, data, of, words, address, more }: { id: string; title: string; data: ReportData; of: (row: CaseRow) => number | undefined; words: (value: number | undefined) => string; address: (index: number) => string; more: string }): VNode | null {
  const known = data.cases.map((row, index) => [of(row) ?? 0, index] as const).filter(([value]) => value > 0);
  const most = known.sort((a, b) => b[0] - a[0]).slice(0, MOST);
  const largest = most[0]?.[0] ?? 1;
  if (!most.length) return null;
  return (
    <Section id={id} title={title}>
      <ul class="groups most">
        {most.map(([value, index]) => (
          <li>
            <a href={address(index)}>{safeText(data.cases[index]?.id ?? '')}</a>
            <span class="bar" aria-hidden="true"><span class="fill neutral" style={{ width: `${(100 * value) / largest}%` }} /></span>
            <span class="n">{words(value)}</span>
          </li>
        ))}
      </ul>
      {known.length > MOST && <p class="more"><a href={more}>All {count(known.length)}</a></p>}
    </Section>
  );
}
