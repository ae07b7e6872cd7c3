/** HTML out of texts that nobody has checked. */

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Markup that is safe as it stands. */
export class Html {
  constructor(readonly markup: string) {}
}

type Part = Html | string | number | undefined | false | Part[];

/** Markup from a template; every value that is not markup is escaped. */
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
  return part === undefined || part === false ? '' : String(part).replace(/[&<>"']/g, (sign) => ENTITIES[sign]);
}
