// What a person sees when something is missing, old, taken away or killed: one sentence and a button that helps.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { command, dismiss, goTo, line, notified, press, pressLens, quiet, test, until } from './look.mjs';
import { startJudge, targets } from './judge.mjs';

const server = process.env.RUBRIC_SERVER_FOLDER;
const inEnvironment = { serverFolder: '', environmentFrom: server };
const offline = { PIP_CONFIG_FILE: '/dev/null', PIP_FIND_LINKS: '', PIP_INDEX_URL: 'http://127.0.0.1:9/simple', PIP_RETRIES: '0' };
const named = (command) => ({ machine: { 'rubric.server.command': command } });

/** A case that is done at once, and one whose grader takes a minute. */
const MIXED = `# rubric: dialect=agentv-3
name: mixed
execution:
  target: canned
tests:
  - id: quick
    criteria: Names the window
    input: Can I return this?
    assertions:
      - type: contains
        value: 30 days

  - id: waits
    criteria: Is graded at some time
    input: Hello
    assertions:
      - type: code-grader
        command: [sleep, "60"]
`;
const JUDGED = `# rubric: dialect=agentv-3
name: judged
execution:
  target: default
tests:
  - id: quick
    criteria: Names the window
    input: Can I return this?
    assertions:
      - type: contains
        value: 30 days

  - id: judged
    criteria: Names the window
    input: Can I return this?
    assertions:
      - type: rubrics
        criteria:
          - id: window
            outcome: Names the 30 days
`;

export const troubles = {
  'no-server': { options: named(['/nowhere/rubric-lsp', '--stdio']), play: told('was not found', 'Open Setting') },
  'empty-server': { options: named(['']), play: told('must be a list such as', 'Open Setting') },
  'broken-server': { options: named(['false']), play: told('stopped before it was ready', 'Open Setting') },
  'no-python': { options: { serverFolder: '', path: '/nowhere' }, play: told('but found none on the PATH', 'Open Setting') },
  'older-server': { options: { serverVersion: '0.0.9' }, play: older },
  'newer-server': { options: { serverVersion: '0.9.0' }, play: newer },
  restricted: { options: { trusted: false }, play: restricted },
  environment: { options: inEnvironment, play: checked },
  // The environment of a folder that nobody trusts is not used: the extension's own server is offered instead.
  'restricted-environment': { options: { ...inEnvironment, trusted: false }, play: told('needs its language server', 'Set Up') },
  'first-use': { options: { serverFolder: '', install: 'by VS Code' }, play: firstUse },
  'first-use-uv': { options: withUv, play: firstUse },
  'first-use-offline': { options: { serverFolder: '', variables: offline }, play: firstUseOffline },
  'silent-server': { options: silentAtFirst, play: silent },
  crash: { options: { files: { 'mixed.eval.yaml': MIXED } }, play: crash },
  'judge-away': { options: judged, play: judgeAway },
};

/** One message, with a button that helps. */
function told(words, button) {
  return async ({ page, shot, open, name }) => {
    await open('support.eval.yaml');
    await notified(page, words, button);
    await shot(name);
  };
}

async function checked({ page, open }) {
  await open('broken.eval.yaml');
  await page.waitForSelector('.squiggly-error');
}

/** It works as far as it can; a person is told once, and has a way out. */
async function older(its) {
  const { page, shot, open, name, studio } = its;
  await open('broken.eval.yaml');
  await notified(page, 'is 0.0.9, older than this extension', "Use the Extension's Own");
  await page.waitForSelector('.squiggly-error');
  await shot(name);
  await studio.reload();
  await checked(its);
  await quiet(page);
}

async function newer(its) {
  const { page, shot, open, name } = its;
  await open('broken.eval.yaml');
  await notified(page, 'is 0.9.0, newer than this extension', 'Show Output');
  await page.waitForSelector('.squiggly-error');
  await shot(name);
}

/** The item of the status bar while somebody has to say something. */
const coloured = (page) => page.locator('.statusbar-item.warning-kind[id$="rubric.status"]', { hasText: 'not set up' });

/** A question stays until it is answered: VS Code hides others after 10 to 15 seconds. The status bar shows it as long. */
async function unanswered(page) {
  await coloured(page).waitFor();
  await page.mouse.move(400, 300); // what is under the mouse stays anyway
  await page.waitForTimeout(17_000);
  // A question that VS Code hid does not come back by itself: however long a busy machine takes to look, it was there.
  await page.locator('.notifications-toasts .notification-list-item', { hasText: 'needs its language server' }).waitFor();
  await coloured(page).waitFor();
}

/** All that a person has is the extension and a Python. */
async function firstUse(its) {
  const { page, shot, open, name, studio } = its;
  await told('needs its language server', 'Set Up')(its);
  await unanswered(page);
  await page.locator('.notifications-toasts .monaco-button', { hasText: 'Set Up' }).click();
  await coloured(page).waitFor({ state: 'detached' });
  await page.locator('.notifications-toasts', { hasText: 'installing the language server' }).waitFor();
  await shot(`${name}-progress`);
  await open('broken.eval.yaml');
  await page.waitForSelector('.squiggly-error', { timeout: 300_000 });
  await page.locator('.notifications-toasts .notification-list-item').waitFor({ state: 'detached' });
  await shot(`${name}-ready`);
  await studio.reload(); // and the next time nobody is asked
  await checked(its);
  await quiet(page);
}

/** With `uv` on the PATH, which is quicker. */
function withUv() {
  const uv = process.env.PATH.split(':').map((folder) => path.join(folder, 'uv')).find((file) => fs.existsSync(file));
  if (!uv) return { skipped: 'uv is not installed (pip install uv)' };
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'uv-'));
  fs.symlinkSync(uv, path.join(folder, 'uv'));
  return { serverFolder: '', path: `${folder}:/usr/local/bin:/usr/bin:/bin` };
}

async function firstUseOffline({ page, shot, open, name }) {
  await open('support.eval.yaml');
  await page.locator('.notifications-toasts .monaco-button', { hasText: 'Set Up' }).click();
  await notified(page, 'cannot be reached', 'Try Again', 180_000);
  await shot(name);
}

/** Nothing runs, by whichever way it is asked for; checks do. */
async function restricted({ page, shot, open, name, studio }) {
  await open('broken.eval.yaml');
  await page.waitForSelector('.squiggly-error');
  const refused = page.locator('.notifications-toasts', { hasText: 'not run in Restricted Mode' });
  await pressLens(page, page.locator('.codelens-decoration a', { hasText: 'Run' }), refused);
  await notified(page, 'not run in Restricted Mode', 'Manage Workspace Trust');
  await shot(name);
  await dismiss(page);
  await page.locator('.activitybar a.action-label[aria-label^="Testing"]').click();
  const suite = test(page, 'support.eval.yaml');
  await press(suite, 'Run Test');
  // Here VS Code asks by itself.
  const dialog = page.locator('.monaco-dialog-box', { hasText: 'Do you trust the authors' });
  await dialog.locator('.monaco-button', { hasText: 'Cancel' }).click();
  await dialog.waitFor({ state: 'detached' });
  if (fs.existsSync(path.join(studio.workspace, '.rubric'))) throw new Error('something was run');
  await press(suite, 'Run Test');
  await dialog.locator('.monaco-button', { hasText: 'Trust Folder' }).click();
  // That nobody has said yet what may be run is another matter.
  const question = page.locator('.monaco-dialog-box', { hasText: 'Run 3 cases?' });
  await question.locator('.monaco-button', { hasText: 'Run once' }).click();
  await test(page, 'support.eval.yaml (Failed)').waitFor(); // late-order is wrong
  await quiet(page);
  await shot(`${name}-no-more`);
}

/** A server that never answers when it is started for the first time. */
function silentAtFirst() {
  const begun = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'silent-')), 'begun');
  const script = '[ -e "$0" ] && exec "$1" --stdio; touch "$0"; exec sleep 600';
  return named(['sh', '-c', script, begun, path.join(server, 'rubric-lsp')]);
}

/** A restart does not wait for it: one other server is started, and the first one is ended. */
async function silent({ page, shot, open, name, studio }) {
  await open('broken.eval.yaml');
  const [first] = await until(() => studio.processes('sleep').length && studio.processes('sleep'));
  await command(page, 'Rubric: Restart the language server');
  await page.waitForSelector('.squiggly-error');
  await until(() => !fs.existsSync(`/proc/${first}`));
  if (studio.said('Starting ') !== 2) throw new Error(`${studio.said('Starting ')} starts instead of 2`);
  await quiet(page);
  await shot(name);
}

/** It comes back by itself, a few times; then a person is told, once. What was done is kept, what was not is said. */
async function crash({ page, shot, open, name, studio }) {
  await open('mixed.eval.yaml');
  await pressLens(page, page.locator('.codelens-decoration a', { hasText: '▶ Run 2 cases' }), line(page, /id:\s*quick.*✔\s1\.00/u));
  const begun = await until(() => studio.processes('sleep').length && studio.processes('sleep'));
  process.kill(await studio.serverPid(), 'SIGKILL');
  await notified(page, 'a case was running, which has no result', 'Run Again');
  // The server that came back knows what the one that is gone had finished.
  await page.locator('.codelens-decoration a', { hasText: '✔ 1 · ▶ Run 2 cases' }).waitFor();
  await line(page, /id:\s*quick.*✔\s1\.00/u).waitFor();
  await line(page, /id:\s*waits$/u).waitFor();
  await shot('crash-in-a-run');
  await until(() => begun.every((pid) => !fs.existsSync(`/proc/${pid}`)));
  await dismiss(page);
  await open('broken.eval.yaml');
  await page.waitForSelector('.squiggly-error');
  for (let times = 1; times <= 5; times++) {
    const starts = studio.said('Ready: ');
    process.kill(await until(() => studio.serverPid()), 'SIGKILL');
    if (times < 5) await until(() => studio.said('Ready: ') > starts);
  }
  await notified(page, 'is not started again', 'Try Again');
  await shot(name);
  await page.locator('.notifications-toasts .monaco-button', { hasText: 'Try Again' }).click();
  await page.waitForSelector('.squiggly-error');
}

async function judged() {
  const judge = await startJudge({ holds: true });
  return { files: { 'judged.eval.yaml': JUDGED, '.agentv/targets.yaml': targets(judge, 'You can return it within 30 days.') }, judge };
}

/** The judge goes away while it is asked: its case has no score and says why, the other keeps its own. */
async function judgeAway({ page, shot, open, name, judge }) {
  await open('judged.eval.yaml');
  await pressLens(page, page.locator('.codelens-decoration a', { hasText: '▶ Run 2 cases' }), line(page, /id:\s*quick.*✔\s1\.00/u));
  await until(() => judge.asked);
  await judge.stop();
  await line(page, /id:\s*judged.*○\s⚠\s1\sgrader\sfailed:\srubrics/u).waitFor();
  await line(page, /id:\s*quick.*✔\s1\.00/u).waitFor();
  await page.keyboard.press('Control+Shift+M');
  const problem = page.locator('.markers-panel .monaco-list-row', { hasText: 'the judge `judge`:' });
  await problem.first().waitFor();
  await goTo(page, 16);
  await shot(name);
  if (await page.locator('.notifications-toasts .notification-list-item').count() > 1) throw new Error('more than one message');
  await judge.start();
  judge.release();
  await goTo(page, 5);
  await pressLens(page, page.locator('.codelens-decoration a', { hasText: '▶ Run 1 unscored' }), line(page, /id:\s*judged.*✔\s1\.00/u));
}
