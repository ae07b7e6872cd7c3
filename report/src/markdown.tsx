/** An answer as its Markdown means it. It is somebody else's text: it becomes elements one by one, and never markup.
 *
 * Links and images are words with their address beside them: nothing is loaded, and what an address hides behind is seen. HTML stays
 * the characters that it is.
 */

import type { ComponentChildren, VNode } from 'preact';
import { Lexer, type Token, type Tokens } from 'marked';
import { safeText } from './format';

/** Answers with more characters are shown verbatim: rendering them would take too long. */
const LONGEST = 200_000;
/** Headings of an answer are of a lower level than those of the page. */
const BELOW = 3;
const DEEPEST = 30;

const SYNTAX = { gfm: true, breaks: true };

/** `text`, rendered; undefined if it is better read verbatim, such as JSON. */
export function rendered(text: string): VNode | undefined {
  if (text.length > LONGEST || isJson(text)) return undefined;
  try {
    return <div class="markdown">{blocks(new Lexer(SYNTAX).lex(safeText(text)), 0)}</div>;
  } catch {
    return undefined; // nested more deeply than anyone reads
  }
}

function blocks(tokens: readonly Token[], depth: number): ComponentChildren {
  if (depth > DEEPEST) throw new RangeError('nested too deeply');
  return tokens.map((token) => block(token, depth + 1));
}

function block(token: Token, depth: number): ComponentChildren {
  switch (token.type) {
    case 'heading': {
      const Heading = `h${Math.min(6, (token as Tokens.Heading).depth + BELOW)}` as 'h4';
      return <Heading>{inline(token, depth)}</Heading>;
    }
    case 'paragraph':
      return <p>{inline(token, depth)}</p>;
    case 'text':
      return inline(token, depth);
    case 'code':
      return <pre tabIndex={0}>{safeText((token as Tokens.Code).text)}</pre>;
    case 'blockquote':
      return <blockquote>{blocks((token as Tokens.Blockquote).tokens, depth)}</blockquote>;
    case 'list':
      return list(token as Tokens.List, depth);
    case 'table':
      return table(token as Tokens.Table, depth);
    case 'hr':
      return <hr />;
    case 'space':
    case 'def':
      return token.type === 'def' ? <p>{safeText(token.raw.trim())}</p> : null;
    default:
      return <p>{safeText(token.raw)}</p>;
  }
}

function list(token: Tokens.List, depth: number): VNode {
  const items = token.items.map((item) => (
    <li>
      {item.task && (item.checked ? '☑ ' : '☐ ')}
      {blocks(item.tokens.filter((each) => each.type !== 'checkbox'), depth)}
    </li>
  ));
  return token.ordered ? <ol start={Number(token.start) || 1}>{items}</ol> : <ul>{items}</ul>;
}

function table(token: Tokens.Table, depth: number): VNode {
  const side = (cell: Tokens.TableCell) => (cell.align === 'right' ? 'n' : undefined);
  return (
    <div class="wide" tabIndex={0} role="group" aria-label="Table of the answer">
      <table>
        <thead>
          <tr>{token.header.map((cell) => <th scope="col" class={side(cell)}>{spans(cell.tokens, depth)}</th>)}</tr>
        </thead>
        <tbody>{token.rows.map((row) => <tr>{row.map((cell) => <td class={side(cell)}>{spans(cell.tokens, depth)}</td>)}</tr>)}</tbody>
      </table>
    </div>
  );
}

function inline(token: Token, depth: number): ComponentChildren {
  const inner = 'tokens' in token ? token.tokens : undefined;
  return inner ? spans(inner, depth) : safeText(decoded('text' in token ? String(token.text) : token.raw));
}

function spans(tokens: readonly Token[], depth: number): ComponentChildren {
  if (depth > DEEPEST) throw new RangeError('nested too deeply');
  return tokens.map((token) => span(token, depth + 1));
}

function span(token: Token, depth: number): ComponentChildren {
  switch (token.type) {
    case 'strong':
      return <strong>{inline(token, depth)}</strong>;
    case 'em':
      return <em>{inline(token, depth)}</em>;
    case 'del':
      return <del>{inline(token, depth)}</del>;
    case 'codespan':
      return <code>{safeText((token as Tokens.Codespan).text)}</code>;
    case 'br':
      return <br />;
    case 'link':
      return address(inline(token, depth), token as Tokens.Link, '');
    case 'image':
      return address(safeText((token as Tokens.Image).text), token as Tokens.Image, 'image ');
    case 'text':
    case 'escape':
      return inline(token, depth);
    default:
      return safeText(token.raw);
  }
}

/** The text of a link or an image, with its address if that differs. */
function address(words: ComponentChildren, { href, text }: Tokens.Link | Tokens.Image, kind: string): VNode {
  const same = text === href || `mailto:${text}` === href;
  return (
    <span class="address">
      {kind && <span class="kind">{kind}</span>}
      <span class="linked">{words}</span>
      {!same && <span class="to"> ({safeText(href)})</span>}
    </span>
  );
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", nbsp: '\u00a0' };

/** A text with common entities replaced; others stay verbatim. */
const decoded = (text: string) => text.replace(/&(amp|lt|gt|quot|#39|nbsp);/g, (_, name: string) => ENTITIES[name] ?? '');

function isJson(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
