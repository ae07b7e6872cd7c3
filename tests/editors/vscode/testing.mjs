// What VS Code offers in its Testing view does what its name says, and what comes to nothing leaves everything as it was.
import fs from 'node:fs';
import path from 'node:path';
import { command, goTo, line, lineOf, openFile, press, pressLens, quiet, test, unfold, until } from './look.mjs';
import { startJudge, targets } from './judge.mjs';
import { storedRuns } from './stored.mjs';

const WAIT = "import os, sys, time; sys.stdin.read(); time.sleep(60 if os.path.exists('slow') else 0); print('{\"score\": 1, \"assertions\": []}')";
const HEAD = '# rubric: dialect=agentv-3\nexecution:\n  target: default\ntests:\n';
const one = (id, grader) => `  - id: ${id}\n    criteria: Names the window\n    input: Can I return this?\n    assertions:\n      - ${grader}\n`;
const FILE = 'evals/mixed.eval.yaml';
const SUITE =
  HEAD +
  one('good', '{type: contains, value: 30 days}') +
  one('bad', '{type: contains, value: sorry}') +
  one('gone', '{type: code-grader, name: missing, command: [no-such-program]}') +
  one('slow', '{type: code-grader, name: waits, command: [python3, wait.py]}');

const file = async () => {
  const judge = await startJudge();
  return { files: { '.agentv/targets.yaml': targets(judge, 'You can return it within 30 days.'), [FILE]: SUITE, 'evals/wait.py': WAIT }, judge };
};
export const mixed = file;
export const unasked = async () => ({ ...(await file()), consented: false });

/** The rows and their states, once they stay. Not their times: VS Code adds up that of a suite anew whenever it lists a run. */
async function settled(page) {
  const labels = async () => {
    const all = await page.locator('.test-explorer .monaco-list-row').evaluateAll((rows) => rows.map((row) => row.getAttribute('aria-label')));
    return all.map((label) => label.replace(/, in [\d.]+m?s$/u, '')).join();
  };
  let [before, since] = [await labels(), Date.now()];
  await until(async () => {
    const now = await labels();
    if (now !== before) [before, since] = [now, Date.now()];
    return Date.now() - since > 1000;
  });
  return before;
}

/** Choose from a menu that `open` opens. VS Code takes no notice of a click while it still draws the menu. */
async function chosen(page, open, entry) {
  const item = page.locator('.monaco-menu .action-item', { hasText: entry });
  await open();
  await item.waitFor();
  await until(async () => {
    await item.click({ timeout: 2000 }).catch(() => undefined);
    await page.waitForTimeout(500);
    return !(await item.count());
  });
}

/** How often each case was run. */
function runs({ workspace }) {
  const runs = storedRuns(workspace);
  return runs ? ['good', 'bad', 'gone', 'slow'].map((id) => runs[id] ?? 0).join(' ') : '';
}

const testing = (page) => page.locator('.activitybar a.action-label[aria-label^="Testing"]').click();
const dialog = (page) => page.locator('.monaco-dialog-box');
const listed = (page) => page.locator('.test-output-peek-tree .monaco-list-row');
const printed = (page, text) => page.locator('.xterm-accessibility, .xterm-rows', { hasText: text }).first().waitFor({ state: 'attached' });
const BUSY = ['Running', 'Queued'].map((state) => `.test-explorer .monaco-list-row[aria-label*="(${state})"]`).join();
/** Nothing runs any more. */
const over = (page) => until(async () => !(await page.locator('.codelens-decoration a', { hasText: 'Cancel' }).count()));

/** The row of a run that VS Code lists with nothing in it. */
async function noneIsEmpty(page) {
  const all = await listed(page).allInnerTexts();
  if (all.some((text) => /^Test run at/u.test(text))) throw new Error(`an empty run: ${all.join(' | ')}`);
}

/** A key after Ctrl+; as VS Code has them for tests; it goes to the editor. */
async function chord(page, key) {
  await goTo(page, 12);
  await page.keyboard.press('Control+;');
  await page.keyboard.press(key);
}

export async function refused({ page, shot, open, studio }) {
  await open(FILE);
  await testing(page);
  const suite = test(page, FILE);
  const answer = async (title) => {
    await dialog(page).locator('.monaco-button', { hasText: title }).click();
    await dialog(page).waitFor({ state: 'detached' });
  };
  await press(suite, 'Run Test');
  await answer('Not now');
  await command(page, 'Test: Show Output');
  await listed(page).filter({ hasText: 'Nothing was run' }).waitFor();
  await noneIsEmpty(page);
  await press(suite, 'Run Test');
  await answer('Run once');
  await test(page, `${FILE} (Errored)`).waitFor();
  await until(() => runs(studio) === '1 1 1 1');
  await over(page);
  await listed(page).filter({ hasText: '4 cases' }).waitFor();
  // One run with its evaluators below it, that of the Testing view: none of its own for what began when the question was answered.
  await listed(page).first().click();
  await page.keyboard.press('End');
  await listed(page).filter({ hasText: /^2 older results$/u }).waitFor();
  await page.keyboard.press('Home');
  const said = /does\s+not\s+contain\s+"sorry"/u; // in VS Code's own box beside the line, or on it
  const message = page.locator('.test-error-content-widget', { hasText: said }).or(line(page, said)).first();
  await message.waitFor();
  const before = await settled(page);
  await press(suite, 'Run Test');
  await answer('Not now');
  await listed(page).filter({ hasText: 'Nothing was run' }).waitFor();
  await message.waitFor(); // VS Code takes messages away when a run begins
  const now = await settled(page);
  if (now !== before) throw new Error(`${before} became ${now}`);
  await noneIsEmpty(page);
  await shot('refused');
  if (runs(studio) !== '1 1 1 1') throw new Error('it ran');
}

export async function commands({ page, shot, open, studio }) {
  const ran = async (wanted) => {
    await until(() => runs(studio) === wanted, 30_000, wanted).catch(() => Promise.reject(new Error(`ran ${runs(studio)}, not ${wanted}`)));
    await over(page);
    await until(async () => !(await page.locator(BUSY).count())); // VS Code, too, has heard of all that came of it
  };
  await open(FILE);
  await testing(page);
  await test(page, FILE).waitFor();
  await page.locator('.cgmr.testing-run-glyph').first().waitFor();
  await openFile(page, 'mixed.eval.yaml');

  await chord(page, 'c'); // Run Test at Cursor
  await ran('0 1 0 0');
  await chord(page, 'f'); // Run Tests in Current File
  await ran('1 2 1 1');
  await test(page, `${FILE} (Errored)`).waitFor();
  // What has no verdict is in trouble, and has not failed: two buttons, and each of them does what it says.
  await page.locator('.codelens-decoration a', { hasText: '▶ Run 1 failed' }).waitFor();
  await page.locator('.codelens-decoration a', { hasText: '▶ Run 1 unscored' }).waitFor();
  await unfold(test(page, FILE));
  await test(page, 'bad (Failed)').waitFor();
  await test(page, 'gone (Errored)').waitFor();
  await shot('unscored');
  // Messages have no place in the text, so that lines look the same before and after an edit (`messages.ts`): VS Code would find
  // none to peek at. Its keys find the nearest, and from there VS Code goes on, from failure to failure.
  const peek = page.locator('.test-output-peek');
  const peeked = (text) => peek.locator('.head', { hasText: text }).waitFor();
  await goTo(page, lineOf(path.join(studio.workspace, FILE), 'id: gone'));
  await page.keyboard.press('Control+;');
  await page.keyboard.press('Control+m');
  await peeked('no-such-program');
  await shot('peeked');
  await page.keyboard.press('Alt+F8'); // Go to Next Test Failure
  await peeked('sorry');
  await page.keyboard.press('Escape');
  await peek.waitFor({ state: 'detached' });
  await chord(page, 'e'); // Rerun Failed Tests; VS Code counts errors among them
  await ran('1 3 2 1');
  await chord(page, 'l'); // Rerun Last Run
  await ran('1 4 3 1');
  await pressLens(page, page.locator('.codelens-decoration a', { hasText: '▶ Run 1 failed' }), page.locator('.codelens-decoration a', { hasText: 'Cancel' }).or(line(page, /id:\s*bad.*✘/u)));
  await ran('1 5 3 1');
  await chord(page, 'l'); // the last one began with a lens
  await ran('1 6 3 1');
  await command(page, 'Test: Rerun Failed Tests from Last Run');
  await ran('1 7 3 1');

  await goTo(page, 7);
  await page.keyboard.insertText(' Today?');
  await line(page, /id:\s*good.*stale/u).waitFor();
  await chord(page, 'l'); // an edit is no run
  await ran('1 8 3 1');
  await chosen(page, () => test(page, FILE).click({ button: 'right' }), 'Execute Using Profile');
  const profiles = page.locator('.quick-input-list .monaco-list-row');
  await profiles.filter({ hasText: 'Run Changed' }).waitFor();
  const names = (await profiles.allInnerTexts()).map((text) => text.split('\n')[0]);
  if (names.sort().join() !== 'Record,Run,Run 5×,Run Changed') throw new Error(`profiles: ${names.join()}`); // none that debugs or covers
  await shot('profiles');
  await profiles.filter({ hasText: 'Run Changed' }).click();
  await ran('2 8 3 1');

  // What is hidden is not run; and from a row one comes to its line.
  const menu = (row, entry) => chosen(page, () => test(page, row).click({ button: 'right' }), entry);
  await menu('bad', 'Hide Test');
  await test(page, 'bad').waitFor({ state: 'detached' });
  await press(test(page, FILE), 'Run Test');
  await ran('3 8 4 2');
  await chosen(page, () => page.locator('a[aria-label^="More Filters"]').click(), 'Unhide All Tests');
  await test(page, 'bad (Failed)').waitFor();
  await menu('gone', 'Go to Test');
  await page.locator('.statusbar-item[id="status.editor.selection"]', { hasText: `Ln ${lineOf(path.join(studio.workspace, FILE), 'id: gone')},` }).waitFor();

  await command(page, 'Test: Show Output');
  await printed(page, /2 passed, 1 unscored/u);

  // Both end as they stood: one that had begun, and everything.
  fs.writeFileSync(path.join(studio.workspace, 'evals/slow'), '');
  await chord(page, 'f');
  await until(() => studio.processes('wait.py').length);
  await shot('cancelling');
  await command(page, 'Test: Cancel Test Run');
  await over(page);
  await test(page, 'slow (Passed)').waitFor();
  await printed(page, /cancelled in/u); // VS Code keeps the results of a run that goes on when it clears all
  fs.rmSync(path.join(studio.workspace, 'evals/slow'));

  await command(page, 'Test: Clear All Results');
  const cleared = page.getByText('No test results yet.');
  await cleared.waitFor();
  await command(page, 'Test: Refresh Tests'); // what the server knows
  await cleared.waitFor({ state: 'hidden' });
  for (const row of ['good (Passed)', 'bad (Failed)', 'gone (Errored)', 'slow (Passed)']) await test(page, row).waitFor();
  await shot('refreshed');
  await quiet(page);
}

const THOUSANDS = 5000;
const numbered = (number) => `case-${String(number).padStart(4, '0')}`;
const cases = Array.from({ length: THOUSANDS }, (_, number) => one(numbered(number), '{type: contains, value: 30 days}')).join('');
export const thousandsOfCases = { files: { 'evals/big.eval.yaml': HEAD.replace('default', 'canned') + cases } };

/** A suite of several thousand cases unfolds when it is looked into, and only what is seen is drawn. */
export async function thousands({ page, shot, open }) {
  await open('support.eval.yaml');
  await testing(page);
  const suite = test(page, 'evals/big.eval.yaml');
  await suite.waitFor();
  await unfold(suite);
  const first = test(page, numbered(0));
  await first.waitFor();
  if ((await first.getAttribute('aria-setsize')) !== String(THOUSANDS)) throw new Error('not all of its cases');
  const drawn = await page.locator('.test-explorer .monaco-list-row').count();
  if (drawn > 100) throw new Error(`${drawn} rows for what fits on a screen`);
  await page.locator('.test-explorer .monaco-list').focus(); // unfolding moves no focus
  await page.keyboard.press('End');
  await test(page, 'support.eval.yaml').waitFor();
  await test(page, numbered(THOUSANDS - 1)).waitFor();
  await shot('thousands');
}
