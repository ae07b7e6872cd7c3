// What a person sees and clicks. Usage: screen.mjs SCENARIO WORKSPACE PICTURES. Exit 1 when it cannot be seen.
import fs from 'node:fs';
import path from 'node:path';
import { openStudio } from './studio.mjs';

const [name, workspace, pictures] = process.argv.slice(2);
fs.mkdirSync(pictures, { recursive: true });

const server = process.env.RUBRIC_SERVER_FOLDER;
const inEnvironment = { serverFolder: '', environmentFrom: server };
const scenarios = {
  work: { options: { settings: { 'workbench.colorTheme': 'Default Dark Modern' } }, play: work },
  'no-server': { options: { machine: { 'rubric.server.command': ['/nowhere/rubric-lsp', '--stdio'] } }, play: noServer },
  'broken-server': { options: { machine: { 'rubric.server.command': ['false'] } }, play: brokenServer },
  restricted: { options: { trusted: false }, play: restricted },
  environment: { options: inEnvironment, play: checked },
  'restricted-environment': { options: { ...inEnvironment, trusted: false }, play: noServer },
};

async function work({ page, shot, open }) {
  await open('broken.eval.yaml');
  await page.waitForSelector('.squiggly-error');
  await page.locator('.codelens-decoration a', { hasText: 'Run' }).first().waitFor();
  await page.keyboard.press('Control+Shift+M');
  await page.locator('.markers-panel .monaco-list-row', { hasText: 'two bands' }).waitFor();
  await shot('problems');
  await page.keyboard.press('Control+Shift+M');
  await page.locator('.view-line span', { hasText: /^expected_outcome$/ }).first().click();
  await page.keyboard.press('Control+.');
  await page.locator('.action-widget .monaco-list-row', { hasText: 'criteria' }).first().waitFor();
  await shot('quick-fix');
  await page.keyboard.press('Enter');
  await page.locator('.view-line', { hasText: 'expected_outcome' }).waitFor({ state: 'detached' });
  await page.keyboard.press('Control+S');
  await page.keyboard.press('Control+P');
  await page.keyboard.type('support.eval.yaml');
  await page.locator('.quick-input-list .monaco-list-row', { hasText: 'support.eval.yaml' }).first().waitFor();
  await page.keyboard.press('Enter');
  await page.locator('.tab.active', { hasText: 'support.eval.yaml' }).waitFor();
  await page.locator('.codelens-decoration a', { hasText: 'Run' }).first().waitFor();
  await command(page, 'Rubric: Run Every Case of This File');
  const marked = (id, mark) => page.locator('.view-line', { hasText: new RegExp(`id:\\s*${id}.*${mark}`, 'u') });
  await marked('refund', '✔').waitFor();
  await marked('late-order', '✘').waitFor();
  await shot('results');
  await page.locator('.view-line span', { hasText: /^late-order$/ }).first().hover();
  await page.locator('.monaco-hover:not(.hidden)', { hasText: 'late-order' }).first().waitFor();
  await shot('report');
}

async function checked({ page, open }) {
  await open('broken.eval.yaml');
  await page.waitForSelector('.squiggly-error');
}

async function noServer({ page, shot, open }) {
  await open('support.eval.yaml');
  await notified(page, 'was not found');
  await shot(name);
}

async function brokenServer({ page, shot, open }) {
  await open('support.eval.yaml');
  await notified(page, 'stopped before it was ready');
  await shot(name);
}

async function restricted({ page, shot, open }) {
  await open('broken.eval.yaml');
  await page.waitForSelector('.squiggly-error');
  const lens = page.locator('.codelens-decoration a', { hasText: 'Run' }).first();
  await lens.click();
  await page.locator('.notifications-toasts', { hasText: 'Manage Workspace Trust' }).waitFor();
  await page.waitForTimeout(500); // it slides in
  await shot(name);
}

/** One message with a button, and no stack trace anywhere. */
async function notified(page, text) {
  const toasts = page.locator('.notifications-toasts .notification-list-item');
  await toasts.filter({ hasText: text }).waitFor();
  await page.waitForTimeout(1500); // for those that would follow
  const shown = await toasts.allInnerTexts();
  if (shown.length !== 1) throw new Error(`one message, not ${shown.length}: ${shown.join(' | ')}`);
  if (!(await toasts.locator('.monaco-button', { hasText: 'Open Setting' }).count())) throw new Error('no button');
  if (/Error:|\bat .*:\d+:\d+/.test(shown[0])) throw new Error(`a stack trace: ${shown[0]}`);
}

async function command(page, title) {
  await page.keyboard.press('F1');
  await page.keyboard.type(title);
  await page.locator('.quick-input-list .monaco-list-row', { hasText: title }).first().waitFor();
  await page.keyboard.press('Enter');
}

const { options, play } = scenarios[name];
const studio = await openStudio({ workspace: path.resolve(workspace), ...options });
const shot = (picture) => studio.page.screenshot({ path: path.join(pictures, `vscode-${picture}.png`) });
const open = async (file) => {
  await studio.open([['openFile', studio.uri(path.join(studio.workspace, file))]]);
  await studio.page.waitForSelector('.editor-instance .view-line');
};
let code = 0;
try {
  await play({ page: studio.page, shot, open });
  if (studio.outside.length) throw new Error(`asked for ${studio.outside.join(', ')}`);
} catch (error) {
  code = 1;
  console.error(error.message, '\n', studio.logs());
  await shot(`${name}-failed`).catch(() => undefined);
}
await studio.close();
process.exit(code);
