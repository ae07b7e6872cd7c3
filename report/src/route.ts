/** The state of the page is in its address, so that the back button, a reload and links restore it. */

import { useLayoutEffect, useState } from 'preact/hooks';

export type View = 'overview' | 'cases' | 'map' | 'compare';
const VIEWS: readonly string[] = ['overview', 'cases', 'map', 'compare'];

export type Sort = 'worst' | 'name' | 'score' | 'slow' | 'cost' | 'order';
export const SORTS: Record<Sort, string> = { worst: 'Worst first', score: 'Lowest score', name: 'Name', slow: 'Slowest', cost: 'Most expensive', order: 'As they ran' };

/** The values in `#…`; empty ones are left out. */
export interface Route {
  view: View;
  case: string;
  q: string;
  verdict: string;
  tag: string;
  suite: string;
  target: string;
  evaluator: string;
  sort: Sort;
}

const EMPTY: Route = { view: 'overview', case: '', q: '', verdict: '', tag: '', suite: '', target: '', evaluator: '', sort: 'worst' };

export function parse(hash: string): Route {
  const given = new URLSearchParams(hash.replace(/^#/, ''));
  const route = { ...EMPTY };
  for (const name of Object.keys(EMPTY) as (keyof Route)[]) {
    const value = given.get(name);
    if (value === null) continue;
    if (name === 'view') route.view = VIEWS.includes(value) ? (value as View) : 'overview';
    else if (name === 'sort') route.sort = value in SORTS ? (value as Sort) : 'worst';
    else route[name] = value;
  }
  return route;
}

export function written(route: Route): string {
  const changed = Object.entries(route).filter(([name, value]) => value !== EMPTY[name as keyof Route]);
  return changed.length ? `#${new URLSearchParams(changed)}` : '#';
}

/** The address of the current page with some values changed. */
export const link = (route: Route, changes: Partial<Route>) => written({ ...route, case: '', ...changes });

export function useRoute(): [Route, (changes: Partial<Route>, replace?: boolean) => void] {
  const [route, setRoute] = useState(() => parse(location.hash));
  useLayoutEffect(() => {
    const changed = () => setRoute(parse(location.hash));
    window.addEventListener('hashchange', changed);
    return () => window.removeEventListener('hashchange', changed);
  }, []);
  const go = (changes: Partial<Route>, replace = false) => {
    const next = written({ ...parse(location.hash), ...changes });
    if (replace) {
      // A search is one entry in the history, not one for each letter.
      history.replaceState(null, '', next);
      setRoute(parse(next));
    } else {
      location.hash = next;
    }
  };
  return [route, go];
}
