// The other ways to the same: the icon in the margin, the item in the status bar with its menu, the walkthrough.
import { choose, command, line, quiet } from './look.mjs';

export async function menus({ page, shot, open }) {
  await open('support.eval.yaml');
  await page.locator('.testing-run-glyph').first().click();
  await line(page, /id:\s*refund\s*✔/u).waitFor();
  await page.locator('.codelens-decoration a', { hasText: 'Cancel' }).first().waitFor({ state: 'detached' });
  const item = page.locator('.statusbar-item[id$="rubric.status"]');
  await item.filter({ hasText: 'agentv-3 · canned' }).waitFor();
  await item.click();
  for (const choice of ['Run case', 'Run failed cases', 'Open report', 'Clear results', 'Set the dialect', 'Restart']) {
    await page.locator('.quick-input-list .monaco-list-row', { hasText: choice }).waitFor();
  }
  await page.waitForTimeout(400); // it fades in
  await shot('menu');
  await choose(page, 'Run every case of this file');
  await line(page, /id:\s*late-order\s*✘/u).waitFor();
  await page.locator('.codelens-decoration a', { hasText: '✔ 2  ✘ 1' }).waitFor();
  await item.hover();
  await page.locator('.workbench-hover', { hasText: 'asks first' }).or(page.locator('.workbench-hover', { hasText: 'allowed, the folder is trusted' })).first().waitFor();
  await shot('status');
  await command(page, 'View: Close Primary Side Bar');
  await command(page, 'Welcome: Open Walkthrough...');
  await choose(page, 'Write and run LLM evaluation suites');
  for (const [title, picture] of [['Open or write a suite', 'suite'], ['Run a case', 'run'], ['See why', 'report'], ['Every suite at once', 'tests']]) {
    await page.locator('.getting-started-step', { hasText: title }).click();
    await page.locator('.getting-started-step.expanded', { hasText: title }).waitFor();
    await page.locator('.getting-started-media').waitFor();
    await page.waitForTimeout(600); // it is drawn in a frame of its own
    await shot(`walkthrough-${picture}`);
  }
  await command(page, 'Preferences: Toggle between Light/Dark Themes');
  await page.locator('.monaco-workbench.vs-dark').waitFor();
  await page.waitForTimeout(600);
  await shot('walkthrough-dark');
  await quiet(page);
}
