// Sessions as a person has them: look, complete, fix, run, edit, read the report, change the theme, restart.
// Once with the examples of this repository, once with a suite of the corpus where that is beside the checkout.
import fs from 'node:fs';
import path from 'node:path';
import { accept, chooseTheme, command, goTo, line, lineOf, openFile, press, pressLens, quiet, test, unfold, until, webview } from './look.mjs';
import { startJudge, targets } from './judge.mjs';
import { consent, unasked } from './consent.mjs';
import { continuous } from './continuous.mjs';
import { debugging, graded } from './debugging.mjs';
import { explorer, many } from './explorer.mjs';
import { broken, graders } from './graders.mjs';
import { menus } from './menus.mjs';
import { configured, promptfoo } from './promptfoo.mjs';
import { shared } from './shared.mjs';
import { hostile, strangers } from './strangers.mjs';
import { commands, mixed, refused, thousands, thousandsOfCases, unasked as untrusted } from './testing.mjs';
import { everyKey, typing } from './typing.mjs';
import { verdict, verdicts } from './verdicts.mjs';
import { sixtySix, windows } from './windows.mjs';
import { REPOSITORY } from './studio.mjs';
import { readable, words } from './words.mjs';

const CORPUS = path.join(REPOSITORY, '../shared/corpus/v3.14.6/examples/features/rubric');

export const tours = {
  tour: { options: { workspace: path.join(REPOSITORY, 'examples') }, play: (its) => tour(its, EXAMPLES) },
  corpus: { options: corpus, play: (its) => tour(its, REAL) },
  continuous: { options: {}, play: continuous },
  consent: { options: unasked, play: consent },
  menus: { options: {}, play: menus },
  graders: { options: broken, play: graders },
  debugging: { options: graded, play: debugging },
  explorer: { options: many, play: explorer },
  promptfoo: { options: configured, play: promptfoo },
  shared: { options: {}, play: shared },
  strangers: { options: hostile, play: strangers },
  commands: { options: mixed, play: commands },
  refused: { options: untrusted, play: refused },
  thousands: { options: thousandsOfCases, play: thousands },
  typing: { options: everyKey, play: typing },
  verdicts: { options: verdict, play: verdicts },
  windows: { options: sixtySix, play: windows },
  words: { options: readable, play: words },
};

const EXAMPLES = {
  pictures: '',
  folder: '',
  checked: 'broken.eval.yaml',
  problem: 'two bands',
  // Behind which line something is typed, what, what is chosen, and what the line says then.
  complete: { behind: /return\s+this\s+coat/u, typed: 'exp', chosen: 'expected_output', gives: /^ {4}expected_output: *$/mu, continued: 'Yes, of course.' },
  wrong: 'wieght',
  fix: 'weight',
  right: /^ {12}weight: 2.0$/mu,
  run: 'quickstart.eval.yaml',
  first: 'return-a-coat',
  failing: 'late-parcel',
  passing: 'order-status',
  edited: 'min_score: 0.7',
};

const REAL = {
  pictures: 'corpus-',
  folder: 'evals',
  checked: 'dataset.eval.yaml',
  problem: 'required_min_score',
  complete: { behind: /id:\s+brevity_and_clarity/u, typed: 'out', chosen: 'outcome', gives: /^ {12}outcome: *$/mu, continued: 'Short, and easy to follow' },
  wrong: 'required_min_score',
  fix: 'min_score: 0.8',
  right: /^ {12}min_score: 0.8$/mu,
  run: 'dataset.eval.yaml',
  listed: 'evals/dataset.eval.yaml', // in the Testing view
  first: 'summary-multi-criteria-score-ranges-proposed',
  failing: 'summary-multi-criteria-score-ranges-proposed',
  passing: 'technical-writing-detailed',
  edited: 'min_score: 0.8',
  judged: true,
};

const ANSWER = `Climate change is accelerating: Arctic ice melts at a rate that nobody has measured before, seas rise, and weather becomes extreme more often.

## What scientists ask for

1. Cut carbon emissions now.
2. Move to **renewable** energy sources.

| Claim | Source |
|---|---|
| Arctic ice | satellite series, 1979 to today |

A_very_long_word_that_cannot_be_broken_anywhere_because_it_is_the_name_of_something_in_a_program_that_somebody_else_wrote.`;

async function corpus() {
  if (!fs.existsSync(CORPUS)) return { skipped: 'the corpus of real suites is not beside the checkout: the tour goes through the examples' };
  const judge = await startJudge({ opinion: (id) => (id === 'factual_accuracy' ? 6 : 9) });
  return { workspace: CORPUS, files: { '.agentv/targets.yaml': targets(judge, ANSWER) }, judge };
}

async function tour(its, plan) {
  await its.studio.open([]);
  await its.page.waitForSelector('.explorer-folders-view .monaco-list-row');
  await openFile(its.page, plan.checked);
  const shot = async (name) => {
    await its.shot(plan.pictures + name);
    await quiet(its.page);
  };
  const all = { ...its, plan, shot };
  await problems(all);
  await completion(all);
  await fix(all);
  await openFile(its.page, plan.run);
  await runFromTheLens(all);
  await runFromTheExplorer(all);
  await outdated(all);
  await report(all);
  if (plan.judged) await reply(all);
  await dark(all);
  await keyboard(all);
  await narrow(all);
  await restart(all);
  await reopen(all);
  await contrast(all);
}

async function problems({ page, shot, plan }) {
  await page.locator('.codelens-decoration a', { hasText: 'Run' }).first().waitFor();
  await page.keyboard.press('Control+Shift+M');
  const problem = page.locator('.markers-panel .monaco-list-row', { hasText: plan.problem });
  await problem.click(); // to its line
  await page.waitForSelector('.squiggly-error, .squiggly-warning');
  await shot('problems');
  await page.keyboard.press('Control+Shift+M');
}

/** What is typed by half is offered whole, and accepted with a key. */
async function completion({ page, shot, plan, studio }) {
  const { behind, typed, chosen, gives, continued } = plan.complete;
  const file = path.join(studio.workspace, plan.folder, plan.checked);
  await goTo(page, lineOf(file, behind));
  await page.keyboard.press('Enter');
  await page.keyboard.type(typed, { delay: 40 });
  await page.locator('.suggest-widget.visible .monaco-list-row', { hasText: chosen }).first().waitFor();
  await shot('completion');
  await accept(page, chosen);
  await page.keyboard.press('Control+S');
  await until(() => gives.test(fs.readFileSync(file, 'utf8')));
  await page.keyboard.type(continued);
  await page.keyboard.press('Escape');
}

async function fix({ page, shot, studio, plan }) {
  const file = path.join(studio.workspace, plan.folder, plan.checked);
  await goTo(page, lineOf(file, plan.wrong));
  await page.waitForSelector('.squiggly-warning, .squiggly-error');
  await page.locator('.view-line span', { hasText: new RegExp(`^${plan.wrong}$`, 'u') }).first().click();
  const choice = page.locator('.action-widget .monaco-list-row', { hasText: plan.fix }).first();
  await until(async () => {
    await page.keyboard.press('Control+.');
    return choice.waitFor({ timeout: 3000 }).then(
      () => true,
      () => page.keyboard.press('Escape'),
    );
  });
  await shot('quick-fix');
  await page.keyboard.press('Enter');
  await line(page, plan.wrong).waitFor({ state: 'detached' });
  await page.keyboard.press('Control+S');
  await until(() => plan.right.test(fs.readFileSync(file, 'utf8')));
}

/** The lens above a case. */
async function runFromTheLens({ page, shot, plan, studio }) {
  const file = path.join(studio.workspace, plan.folder, plan.run);
  await goTo(page, lineOf(file, new RegExp(`id: ${plan.first}$`, 'u')));
  await runLens(page, plan.first);
  await line(page, new RegExp(`id:\\s*${plan.first}.*[✔✘]`, 'u')).waitFor();
  await shot('run-lens');
}

/** The lens that stands right above the line of a case. */
async function runLens(page, id) {
  const lenses = page.locator('.codelens-decoration a', { hasText: /^▶ Run$/u });
  const number = await until(async () => {
    const at = await line(page, new RegExp(`id:\\s*${id}`, 'u')).first().boundingBox();
    const boxes = await Promise.all((await lenses.all()).map((lens) => lens.boundingBox({ timeout: 1000 }).catch(() => null)));
    const found = boxes.findIndex((box) => box && at && box.y < at.y && at.y - box.y < 30);
    return found >= 0 && { found };
  });
  await pressLens(page, lenses.nth(number.found), line(page, new RegExp(`id:\\s*${id}.*[⟳✔✘]`, 'u')));
}

async function runFromTheExplorer({ page, shot, plan }) {
  await page.locator('.activitybar a.action-label[aria-label^="Testing"]').click();
  const suite = test(page, plan.listed ?? plan.run);
  await suite.waitFor();
  await unfold(suite);
  await test(page, plan.passing).waitFor();
  await press(test(page, plan.failing), 'Run Test');
  await test(page, `${plan.failing} (Failed)`).waitFor();
  await press(suite, 'Run Test');
  await test(page, `${plan.passing} (Passed)`).waitFor();
  await test(page, `${plan.failing} (Failed)`).waitFor();
  await unfold(test(page, plan.failing));
  await page.locator('.codelens-decoration a', { hasText: 'Cancel' }).first().waitFor({ state: 'detached' });
  await shot('explorer');
}

async function outdated({ page, shot, studio, plan }) {
  await page.locator('.tab', { hasText: plan.run }).click();
  const file = path.join(studio.workspace, plan.folder, plan.run);
  await goTo(page, lineOf(file, plan.edited));
  await shot('failed');
  await page.keyboard.type('5');
  await goTo(page, lineOf(file, new RegExp(`id: ${plan.failing}$`, 'u')));
  await line(page, new RegExp(`id:\\s*${plan.failing}.*stale`, 'u')).waitFor();
  await test(page, plan.failing).locator('.retired').waitFor();
  await page.locator('.test-message-inline-content').waitFor({ state: 'detached' }); // VS Code's own message is gone with it
  await shot('stale');
}

/** The line of a case that has failed as it stands. */
const fresh = (id) => new RegExp(`id:\\s*${id}\\s*✘\\s0`, 'u');

async function report({ page, shot, plan }) {
  await command(page, 'View: Close Primary Side Bar');
  await command(page, 'Rubric: Open report');
  const inside = await webview(page);
  await inside.locator('h1', { hasText: plan.failing }).waitFor();
  await inside.locator('.stale').waitFor();
  await shot('report-stale');
  await inside.locator('button', { hasText: 'Run case' }).click();
  await inside.locator('.stale').waitFor({ state: 'detached' }); // it follows the case
  await line(page, fresh(plan.failing)).waitFor();
  await shot('report');
}

/** What the judge said, letter by letter, as a document that cannot be edited. */
async function reply({ page, shot }) {
  const inside = await webview(page);
  await inside.locator('[data-key="reply"]').click();
  await page.locator('.tab.active', { hasText: '.reply.md' }).waitFor();
  await line(page, /The\s+raw\s+reply/u).waitFor();
  await line(page, /"checks":.*"factual_accuracy"/u).waitFor();
  await shot('reply');
  await page.locator('.tab', { hasText: 'Report: ' }).first().click();
  await inside.locator('.verdict').waitFor();
}

async function dark({ page, shot }) {
  await command(page, 'Preferences: Toggle between Light/Dark Themes');
  await page.locator('.monaco-workbench.vs-dark').waitFor();
  const inside = await webview(page);
  await inside.locator('body.vscode-dark').waitFor();
  await shot('report-dark');
}

/** Everything in the report can be reached, done and heard without a mouse or a screen. */
async function keyboard({ page, plan }) {
  const inside = await webview(page);
  await inside.locator('h1').click();
  const reached = [];
  for (let times = 0; times < 4; times++) {
    await page.keyboard.press('Tab');
    reached.push(await inside.locator(':focus').getAttribute('data-key'));
  }
  if (reached[0] !== 'run' || !reached.includes('reply') || !reached.includes('suite')) throw new Error(`reached ${reached.join(', ')}`);
  const heard = await inside.locator('main').ariaSnapshot();
  for (const part of [`heading "${plan.failing}" [level=1]`, 'button "Run again"', 'heading "Score" [level=2]', 'region "Score"', 'img "0', 'columnheader "Evaluator"', 'region "Answer"', 'heading "In a terminal"']) {
    if (!heard.includes(part)) throw new Error(`not heard: ${part}\n${heard}`);
  }
  await inside.locator('[data-key="suite"]').first().focus();
  await page.keyboard.press('Enter');
  await page.locator('.editor-instance .monaco-editor.focused').waitFor();
}

/** A narrow pane cuts nothing off. */
async function narrow({ page, shot }) {
  await page.setViewportSize({ width: 820, height: 860 });
  const inside = await webview(page);
  await until(() => inside.locator('html').evaluate((html) => html.clientWidth < 420));
  const over = await inside.locator('html').evaluate((html) => html.scrollWidth - html.clientWidth);
  if (over > 0) throw new Error(`the report is ${over} pixels too wide for its pane`);
  await shot('report-narrow');
  await inside.locator('#command').scrollIntoViewIfNeeded();
  await shot('report-narrow-end');
  await page.setViewportSize({ width: 1280, height: 860 });
}

async function restart({ page, shot, studio, plan }) {
  const before = await studio.serverPid();
  await command(page, 'Rubric: Restart the language server');
  await until(async () => ![undefined, before].includes(await studio.serverPid()));
  const inside = await webview(page);
  await inside.locator('.verdict').waitFor();
  await line(page, fresh(plan.failing)).waitFor();
  await shot('restarted');
}

/** The window is loaded again: the report is there again. */
async function reopen({ page, shot, plan }) {
  await command(page, 'Developer: Reload Window');
  await page.locator('.monaco-workbench').waitFor({ state: 'detached' });
  const inside = await webview(page);
  await inside.locator('h1', { hasText: plan.failing }).waitFor();
  await inside.locator('.verdict').waitFor();
  await shot('reopened');
}

async function contrast({ page, shot }) {
  for (const [title, theme, picture] of [['Dark High Contrast', 'high-contrast', 'contrast'], ['Light High Contrast', 'high-contrast-light', 'contrast-light']]) {
    await chooseTheme(page, title);
    const inside = await webview(page);
    await inside.locator(`body.vscode-${theme} .verdict`).waitFor();
    await line(page, /id:\s*\S+\s*✘/u).first().waitFor();
    await shot(`report-${picture}`);
  }
}
