// A configuration of promptfoo: asked about, run, read, edited, as a suite.
import fs from 'node:fs';
import path from 'node:path';
import { command, goTo, line, lineOf, pressLens, quiet, test, unfold, until, webview } from './look.mjs';
import { REPOSITORY } from './studio.mjs';

const FILE = 'promptfooconfig.yaml';

export const configured = { consented: false, workspace: path.join(REPOSITORY, 'tests/editors/promptfoo') };

export async function promptfoo({ page, shot, open, studio }) {
  const file = path.join(studio.workspace, FILE);
  const lens = (text) => page.locator('.codelens-decoration a', { hasText: text });
  const dialog = page.locator('.monaco-dialog-box', { hasText: 'Run ' });
  await open(FILE);
  await pressLens(page, lens('Run 2 cases'), dialog);
  for (const told of ['python3 answer.py', 'check.py:get_assert']) await dialog.filter({ hasText: told }).waitFor();
  await shot('promptfoo-asked');
  if (fs.existsSync(path.join(studio.workspace, '.rubric'))) throw new Error('something was run');
  await dialog.locator('.monaco-button', { hasText: 'Trust this folder' }).click();

  await line(page, /greets\s+everybody\s*✔\s*1\.00/u).waitFor();
  await line(page, /-\s+vars:\s*✘\s*0\.83\s*1\/2\s*variations/u).waitFor();
  await line(page, /type:\s*starts-with\s*✘/u).waitFor();
  await line(page, /type:\s*python\s*✔/u).waitFor();
  await line(page, /type:\s*icontains\s*✔\s*2\/2\s*cases/u).waitFor();
  await lens('Cancel').first().waitFor({ state: 'detached' });
  await shot('promptfoo-results');

  await goTo(page, lineOf(file, '- vars:'));
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowLeft');
  await command(page, 'Show or Focus Hover');
  await page.locator('.monaco-hover', { hasText: 'name=Zoe' }).filter({ hasText: '1 of 2 variations' }).first().waitFor();
  await page.waitForTimeout(600); // it fades in
  await shot('promptfoo-hover');
  await page.keyboard.press('Escape');

  await command(page, 'Rubric: Open report');
  const report = await webview(page);
  await report.locator('body', { hasText: 'name=Zoe' }).waitFor();
  await page.waitForTimeout(600);
  await shot('promptfoo-report');
  await page.keyboard.press('Control+W');

  await page.locator('.activitybar a.action-label[aria-label^="Testing"]').click();
  await test(page, FILE).waitFor();
  await unfold(test(page, FILE));
  await test(page, 'greets everybody').waitFor();
  await until(async () => /Passed/u.test(await test(page, 'greets everybody').getAttribute('aria-label')));
  await until(async () => /Failed/u.test(await test(page, 'name=Zoe').getAttribute('aria-label')));
  await shot('promptfoo-testing');

  // What a result depends on changes outside of the editor.
  fs.writeFileSync(path.join(studio.workspace, 'check.py'), "def get_assert(output, context):\n    return False\n");
  await line(page, /greets\s+everybody\s*◌\s*stale/u).waitFor();
  await shot('promptfoo-stale');
  await quiet(page);
  await compared({ page, shot, file, lens });
  await named({ page, shot, open, file, lens });
}

/** Under a name that VS Code takes for any YAML. */
async function named({ page, shot, open, file, lens }) {
  const other = 'chat.promptfoo.yaml';
  fs.copyFileSync(file, path.join(path.dirname(file), other));
  await open(other);
  await page.locator('.tab.active', { hasText: other }).waitFor();
  await lens('Run 2 cases').first().waitFor();
  await shot('promptfoo-other-name');
}

/** The same tests with another model, beside the run before: which cases no longer pass comes first. */
async function compared({ page, shot, file, lens }) {
  const folder = path.dirname(file);
  fs.writeFileSync(path.join(folder, 'answer.py'), 'print("Hi")\n');
  fs.writeFileSync(path.join(folder, 'check.py'), 'def get_assert(output, context):\n    return len(output) < 40\n');
  await goTo(page, 1);
  await pressLens(page, lens('Run 2 cases'), line(page, /greets\s+everybody\s*✘/u));
  await lens('Cancel').first().waitFor({ state: 'detached' });
  await command(page, 'Rubric: Compare with the last run');
  const report = await webview(page);
  await report.locator('section', { hasText: 'No longer pass' }).filter({ hasText: 'greets everybody' }).first().waitFor();
  await page.waitForTimeout(600); // charts are drawn
  await shot('promptfoo-compared');
}
