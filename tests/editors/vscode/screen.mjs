// What a person sees and clicks. Usage: screen.mjs SCENARIO WORKSPACE PICTURES. Exit 1 when it cannot be seen.
import fs from 'node:fs';
import path from 'node:path';
import { openStudio, sleep } from './studio.mjs';

const [name, workspace, pictures] = process.argv.slice(2);
fs.mkdirSync(pictures, { recursive: true });

const server = process.env.RUBRIC_SERVER_FOLDER;
const inEnvironment = { serverFolder: '', environmentFrom: server };
const offline = { PIP_CONFIG_FILE: '/dev/null', PIP_FIND_LINKS: '', PIP_INDEX_URL: 'http://127.0.0.1:9/simple', PIP_RETRIES: '0' };
const scenarios = {
  work: { options: { settings: { 'workbench.colorTheme': 'Default Dark Modern' } }, play: work },
  'no-server': { options: { machine: { 'rubric.server.command': ['/nowhere/rubric-lsp', '--stdio'] } }, play: noServer },
  'broken-server': { options: { machine: { 'rubric.server.command': ['false'] } }, play: brokenServer },
  restricted: { options: { trusted: false }, play: restricted },
  environment: { options: inEnvironment, play: checked },
  // The environment of a folder that nobody trusts is not used: the extension's own server is offered instead.
  'restricted-environment': { options: { ...inEnvironment, trusted: false }, play: offered },
  'first-use': { options: { serverFolder: '' }, play: firstUse },
  'first-use-offline': { options: { serverFolder: '', variables: offline }, play: firstUseOffline },
  'no-python': { options: { serverFolder: '', path: '/nowhere' }, play: noPython },
  crash: { options: {}, play: crash },
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
  await command(page, 'Rubric: Run every case of this file');
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
  await notified(page, 'was not found', 'Open Setting');
  await shot(name);
}

async function brokenServer({ page, shot, open }) {
  await open('support.eval.yaml');
  await notified(page, 'stopped before it was ready', 'Open Setting');
  await shot(name);
}

async function offered({ page, shot, open }) {
  await open('support.eval.yaml');
  await notified(page, 'needs its language server', 'Set Up');
  await shot(name);
}

/** All that a person has is the extension and a Python. */
async function firstUse({ page, shot, open, studio }) {
  await offered({ page, shot, open });
  await page.locator('.notifications-toasts .monaco-button', { hasText: 'Set Up' }).click();
  await page.locator('.notifications-toasts', { hasText: 'installing the language server' }).waitFor();
  await shot(`${name}-progress`);
  await open('broken.eval.yaml');
  await page.waitForSelector('.squiggly-error', { timeout: 150_000 });
  await page.locator('.notifications-toasts .notification-list-item').waitFor({ state: 'detached' });
  await shot(`${name}-ready`);
  const began = Date.now();
  await studio.reload(); // and the next time nobody is asked
  await open('broken.eval.yaml');
  await page.waitForSelector('.squiggly-error');
  if (await page.locator('.notifications-toasts .notification-list-item').count()) throw new Error('asked again');
  console.log(`started again in ${Date.now() - began} ms`);
}

async function firstUseOffline({ page, shot, open }) {
  await open('support.eval.yaml');
  await page.locator('.notifications-toasts .monaco-button', { hasText: 'Set Up' }).click();
  await notified(page, 'cannot be reached', 'Try Again', 60_000);
  await shot(name);
}

async function noPython({ page, shot, open }) {
  await open('support.eval.yaml');
  await notified(page, 'needs Python 3.10 or later and found none', 'Open Setting');
  await shot(name);
}

/** It comes back by itself, a few times; then a person is told, once. */
async function crash({ page, shot, open, studio }) {
  await open('broken.eval.yaml');
  for (let times = 1; times <= 5; times++) {
    await page.locator('.statusbar-item[id$="rubric.status"] .codicon-beaker').waitFor();
    const pid = await until(() => studio.serverPid());
    process.kill(pid, 'SIGKILL');
    await page.locator('.statusbar-item[id$="rubric.status"] .codicon-beaker').waitFor({ state: 'detached' });
  }
  await notified(page, 'is not started again', 'Try Again');
  await shot(name);
  await page.locator('.notifications-toasts .monaco-button', { hasText: 'Try Again' }).click();
  await page.waitForSelector('.squiggly-error');
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
async function notified(page, text, button, timeout = 30_000) {
  const toasts = page.locator('.notifications-toasts .notification-list-item');
  await toasts.filter({ hasText: text }).waitFor({ timeout });
  await page.waitForTimeout(1500); // for those that would follow
  const shown = await toasts.allInnerTexts();
  if (shown.length !== 1) throw new Error(`one message, not ${shown.length}: ${shown.join(' | ')}`);
  if (!(await toasts.locator('.monaco-button', { hasText: button }).count())) throw new Error('no button');
  if (/Error:|\bat .*:\d+:\d+/.test(shown[0])) throw new Error(`a stack trace: ${shown[0]}`);
}

async function until(look, patience = 30_000) {
  for (const end = Date.now() + patience; Date.now() < end; await sleep(50)) {
    const seen = await look();
    if (seen) return seen;
  }
  throw new Error(`not seen: ${look}`);
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
  await play({ page: studio.page, shot, open, studio });
  if (studio.outside.length) throw new Error(`asked for ${studio.outside.join(', ')}`);
} catch (error) {
  code = 1;
  console.error(error.message, '\n', studio.logs());
  await shot(`${name}-failed`).catch(() => undefined);
}
await studio.close();
process.exit(code);
