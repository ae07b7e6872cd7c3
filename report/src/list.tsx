/** The cases as a list and as a map of evaluators: filtered, sorted, and only rendered where visible. */

import { options, type ComponentChildren, type VNode } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { type CaseRow, type ReportData, SIGNS, type Score, VERDICTS } from './data';
import { amount, count, decimal, dollars, safeText, seconds } from './format';
import { Mark } from './pieces';
import { type Route, type Sort, SORTS } from './route';

/** The number of rows rendered beyond the visible ones, and the maximum number of printed rows. */
const MORE = 12;
const PRINTED = 3000;
/** The maximum number of columns of a map; further ones are cut, with a note. */
const COLUMNS = 24;

type Go = (changes: Partial<Route>, replace?: boolean) => void;

export interface ListProps {
  data: ReportData;
  route: Route;
  go: Go;
  found: number[];
  /** The number in `found` of the current row for keyboard shortcuts. */
  at: number;
  address: (index: number) => string;
}

export function Filters({ data, route, go, found }: ListProps): VNode {
  const counts = data.run.counts;
  const choices = (name: 'tag' | 'suite' | 'target' | 'evaluator', label: string, all: string, values: string[]) =>
    values.length > (name === 'tag' || name === 'evaluator' ? 0 : 1) && (
      <label class="choice">
        <span class="unseen">{label}</span>
        <select value={route[name]} onChange={(event) => go({ [name]: event.currentTarget.value }, true)}>
          <option value="">{all}</option>
          {values.map((value) => <option value={value}>{name === 'evaluator' ? `not passed: ${value}` : value}</option>)}
        </select>
      </label>
    );
  const filtered = route.q || route.verdict || route.tag || route.suite || route.target || route.evaluator;
  return (
    <form class="filters" role="search" aria-label="Cases" onSubmit={(event) => event.preventDefault()}>
      <div class="find">
        <label class="unseen" for="search">Search cases</label>
        <input id="search" type="search" placeholder="Search cases  /" value={route.q} autocomplete="off" spellcheck={false} onInput={(event) => go({ q: event.currentTarget.value }, true)} />
      </div>
      <div class="chips" role="group" aria-label="Verdict">
        <Chip on={!route.verdict} act={() => go({ verdict: '' }, true)}>All <span class="n">{count(data.cases.length)}</span></Chip>
        {VERDICTS.filter((verdict) => counts[verdict]).map((verdict) => (
          <Chip on={route.verdict === verdict} act={() => go({ verdict: route.verdict === verdict ? '' : verdict }, true)}>
            <Mark verdict={verdict} /> <span class="n">{count(counts[verdict])}</span>
          </Chip>
        ))}
      </div>
      <div class="choices">
        {choices('suite', 'Suite', 'All suites', data.suites)}
        {choices('target', 'Target', 'All targets', data.targets)}
        {choices('tag', 'Tag', 'All tags', data.tags)}
        {choices('evaluator', 'Evaluator', 'All evaluators', data.evaluators.map(({ name }) => name))}
        <label class="choice">
          <span class="unseen">Sort by</span>
          <select value={route.sort} onChange={(event) => go({ sort: event.currentTarget.value as Sort }, true)}>
            {Object.entries(SORTS).map(([value, words]) => <option value={value}>{words}</option>)}
          </select>
        </label>
      </div>
      <p class="found">
        <span role="status">{found.length === data.cases.length ? amount(found.length, 'case') : `${count(found.length)} of ${amount(data.cases.length, 'case')}`}</span>
        {filtered && <button type="button" class="quiet" onClick={() => go({ q: '', verdict: '', tag: '', suite: '', target: '', evaluator: '' }, true)}>Clear filters</button>}
      </p>
    </form>
  );
}

const Chip = ({ on, act, children }: { on: boolean; act: () => void; children: ComponentChildren }) => (
  <button type="button" class="chip" aria-pressed={on} onClick={act}>{children}</button>
);

/** Rows of equal height; only those near the visible part are rendered, except for printing. */
function useRows(amountOfRows: number, height: number): [{ current: HTMLDivElement | null }, number, number] {
  const place = useRef<HTMLDivElement>(null);
  const [[first, last], setRange] = useState([0, 40]);
  const printing = useRef(false);
  useLayoutEffect(() => {
    const look = () => {
      if (printing.current || !place.current) return;
      const top = -place.current.getBoundingClientRect().top;
      const from = Math.max(0, Math.floor(top / height) - MORE);
      const to = Math.ceil((top + window.innerHeight) / height) + MORE;
      setRange((known) => (known[0] === from && known[1] === to ? known : [from, to]));
    };
    const all = () => {
      printing.current = true;
      // Printing does not wait for the next update.
      const before = options.debounceRendering;
      options.debounceRendering = (render) => render();
      setRange([0, PRINTED]);
      if (before) options.debounceRendering = before;
      else delete options.debounceRendering;
    };
    const done = () => {
      printing.current = false;
      look();
    };
    look();
    window.addEventListener('scroll', look, { passive: true });
    window.addEventListener('resize', look);
    window.addEventListener('beforeprint', all);
    window.addEventListener('afterprint', done);
    return () => {
      window.removeEventListener('scroll', look);
      window.removeEventListener('resize', look);
      window.removeEventListener('beforeprint', all);
      window.removeEventListener('afterprint', done);
    };
  }, [height, amountOfRows]);
  return [place, Math.min(first, amountOfRows), Math.min(last, amountOfRows)];
}

/** Scrolls the current row into view. */
function useSight(place: { current: HTMLDivElement | null }, at: number, height: number): void {
  const before = useRef(at);
  useEffect(() => {
    if (before.current === at || !place.current) return;
    before.current = at;
    const top = place.current.getBoundingClientRect().top + at * height;
    const head = document.querySelector('.top')?.getBoundingClientRect().height ?? 0;
    if (top < head + 48) window.scrollBy({ top: top - head - 48 });
    else if (top + height > window.innerHeight - 24) window.scrollBy({ top: top + height - window.innerHeight + 24 });
  }, [at, height]);
}

const narrow = () => window.matchMedia('(max-width: 640px)').matches;

function useNarrow(): boolean {
  const [is, setIs] = useState(narrow);
  useEffect(() => {
    const query = window.matchMedia('(max-width: 640px)');
    const changed = () => setIs(query.matches);
    query.addEventListener('change', changed);
    return () => query.removeEventListener('change', changed);
  }, []);
  return is;
}

export function CaseList(props: ListProps): VNode {
  const { data, found, at } = props;
  const height = useNarrow() ? 76 : 56;
  const [place, first, last] = useRows(found.length, height);
  useSight(place, at, height);
  return (
    <div class="list" role="table" aria-label="Cases" aria-rowcount={found.length + 1}>
      <div class="row head" role="row" aria-rowindex={1}>
        <span role="columnheader">Verdict</span>
        <span role="columnheader">Case</span>
        <span role="columnheader" class="n">Score</span>
        <span role="columnheader" class="n">Time</span>
        <span role="columnheader" class="n">Cost</span>
      </div>
      <div role="rowgroup" ref={place} class="rows" style={{ height: `${found.length * height}px` }}>
        {found.slice(first, last).map((index, offset) => (
          <ListRow key={index} {...props} row={data.cases[index] as CaseRow} place={first + offset} index={index} height={height} />
        ))}
      </div>
      {!found.length && <p class="nothing">No case matches.</p>}
    </div>
  );
}

function ListRow({ data, row, place, index, height, at, address }: ListProps & { row: CaseRow; place: number; index: number; height: number }): VNode {
  return (
    <div class={place === at ? 'row at' : 'row'} role="row" aria-rowindex={place + 2} style={{ top: `${place * height}px`, height: `${height}px` }}>
      <span role="cell" class="verdict"><Mark verdict={row.verdict} /></span>
      <span role="cell" class="about">
        <a href={address(index)} data-index={place}>{safeText(row.id)}</a>
        {data.targets.length > 1 && <span class="target">{safeText(data.targets[row.target] ?? '')}</span>}
        {row.tags.map((tag) => <span class="tag">{safeText(data.tags[tag] ?? '')}</span>)}
        {row.repeats && <span class="repeats">{row.repeats.filter(([verdict]) => verdict === 'passed').length}/{row.repeats.length} runs</span>}
        <span class="line">{row.graderErrors ? <span class="failed">⚠ {amount(row.graderErrors, 'grader')} failed. </span> : null}{safeText((row.verdict !== 'passed' && row.reason) || row.input || '')}</span>
      </span>
      <span role="cell" class="n score"><span class={`meter ${row.verdict}`} aria-hidden="true"><span style={{ width: `${100 * (row.score ?? 0)}%` }} /></span>{decimal(row.score)}</span>
      <span role="cell" class="n time">{seconds(row.durationMs)}</span>
      <span role="cell" class="n cost">{dollars(row.costUsd)}</span>
    </div>
  );
}

const CELL_HEIGHT = 30;

/** Cases × evaluators: each cell has the score, the symbol of its verdict, and a colour for the missing part. */
export function CaseMap(props: ListProps): VNode {
  const { data, found, at, address } = props;
  const [place, first, last] = useRows(found.length, CELL_HEIGHT);
  useSight(place, at, CELL_HEIGHT);
  const columns = data.evaluators.slice(0, COLUMNS);
  const shape = { gridTemplateColumns: `minmax(140px, 1.6fr) repeat(${columns.length}, minmax(56px, 1fr))` };
  return (
    <>
      {data.evaluators.length > COLUMNS && <p class="note">The map shows {COLUMNS} of {data.evaluators.length} evaluators.</p>}
      <div class="wide" tabIndex={0} role="group" aria-label="Cases × evaluators">
        <div class="map" role="table" aria-label="Scores of cases by evaluator" aria-rowcount={found.length + 1} style={{ minWidth: `${140 + 58 * columns.length}px` }}>
          <div class="cells head" role="row" aria-rowindex={1} style={shape}>
            <span role="columnheader">Case</span>
            {columns.map(({ name, type }) => <span role="columnheader" title={`${name} (${type})`}>{safeText(name)}</span>)}
          </div>
          <div role="rowgroup" ref={place} class="rows" style={{ height: `${found.length * CELL_HEIGHT}px` }}>
            {found.slice(first, last).map((index, offset) => (
              <MapRow key={index} row={data.cases[index] as CaseRow} place={first + offset} here={first + offset === at} href={address(index)} columns={columns.length} shape={shape} />
            ))}
          </div>
        </div>
      </div>
      {!found.length && <p class="nothing">No case matches.</p>}
      <ul class="legend scale-legend">
        {[1, 0.8, 0.6, 0.4, 0.2, 0].map((score) => <li><span class={`swatch heat-${heat(score)}`} aria-hidden="true" /> {score.toFixed(1)}</li>)}
        <li><span aria-hidden="true">○</span> unscored</li>
        <li><span aria-hidden="true">·</span> not used</li>
      </ul>
    </>
  );
}

function MapRow({ row, place, here, href, columns, shape }: { row: CaseRow; place: number; here: boolean; href: string; columns: number; shape: Record<string, string> }): VNode {
  const cells: (Score | undefined)[] = Array.from({ length: columns });
  for (const each of row.scores) if (each[0] < columns) cells[each[0]] = each;
  return (
    <div class={here ? 'cells at' : 'cells'} role="row" aria-rowindex={place + 2} style={{ ...shape, top: `${place * CELL_HEIGHT}px`, height: `${CELL_HEIGHT}px` }}>
      <span role="rowheader" class="about"><span class={`sign ${row.verdict}`} title={row.verdict} aria-hidden="true">{SIGNS[row.verdict]}</span><span class="unseen">{row.verdict} </span><a href={href} data-index={place}>{safeText(row.id)}</a></span>
      {cells.map((cell) => <Cell cell={cell} />)}
    </div>
  );
}

function Cell({ cell }: { cell: Score | undefined }): VNode {
  if (!cell) return <span role="cell" class="cell unused"><span aria-hidden="true">·</span><span class="unseen">not used</span></span>;
  const [, verdict, score] = cell;
  return (
    <span role="cell" class={`cell ${score === null ? 'heat-none' : `heat-${heat(score)}`}`}>
      {verdict !== 'passed' && <span aria-hidden="true">{SIGNS[verdict]}</span>}
      {score === null ? '' : <span class="n">{score.toFixed(2)}</span>}
      <span class="unseen"> {verdict}</span>
    </span>
  );
}

/** The colour step of a score: 10 for 1, 0 for 0. */
const heat = (score: number) => Math.floor(Math.max(0, Math.min(1, score)) * 5 + 1e-9);
