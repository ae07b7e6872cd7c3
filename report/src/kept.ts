/** Settings stored in the browser: the theme, and whether shortcuts are on. A page from disk may not be allowed to store any. */

import { useState } from 'preact/hooks';

export type Theme = 'auto' | 'light' | 'dark';

export function kept(name: string, otherwise: string): string {
  try {
    return localStorage.getItem(`rubric.${name}`) ?? otherwise;
  } catch {
    return otherwise;
  }
}

export function useKept(name: string, otherwise: string): [string, (value: string) => void] {
  const [value, setValue] = useState(() => kept(name, otherwise));
  const keep = (next: string) => {
    setValue(next);
    try {
      localStorage.setItem(`rubric.${name}`, next);
    } catch {
      // The setting is valid until the page is closed.
    }
  };
  return [value, keep];
}
