// What a person sees and clicks. Usage: screen.mjs SCENARIO WORKSPACE PICTURES. Exit 1 when it cannot be seen.
import fs from 'node:fs';
import path from 'node:path';
import { openStudio, REPOSITORY } from './studio.mjs';
import { notified, until } from './look.mjs';
import { tour } from './tour.mjs';

const [name, workspace, pictures] = process.argv.slice(2);
fs.mkdirSync(pictures, { recursive: true });

const server = process.env.RUBRIC_SERVER_FOLDER;
const inEnvironment = { serverFolder: '', environmentFrom: server };
const offline = { PIP_CONFIG_FILE: '/dev/null', PIP_FIND_LINKS: '', PIP_INDEX_URL: 'http://127.0.0.1:9/simple', PIP_RETRIES: '0' };
const scenarios = {
  tour: { options: { workspace: path.join(REPOSITORY, 'examples') }, play: tour },
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

/** It comes back by itself, a few times; then a person is told, once. What it had begun is not lost in silence. */
async function crash({ page, shot, open, studio }) {
  await open('slow.eval.yaml');
  await page.locator('.codelens-decoration a', { hasText: '▶ Run' }).last().click();
  await page.locator('.codelens-decoration a', { hasText: 'Cancel' }).first().waitFor();
  const begun = await until(() => studio.processes('sleep'));
  process.kill(await studio.serverPid(), 'SIGKILL');
  await notified(page, 'a case was running, which has no result', 'Run Again');
  await shot('crash-in-a-run');
  await until(() => begun.every((pid) => !fs.existsSync(`/proc/${pid}`)));
  await page.locator('.notifications-toasts .codicon-notifications-clear').first().click();
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
