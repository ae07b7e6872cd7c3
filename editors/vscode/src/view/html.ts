/** HTML out of texts that nobody has checked. */

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Characters that would change the order of letters or are controls, but for tab and line breaks. */
const ACTING = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\ufff9-\ufffb]/g;

/** Markup that is safe as it stands. */
export class Html {
  constructor(readonly markup: string) {}
}

/** A text in which no character acts; markup stays markup. */
export const safeText = (text: string) => text.replace(ACTING, '\ufffd');

type Part = Html | string | number | undefined | false | Part[];

/** Markup from a template; every value that is not markup is escaped, and characters that act are marked. */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  return new Html(strings.reduce((before, text, index) => before + written(parts[index - 1]) + text));
}

function written(part: Part): string {
  if (Array.isArray(part)) {
    return part.map(written).join('');
  }
  if (part instanceof Html) {
    return part.markup;
  }
  return part === undefined || part === false ? '' : safeText(String(part)).replace(/[&<>"']/g, (sign) => ENTITIES[sign]);
}
