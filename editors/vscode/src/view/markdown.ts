/** An answer as its Markdown means it. It is somebody else's text: nothing of it is markup, a link, or something to load. */

import MarkdownIt from 'markdown-it';
import { Html, safeText } from './html';

/** Characters of an answer that is shown as it is, because laying it out would take long. */
const LONGEST = 200_000;
/** Headings of an answer stand below those of the report. */
const BELOW = 3;

// Links, images and HTML stay the characters that they are: what an address hides behind is seen.
const markdown = new MarkdownIt({ html: false, linkify: false, breaks: true }).disable(['link', 'image', 'autolink', 'reference', 'html_block', 'html_inline']);

const { rules } = markdown.renderer;
rules.heading_open = (tokens, index) => `<h${level(tokens[index].tag)}>`;
rules.heading_close = (tokens, index) => `</h${level(tokens[index].tag)}>`;
// A policy that lets nothing in lets no style of a cell in either.
rules.th_open = (tokens, index) => `<th${aligned(tokens[index].attrGet('style'))}>`;
rules.td_open = (tokens, index) => `<td${aligned(tokens[index].attrGet('style'))}>`;

/** `text` laid out; undefined where it is better read as it is, such as JSON. */
export function rendered(text: string): Html | undefined {
  if (text.length > LONGEST || isJson(text)) {
    return undefined;
  }
  // What an entity stands for may act as well as what is written.
  return new Html(safeText(markdown.render(safeText(text))));
}

const level = (tag: string) => Math.min(6, Number(tag.slice(1)) + BELOW);
const aligned = (style: unknown) => (String(style).includes('right') ? ' class="n"' : '');

function isJson(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) {
    return false;
  }
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
