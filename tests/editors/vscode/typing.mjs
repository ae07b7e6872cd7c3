// Every key of both families, with a colon and Enter, as it is typed in VS Code: a new line, and nothing is put in.
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { openFile } from './look.mjs';
import { REPOSITORY, sleep } from './studio.mjs';

/** Milliseconds between the colon and Enter, in which the server answers. */
const PAUSE = 40;
/** Each of them is drawn anew at every key. */
const PLAIN = Object.fromEntries(['breadcrumbs.enabled', 'editor.codeLens', 'editor.minimap.enabled', 'editor.stickyScroll.enabled'].map((name) => [name, false]));

/** An empty file for each kind of file; the places for keys are passed on to the play. */
export async function everyKey() {
  const script = path.join(REPOSITORY, 'tests/every_key.py');
  const places = JSON.parse(execFileSync(path.join(process.env.RUBRIC_SERVER_FOLDER, 'python'), [script], { encoding: 'utf8' }));
  return { files: Object.fromEntries(places.map(({ file }) => [file, ''])), settings: PLAIN, judge: places };
}

export async function typing({ page, studio, judge: places }) {
  await studio.open([]);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.waitForSelector('.explorer-folders-view .monaco-list-row');
  const wrong = [];
  for (const [number, place] of places.entries()) {
    if (place.file !== places[number - 1]?.file) await openFile(page, path.basename(place.file));
    await put(page, place.lead);
    const expected = await type(page, place);
    const now = await cut(page);
    if (now !== expected) wrong.push({ file: place.file, expected, now });
  }
  if (wrong.length) throw new Error(`in ${wrong.length} places: ${JSON.stringify(wrong, null, 1)}`);
}

/** Type all keys of a place one below the other. Gives what is in the editor then if Enter is a new line, and nothing else. */
async function type(page, { ours, lead, column, keys }) {
  const lines = lead.split('\n');
  for (const key of keys) {
    const begun = lines.pop();
    if (begun.length > column) await page.keyboard.press('Shift+Tab');
    else await page.keyboard.insertText(' '.repeat(column - begun.length));
    await page.keyboard.insertText(key);
    await page.keyboard.press(':');
    await sleep(PAUSE);
    await page.evaluate(() => new Promise(requestIdleCallback)); // until it knows its own lines VS Code indents nothing
    await page.keyboard.press('Enter');
    const line = `${begun.slice(0, column).padEnd(column)}${key}:`;
    // Below other YAML than suites VS Code itself goes on where the line begins.
    lines.push(line, ' '.repeat(ours ? column + 2 : line.search(/\S/u)));
  }
  return lines.join('\n');
}

/** Put a text into the empty editor without typing it. */
async function put(page, text) {
  await page.evaluate((copied) => navigator.clipboard.writeText(copied), text);
  await page.keyboard.press('Control+V');
  const lines = text.split('\n');
  await cursor(page, lines.length, lines.at(-1).length + 1);
}

/** Cut all that is in the editor. */
async function cut(page) {
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+A');
  await page.keyboard.press('Control+X');
  await cursor(page, 1, 1);
  return page.evaluate(() => navigator.clipboard.readText());
}

const cursor = (page, line, column) =>
  page.locator('.statusbar-item[id="status.editor.selection"]', { hasText: new RegExp(`^Ln ${line}, Col ${column}$`, 'u') }).waitFor();
