/** The page of a run: its header, its views, its keyboard shortcuts. */

import type { ComponentChildren, VNode } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Case } from './case';
import { Compared } from './compare';
import type { CaseDetails, ReportData } from './data';
import { keys, moment, percent, passRate, safeText } from './format';
import { CaseList, CaseMap, Filters } from './list';
import { Overview } from './overview';
import { link, type Route, useRoute, type View, written } from './route';
import { selected } from './select';
import type { Source } from './source';
import { kept, type Theme, useKept } from './kept';

export interface Host {
  source: Source;
  /** Whether the page is shown in an editor, which has its own theme. */
  inEditor?: boolean;
}

export function App({ host }: { host: Host }): VNode {
  const [data, setData] = useState<ReportData>();
  const [trouble, setTrouble] = useState('');
  useEffect(() => {
    host.source.follow(
      (found) => {
        setData(found);
        setTrouble('');
      },
      setTrouble,
    );
  }, [host]);
  if (!data) return <main id="main" class="waiting"><h1>Report</h1><p role="status">{trouble || 'Reading the report …'}</p></main>;
  return <Report data={data} host={host} trouble={trouble} />;
}

function Report({ data, host, trouble }: { data: ReportData; host: Host; trouble: string }): VNode {
  const [route, go] = useRoute();
  const [words, said] = useState('');
  const [help, setHelp] = useState(false);
  const [single, setSingle] = useKept('keys', 'on');
  const names = useMemo(() => keys(data), [data]);
  const found = useMemo(() => selected(data, route), [data, route.q, route.verdict, route.tag, route.suite, route.target, route.evaluator, route.sort]);
  const [at, setAt] = useState(0);
  const searching = useRef(false);
  const open = route.case ? names.indexOf(route.case) : -1;
  const address = (index: number) => written({ ...route, case: names[index] ?? '' });
  const listed = !route.case && (route.view === 'cases' || route.view === 'map');
  const place = open >= 0 ? found.indexOf(open) : Math.min(at, found.length - 1);
  const step = (by: number) => {
    const next = Math.max(0, Math.min(found.length - 1, place + by));
    const index = found[next];
    if (open >= 0) {
      if (index !== undefined && next !== place) go({ case: names[index] ?? '' }, true);
    } else if (listed) {
      setAt(next);
    }
  };
  useEffect(() => setAt(0), [route.q, route.verdict, route.tag, route.suite, route.target, route.evaluator, route.sort]);
  useEffect(() => {
    if (open >= 0) setAt(Math.max(0, found.indexOf(open)));
  }, [open, found]);
  useKeys(single === 'on' && !help, {
    '/': () => {
      searching.current = !listed;
      if (listed) document.getElementById('search')?.focus();
      else go({ view: 'cases', case: '' });
    },
    j: () => step(1),
    k: () => step(-1),
    Enter: () => listed && found[place] !== undefined && go({ case: names[found[place] ?? 0] ?? '' }),
    Escape: () => route.case && go({ case: '' }),
    '1': () => go({ view: 'overview', case: '' }),
    '2': () => go({ view: 'cases', case: '' }),
    '3': () => go({ view: 'map', case: '' }),
    '4': () => data.comparison && go({ view: 'compare', case: '' }),
    '?': () => setHelp(true),
  });
  const heading = useFocus(route, searching);
  useEffect(() => {
    document.title = `${route.case || title(data)} · rubric`;
  }, [route.case, data]);
  const list = { data, route, go, found, at: place, address };
  return (
    <>
      <a class="skip" href="#main" onClick={(event) => { event.preventDefault(); heading.current?.focus(); }}>Skip to the content</a>
      <Top data={data} route={route} host={host} help={() => setHelp(true)} />
      <main id="main" ref={heading} tabIndex={-1}>
        {trouble && <p class="stale" role="status">{trouble}</p>}
        {data.run.state === 'running' && <p class="live" role="status"><span class="dot" aria-hidden="true" /> Running: {data.cases.length} cases are done.</p>}
        {data.run.state === 'stopped' && <p class="stale">This run was stopped: {data.cases.length} cases were done by then.</p>}
        {route.case ? (
          <CasePage data={data} index={open} host={host} said={said} near={{ place, found, address, back: link(route, {}) }} route={route} />
        ) : route.view === 'cases' ? (
          <><h1 class="unseen">Cases</h1><Filters {...list} /><CaseList {...list} /></>
        ) : route.view === 'map' ? (
          <><h1 class="unseen">Cases by evaluator</h1><Filters {...list} /><CaseMap {...list} /></>
        ) : route.view === 'compare' && data.comparison ? (
          <><h1 class="unseen">Comparison</h1><Compared data={data} comparison={data.comparison} address={address} /></>
        ) : (
          <><h1 class="unseen">{title(data)}</h1><Overview data={data} route={route} address={address} choose={chooser(host)} said={said} /></>
        )}
      </main>
      <p class="unseen" role="status" id="announcement">{words}</p>
      {help && <Help close={() => setHelp(false)} single={single === 'on'} toggle={() => setSingle(single === 'on' ? 'off' : 'on')} compares={!!data.comparison} />}
    </>
  );
}

const title = (data: ReportData) => safeText(data.suites.length === 1 ? (data.suites[0] ?? 'Report') : `${data.suites.length} suites`);
const chooser = ({ source }: Host) => source.choose && ((run: string) => source.choose?.(run));

function Top({ data, route, host, help }: { data: ReportData; route: Route; host: Host; help: () => void }): VNode {
  const views: [View, string][] = [['overview', 'Overview'], ['cases', 'Cases'], ['map', 'Map']];
  if (data.comparison) views.push(['compare', 'Comparison']);
  return (
    <header class="top">
      <div class="inner">
        <p class="name"><span class="logo" aria-hidden="true">≡</span> <span class="suite" title={data.suites.join(', ')}>{title(data)}</span></p>
        <nav aria-label="Views">
          {views.map(([view, words]) => <a href={link(route, { view })} aria-current={route.view === view ? (route.case ? 'true' : 'page') : undefined}>{words}</a>)}
        </nav>
        <div class="tools">
          {host.source.choose && data.trend.length > 1 && <Runs data={data} source={host.source} />}
          {!host.inEditor && <ThemeButton />}
          <button type="button" class="quiet" onClick={help} aria-label="Keys">?</button>
        </div>
      </div>
    </header>
  );
}

/** Selects the run, and the run that it is compared with. */
function Runs({ data, source }: { data: ReportData; source: Source }): VNode {
  const base = data.comparison?.base.id ?? '';
  const runs = [...data.trend].reverse();
  const words = (run: (typeof runs)[number]) => `${moment(run.startedAt)} · ${percent(passRate(run))}`;
  return (
    <>
      <label>
        <span class="unseen">Run</span>
        <select value={data.run.id} onChange={(event) => source.choose?.(event.currentTarget.value, base || undefined)}>{runs.map((run) => <option value={run.id}>{words(run)}</option>)}</select>
      </label>
      <label>
        <span class="unseen">Compared with</span>
        <select value={base} onChange={(event) => source.choose?.(data.run.id, event.currentTarget.value || undefined)}>
          <option value="">compared with …</option>
          {runs.filter(({ id }) => id !== data.run.id).map((run) => <option value={run.id}>{words(run)}</option>)}
        </select>
      </label>
    </>
  );
}

const THEMES: Record<Theme, [Theme, string, string]> = { auto: ['light', '◑', 'as the system'], light: ['dark', '○', 'light'], dark: ['auto', '●', 'dark'] };

function ThemeButton(): VNode {
  const [theme, setTheme] = useKept('theme', 'auto');
  const known = THEMES[theme as Theme] ?? THEMES.auto;
  useEffect(() => {
    if (theme === 'auto') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
  }, [theme]);
  return <button type="button" class="quiet" onClick={() => setTheme(known[0])} aria-label={`Theme: ${known[2]}`} title={`Theme: ${known[2]}`}><span aria-hidden="true">{known[1]}</span></button>;
}

interface Near {
  place: number;
  found: number[];
  address: (index: number) => string;
  back: string;
}

function CasePage({ data, index, host, said, near, route }: { data: ReportData; index: number; host: Host; said: (words: string) => void; near: Near; route: Route }): VNode {
  const [shown, setShown] = useState<{ index: number; details?: CaseDetails; trouble?: string }>();
  useEffect(() => {
    if (index < 0) return undefined;
    let current = true;
    host.source.details(data, index).then(
      (details) => current && setShown({ index, details }),
      (error: Error) => current && setShown({ index, trouble: error.message }),
    );
    return () => {
      current = false;
    };
  }, [index, data, host]);
  const row = data.cases[index];
  if (!row) return <><h1 tabIndex={-1}>{safeText(route.case)}</h1><p>This report has no such case. <a href={near.back}>All cases</a></p></>;
  const details = shown?.index === index ? shown.details : undefined;
  const beside = (by: number, words: string, sign: string) => {
    const other = near.place < 0 ? undefined : near.found[near.place + by];
    return other === undefined ? <span class="button off" aria-hidden="true">{sign}</span> : <a class="button" href={near.address(other)} aria-label={words} title={words}>{sign}</a>;
  };
  return (
    <>
      <nav class="near" aria-label="Cases nearby">
        <a class="button" href={near.back}>← Back</a>
        <span class="n">{near.place >= 0 && `${near.place + 1} of ${near.found.length}`}</span>
        {beside(-1, 'Previous case', '↑')}
        {beside(1, 'Next case', '↓')}
      </nav>
      {details ? (
        <Case report={details} actions={{ said, open: row.open }}>
          {row.tags.length > 0 && <ul class="tags" aria-label="Tags">{row.tags.map((tag) => <li class="tag"><a href={link(route, { view: 'cases', tag: data.tags[tag] ?? '' })}>{safeText(data.tags[tag] ?? '')}</a></li>)}</ul>}
          {row.repeats && <p class="repeats">Runs: {row.repeats.map(([verdict, score]) => <span class={`repeat ${verdict}`} title={verdict}>{({ passed: '✔', borderline: '◐', failed: '✘', unscored: '○' } as const)[verdict]} {score === null ? '' : score.toFixed(2)}<span class="unseen"> {verdict}</span> </span>)}</p>}
        </Case>
      ) : (
        <><h1 tabIndex={-1}>{safeText(row.id)}</h1><p role="status">{shown?.index === index && shown.trouble ? shown.trouble : 'Reading …'}</p></>
      )}
    </>
  );
}

/** Moves the focus after another view was opened: to its beginning, or to its search field if requested. */
function useFocus(route: Route, searching: { current: boolean }): { current: HTMLElement | null } {
  const main = useRef<HTMLElement>(null);
  const before = useRef(`${route.view}/${route.case}`);
  const scrolled = useRef(new Map<string, number>());
  useEffect(() => {
    const now = `${route.view}/${route.case}`;
    const last = before.current;
    if (now === last) return;
    before.current = now;
    const place = searching.current ? document.getElementById('search') : main.current;
    searching.current = false;
    place?.focus({ preventScroll: true });
    window.scrollTo(0, route.case ? 0 : (scrolled.current.get(now) ?? 0));
  }, [route.view, route.case]);
  useEffect(() => {
    const keep = () => !route.case && scrolled.current.set(before.current, window.scrollY);
    window.addEventListener('scroll', keep, { passive: true });
    return () => window.removeEventListener('scroll', keep);
  }, [route.case]);
  return main;
}

function useKeys(on: boolean, acts: Record<string, () => unknown>): void {
  const known = useRef(acts);
  known.current = acts;
  // Before the first paint, so that no early key press is lost.
  useLayoutEffect(() => {
    if (!on) return undefined;
    const pressed = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      const target = event.target as HTMLElement;
      const typing = target.matches('input, select, textarea');
      if (typing && event.key === 'Escape') {
        target.blur();
        return;
      }
      // A focused link or button handles Enter itself.
      if (typing ? !(event.key === 'Enter' && target.id === 'search') : event.key === 'Enter' && target.matches('a, button, summary')) return;
      const act = Object.hasOwn(known.current, event.key) ? known.current[event.key] : undefined;
      if (!act) return;
      event.preventDefault();
      act();
    };
    window.addEventListener('keydown', pressed);
    return () => window.removeEventListener('keydown', pressed);
  }, [on]);
}

const KEYS: [string, ComponentChildren][] = [
  ['/', 'search'],
  ['j k', 'next and previous case'],
  ['Enter', 'open the case'],
  ['Esc', 'back to the list'],
  ['1 2 3 4', 'overview, cases, map, comparison'],
  ['?', 'these keys'],
];

function Help({ close, single, toggle, compares }: { close: () => void; single: boolean; toggle: () => void; compares: boolean }): VNode {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} aria-labelledby="keys" onClose={close} onClick={(event) => event.target === dialog.current && dialog.current?.close()}>
      <h2 id="keys">Keys</h2>
      <dl class="keys">{KEYS.map(([key, words]) => <div><dt>{key.split(' ').filter((each) => compares || each !== '4').map((each) => <kbd>{each}</kbd>)}</dt><dd>{words}</dd></div>)}</dl>
      <label class="check"><input type="checkbox" checked={single} onChange={toggle} /> Keys are on</label>
      <p><button type="button" onClick={() => dialog.current?.close()}>Close</button></p>
    </dialog>
  );
}

export const applyTheme = () => {
  const theme = kept('theme', 'auto');
  if (theme !== 'auto') document.documentElement.dataset.theme = theme;
};
