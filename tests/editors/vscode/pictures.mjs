// The pictures of VS Code in the documentation, made anew in light and dark: pictures.mjs FOLDER. `make pictures` runs it.
import path from 'node:path';
import { command, goTo, line, lineOf, pressLens, unfold, until, webview } from './look.mjs';
import { openStudio, REPOSITORY } from './studio.mjs';

const folder = process.argv[2];
const SUITES = {
  vscode: { file: 'quickstart.eval.yaml', run: 'Run 3 cases', seen: /return-a-coat\s*✔/u },
  'vscode-promptfoo': { file: 'promptfooconfig.yaml', run: 'Run 2 cases', seen: /Names\s+the\s+customer\s*✔/u },
};

const studio = await openStudio({ workspace: path.join(REPOSITORY, 'examples'), settings: { 'editor.minimap.enabled': false } });
const { page } = studio;
let code = 0;

/** Change the theme to a light or a dark one. */
async function shaded(shade) {
  const workbench = page.locator(`.monaco-workbench.${shade === 'dark' ? 'vs-dark' : 'vs'}`);
  if (!(await workbench.count())) await command(page, 'Preferences: Toggle between Light/Dark Themes');
  await workbench.waitFor();
}

/** Take a picture when the colours have faded. */
async function picture(name) {
  await page.waitForTimeout(1000);
  await page.screenshot({ path: path.join(folder, `${name}.png`) });
}

try {
  await page.setViewportSize({ width: 1080, height: 760 });
  for (const [name, { file, run, seen }] of Object.entries(SUITES)) {
    await studio.open([['openFile', studio.uri(path.join(studio.workspace, file))]]);
    await page.waitForSelector('.editor-instance .view-line');
    const lenses = page.locator('.codelens-decoration a');
    await pressLens(page, lenses.filter({ hasText: run }), line(page, seen));
    await lenses.filter({ hasText: 'Cancel' }).first().waitFor({ state: 'detached' });
    await lenses.filter({ hasText: 'Report' }).first().waitFor();
    await until(async () => !(await page.locator('.notifications-toasts .notification-list-item').count()));
    for (const shade of ['light', 'dark']) {
      await shaded(shade);
      await picture(`${name}-${shade}`);
    }
  }
  // The report of the case that fails beside its suite, and the suite beside the tree of tests.
  const suite = path.join(studio.workspace, SUITES.vscode.file);
  await page.setViewportSize({ width: 1280, height: 860 });
  await studio.open([['openFile', studio.uri(suite)]]);
  await line(page, SUITES.vscode.seen).waitFor();
  await goTo(page, lineOf(suite, 'min_score: 0.7'));
  await command(page, 'Rubric: Open report');
  const report = await webview(page);
  await report.locator('h1', { hasText: 'late-parcel' }).waitFor();
  await command(page, 'View: Close Primary Side Bar');
  await picture('vscode-report');
  await command(page, 'View: Close All Editors in Group');
  await page.locator('.activitybar a.action-label[aria-label^="Testing"]').click();
  await unfold(page.locator('.test-explorer .monaco-list-row', { hasText: 'quickstart.eval.yaml' }));
  await page.locator('.test-explorer .monaco-list-row', { hasText: 'late-parcel' }).waitFor();
  await shaded('light');
  await goTo(page, lineOf(suite, 'min_score: 0.7'));
  await picture('vscode-results');
} catch (error) {
  code = 1;
  console.error(error.message);
  await page.screenshot({ path: path.join(folder, 'failed.png') });
}
await studio.close();
process.exit(code);
