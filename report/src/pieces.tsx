/** Small components that all views share. */

import type { ComponentChildren, VNode } from 'preact';
import { useState } from 'preact/hooks';
import { SIGNS, type Verdict, VERDICTS } from './data';
import { amount, safeText } from './format';

export const Sign = ({ verdict }: { verdict: Verdict }) => (
  <span class={`sign ${verdict}`} aria-hidden="true">
    {SIGNS[verdict]}
  </span>
);

export const Mark = ({ verdict }: { verdict: Verdict }) => (
  <span class={`mark ${verdict}`}>
    <Sign verdict={verdict} /> {verdict}
  </span>
);

export function Section({ id, title, note, children, class: kind }: { id: string; title: ComponentChildren; note?: ComponentChildren; children: ComponentChildren; class?: string }): VNode {
  return (
    <section aria-labelledby={id} class={kind ?? 'panel'}>
      <h2 id={id}>{title}</h2>
      {note && <p class="note">{note}</p>}
      {children}
    </section>
  );
}

/** The number of cases by verdict, as a bar; the text beside it has the same numbers. */
export function VerdictBar({ counts, class: kind = '' }: { counts: Record<Verdict, number>; class?: string }): VNode {
  const whole = VERDICTS.reduce((sum, verdict) => sum + counts[verdict], 0);
  return (
    <span class={`bar ${kind}`} aria-hidden="true">
      {VERDICTS.filter((verdict) => counts[verdict]).map((verdict) => (
        <span class={`fill ${verdict}`} style={{ width: `${(100 * counts[verdict]) / whole}%` }} />
      ))}
    </span>
  );
}

export function Text({ text, label }: { text: string; label?: string }): VNode {
  return (
    <pre tabIndex={0} aria-label={label} role={label ? 'group' : undefined}>
      {safeText(text) || '(empty)'}
    </pre>
  );
}

/** A long section that is rendered when it is opened. */
export function Fold({ name, title, open: first = false, children }: { name: string; title: ComponentChildren; open?: boolean; children: () => ComponentChildren }): VNode {
  const [open, setOpen] = useState(first);
  return (
    <details data-key={name} open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{title}</summary>
      {open && children()}
    </details>
  );
}

export function Copy({ text, said, act }: { text: string; said: (words: string) => void; act?: () => void }): VNode {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    try {
      await (act ? act() : navigator.clipboard.writeText(text));
      setCopied(true);
      said('Copied');
      setTimeout(() => setCopied(false), 2000);
    } catch {
      said('This browser does not let the page copy: select the text.');
    }
  };
  return (
    <button type="button" class="quiet" data-act="copy" data-key="copy" onClick={() => void copy()}>
      {copied ? 'Copied' : 'Copy'}
    </button>
  );
}

export const Cut = ({ cut }: { cut: number | undefined }) => (cut ? <p class="note cut">{amount(cut, 'character was', 'characters were')} left out of the texts of this case to keep the page small. `rubric view` and `rubric results show` have them whole.</p> : null);
