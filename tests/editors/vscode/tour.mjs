// One session as a person has it: look, complete, fix, run, edit, read the report, change the theme, restart.
import fs from 'node:fs';
import path from 'node:path';
import { command, goTo, line, openFile, test, until, webview } from './look.mjs';

export async function tour(its) {
  await its.studio.open([]);
  await its.page.waitForSelector('.explorer-folders-view .monaco-list-row');
  await openFile(its.page, 'broken.eval.yaml');
  await problems(its);
  await completion(its);
  await fix(its);
  await openFile(its.page, 'quickstart.eval.yaml');
  await runFromTheLens(its);
  await runFromTheExplorer(its);
  await outdated(its);
  await report(its);
  await dark(its);
  await restart(its);
  await reopen(its);
}

async function problems({ page, shot }) {
  await page.waitForSelector('.squiggly-error');
  await page.locator('.codelens-decoration a', { hasText: 'Run' }).first().waitFor();
  await page.keyboard.press('Control+Shift+M');
  await page.locator('.markers-panel .monaco-list-row', { hasText: 'two bands' }).waitFor();
  await shot('problems');
  await page.keyboard.press('Control+Shift+M');
}

async function completion({ page, shot }) {
  await line(page, /return\s+this\s+coat/).click();
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  await page.keyboard.type('exp', { delay: 40 });
  await page.locator('.suggest-widget.visible .monaco-list-row', { hasText: 'expected_output' }).first().waitFor();
  await shot('completion');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+Z');
  await until(async () => !(await line(page, /^\s*exp$/).count()));
}

async function fix({ page, shot, studio }) {
  await page.waitForSelector('.squiggly-warning'); // the server has seen what was undone
  await page.locator('.view-line span', { hasText: /^wieght$/ }).first().click();
  const choice = page.locator('.action-widget .monaco-list-row', { hasText: 'weight' }).first();
  await until(async () => {
    await page.keyboard.press('Control+.');
    return choice.waitFor({ timeout: 3000 }).then(
      () => true,
      () => page.keyboard.press('Escape'),
    );
  });
  await shot('quick-fix');
  await page.keyboard.press('Enter');
  await line(page, 'wieght').waitFor({ state: 'detached' });
  await page.keyboard.press('Control+S');
  const file = path.join(studio.workspace, 'broken.eval.yaml');
  await until(() => /^ {12}weight: 2.0$/m.test(fs.readFileSync(file, 'utf8')));
}

async function runFromTheLens({ page, shot }) {
  await page.locator('.codelens-decoration a', { hasText: /^▶ Run$/ }).first().click();
  await line(page, /id:\s*return-a-coat.*[✔✘]/u).waitFor();
  await page.locator('.codelens-decoration a', { hasText: /^▶ Run$/ }).first().waitFor();
  await shot('run-lens');
}

async function runFromTheExplorer({ page, shot }) {
  await page.locator('.activitybar a.action-label[aria-label^="Testing"]').click();
  const suite = test(page, 'quickstart.eval.yaml');
  await suite.waitFor();
  await suite.click();
  await page.keyboard.press('ArrowRight');
  await test(page, 'return-a-coat').waitFor();
  await test(page, 'late-parcel').hover();
  await test(page, 'late-parcel').locator('a[aria-label^="Run Test"]').click();
  await test(page, 'late-parcel (Failed)').waitFor();
  await suite.hover();
  await suite.locator('a[aria-label^="Run Test"]').click();
  await test(page, 'order-status (Passed)').waitFor();
  await test(page, 'late-parcel (Failed)').waitFor();
  await test(page, 'late-parcel').click();
  await page.keyboard.press('ArrowRight');
  await shot('explorer');
}

async function outdated({ page, shot, studio }) {
  await page.keyboard.press('Control+J'); // the results at the bottom make room
  await page.locator('.tab', { hasText: 'quickstart.eval.yaml' }).click();
  const text = fs.readFileSync(path.join(studio.workspace, 'quickstart.eval.yaml'), 'utf8');
  await goTo(page, text.split('\n').findIndex((each) => each.includes('min_score: 0.7')) + 1);
  await shot('failed');
  await page.keyboard.type('5');
  await line(page, /id:\s*late-parcel.*stale/u).waitFor();
  await shot('stale');
}

async function report({ page, shot }) {
  await page.keyboard.press('Control+B');
  await command(page, 'Rubric: Open report');
  const inside = await webview(page);
  await inside.locator('h1', { hasText: 'late-parcel' }).waitFor();
  await inside.locator('.stale').waitFor();
  await shot('report-stale');
  await inside.locator('button', { hasText: 'Run case' }).click();
  await inside.locator('.stale').waitFor({ state: 'detached' }); // it follows the case
  await line(page, /id:\s*late-parcel.*✘\s0/u).waitFor();
  await shot('report');
}

async function dark({ page, shot }) {
  await command(page, 'Preferences: Toggle between Light/Dark Themes');
  await page.locator('.monaco-workbench.vs-dark').waitFor();
  const inside = await webview(page);
  await inside.locator('body.vscode-dark').waitFor();
  await shot('report-dark');
}

async function restart({ page, shot, studio }) {
  const before = await studio.serverPid();
  await command(page, 'Rubric: Restart the language server');
  await until(async () => ![undefined, before].includes(await studio.serverPid()));
  await line(page, /id:\s*late-parcel.*✘/u).waitFor();
  await shot('restarted');
}

/** The window is loaded again: the report is there again. */
async function reopen({ page, shot }) {
  await command(page, 'Developer: Reload Window');
  await page.locator('.monaco-workbench').waitFor({ state: 'detached' });
  const inside = await webview(page);
  await inside.locator('h1', { hasText: 'late-parcel' }).waitFor();
  await inside.locator('.verdict').waitFor();
  await shot('reopened');
}
