/** What a browser keeps for its reader: the theme, and whether keys are on. A page from disk may not be allowed to keep anything. */

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
      // It holds as long as the page is open.
    }
  };
  return [value, keep];
}
