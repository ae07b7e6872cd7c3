// Ways to look at VS Code's screen and to do what a person does there.
import fs from 'node:fs';
import { PATIENCE_MS, sleep } from './studio.mjs';

/** One message with a button, and no stack trace anywhere. */
export async function notified(page, text, button, timeout = PATIENCE_MS) {
  const toasts = page.locator('.notifications-toasts .notification-list-item');
  await toasts.filter({ hasText: text }).waitFor({ timeout });
  await page.waitForTimeout(1500); // for those that would follow
  const shown = await toasts.allInnerTexts();
  if (shown.length !== 1) throw new Error(`one message, not ${shown.length}: ${shown.join(' | ')}`);
  if (!(await toasts.locator('.monaco-button', { hasText: button }).count())) throw new Error('no button');
  if (/Error:|\bat .*:\d+:\d+/.test(shown[0])) throw new Error(`a stack trace: ${shown[0]}`);
}

/** Put away the message that is shown. It also goes by itself after some seconds, so that is all the same. */
export async function dismiss(page) {
  const shown = page.locator('.notifications-toasts .notification-list-item');
  await until(async () => {
    if (!(await shown.count())) return true;
    await page.locator('.notifications-toasts .codicon-notifications-clear').first().click({ timeout: 1000 }).catch(gone);
    return false;
  });
}

/** Nobody is told anything. */
export async function quiet(page) {
  const shown = await page.locator('.notifications-toasts .notification-list-item').allInnerTexts();
  if (shown.length) throw new Error(`a message that nobody needs: ${shown.join(' | ')}`);
}

export async function until(look, patience = PATIENCE_MS, what = look) {
  for (const end = Date.now() + patience; Date.now() < end; await sleep(50)) {
    const seen = await look();
    if (seen) return seen;
  }
  throw new Error(`not seen: ${what}`);
}

/** Fill in the box at the top; what is typed before it has the focus would go elsewhere. */
async function ask(page, text) {
  const box = page.locator('.quick-input-widget input[aria-controls]');
  await box.fill(text);
  await box.focus();
}

/** Choose a command of the palette. */
export async function command(page, title) {
  await page.keyboard.press('F1');
  await choose(page, `>${title}`);
}

/** Choose from the list at the top that is open. */
export async function choose(page, title) {
  await ask(page, title);
  await page.locator('.quick-input-list .monaco-list-row.focused', { hasText: title.replace(/^>/u, '') }).waitFor();
  await page.keyboard.press('Enter');
}

/** Choose a theme of colours by its title. */
export async function chooseTheme(page, title) {
  await page.keyboard.press('Control+K');
  await page.keyboard.press('Control+T');
  await page.locator('.quick-input-widget', { hasText: /Color Theme|Modern/u }).waitFor();
  await choose(page, title);
}

/** Open a file of the workspace by its name. What was opened before is listed first until the list is that of the name. */
export async function openFile(page, name) {
  await page.keyboard.press('Control+P');
  await ask(page, name);
  await page.locator('.quick-input-list .monaco-list-row.focused', { hasText: name }).waitFor();
  await page.keyboard.press('Enter');
  await page.locator('.tab.active', { hasText: name }).waitFor();
  await focused(page);
}

/**
 * Put the cursor at the end of a line of the active editor, given by its number. A loaded machine may draw the editor anew between
 * the key and the answer, which then goes nowhere: the cursor is where it was, and a person asks again.
 */
export async function goTo(page, number) {
  const reached = page.locator('.statusbar-item[id="status.editor.selection"]', { hasText: `Ln ${number},` });
  await until(async () => {
    await page.keyboard.press('Control+G');
    await ask(page, `:${number}:999`);
    await page.locator('.quick-input-list .monaco-list-row', { hasText: new RegExp(`line ${number}\\b`, 'u') }).waitFor();
    await page.keyboard.press('Enter');
    await page.locator('.quick-input-widget').waitFor({ state: 'hidden' });
    return reached.waitFor({ timeout: 10_000 }).then(() => true, gone);
  }, PATIENCE_MS, `the cursor in line ${number}`);
  await focused(page);
}

/** Wait until what is typed goes into the editor. */
const focused = (page) => page.locator('.editor-instance .monaco-editor.focused').first().waitFor();

/** The number of the first line of a file that has a text, or matches. */
export function lineOf(file, wanted) {
  const matches = (each) => (typeof wanted === 'string' ? each.includes(wanted) : wanted.test(each));
  return fs.readFileSync(file, 'utf8').split('\n').findIndex(matches) + 1;
}

/** Take what the list of suggestions offers, with the keyboard. */
export async function accept(page, label) {
  const focused = page.locator('.suggest-widget.visible .monaco-list-row.focused', { hasText: label });
  for (let times = 0; times < 10 && !(await focused.count()); times++) {
    await page.keyboard.press('ArrowDown');
    await sleep(50);
  }
  await focused.waitFor();
  await page.keyboard.press('Tab');
  await page.locator('.suggest-widget.visible').waitFor({ state: 'detached' }).catch(gone);
}

/** The line of the editor that shows a text, the result at its end included. */
export const line = (page, text) => page.locator(`shown=${JSON.stringify(text instanceof RegExp ? { source: text.source, flags: text.flags } : { text })}`);

/** A row of the Test Explorer, by how its label begins. */
export const test = (page, label) => page.locator(`.test-explorer .monaco-list-row[aria-label^="${label}"]`);

/**
 * Unfold a row of the Test Explorer. Rows that come meanwhile push it away from below a mouse, which then opens another suite in the
 * editor: its arrow is looked for and pressed in one breath.
 */
export async function unfold(row) {
  const unfolded = row.and(row.page().locator('[aria-expanded="true"]'));
  await until(async () => {
    await row.evaluate((element) => element.ariaExpanded === 'true' || element.querySelector('.monaco-tl-twistie').click());
    return unfolded.waitFor({ timeout: 5000 }).then(() => true, gone);
  });
}

/**
 * Press a button that a row shows while the mouse is over it. Rows are drawn anew at any time, and the mouse is then over
 * nothing: it is moved there again. The button is looked for and pressed in one breath, so never twice.
 */
export async function press(row, label) {
  const button = row.locator(`a[aria-label^="${label}"]`);
  const timeout = 2000;
  await until(async () => {
    await row.page().mouse.move(0, 0); // what is under a mouse that stays where it is does not notice it
    await row.hover({ timeout }).catch(gone);
    const found = await button.elementHandle({ timeout }).catch(gone);
    return found && found.evaluate(pressIfShown); // without a limit: it could be pressed, and the answer come too late
  }, PATIENCE_MS, label);
}

/**
 * Press a lens; `effect` is what is seen then. VS Code may just be drawing it anew: what was pressed stands for what is gone,
 * a message says so, nothing was done, and it is pressed again.
 */
export async function pressLens(page, lens, effect) {
  const refused = page.locator('.notifications-toasts .notification-list-item', { hasText: 'Actual command not found' });
  await until(async () => {
    await settled(lens.first());
    await lens.first().click();
    await effect.or(refused).first().waitFor();
    if (!(await refused.count())) return true;
    await dismiss(page);
    return false;
  });
}

/** Wait until something is not drawn anew any more: what is behind an older drawing is gone. */
async function settled(locator) {
  await until(async () => {
    const before = await locator.elementHandle();
    await sleep(600);
    return before.evaluate((element) => element.isConnected);
  });
}

/** Runs in the page: press what a person would hit there. */
function pressIfShown(element) {
  const { x, y, width, height } = element.getBoundingClientRect();
  const hit = width > 0 && element.contains(document.elementFromPoint(x + width / 2, y + height / 2));
  if (hit) element.click();
  return hit;
}

/** What was to be looked at was drawn anew meanwhile; everything else that can go wrong is said. */
function gone(error) {
  if (error.name === 'TimeoutError' || /not attached|detached|Element is not/u.test(error.message)) return false;
  throw error;
}

/** The page inside a webview. */
export async function webview(page) {
  const outer = page.frameLocator('iframe.webview.ready').last();
  return outer.frameLocator('iframe#active-frame');
}
