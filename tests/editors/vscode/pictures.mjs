// The pictures of VS Code in the documentation, made anew in light and dark: pictures.mjs FOLDER. `make pictures` runs it.
import path from 'node:path';
import { command, line, pressLens, until } from './look.mjs';
import { openStudio, REPOSITORY } from './studio.mjs';

const folder = process.argv[2];
const SUITES = {
  vscode: { file: 'quickstart.eval.yaml', run: 'Run 3 cases', seen: /return-a-coat\s*✔/u },
  'vscode-promptfoo': { file: 'promptfooconfig.yaml', run: 'Run 2 cases', seen: /Names\s+the\s+customer\s*✔/u },
};

const studio = await openStudio({ workspace: path.join(REPOSITORY, 'examples'), settings: { 'editor.minimap.enabled': false } });
const { page } = studio;
let code = 0;
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
    for (const [theme, shade] of [['vs', 'light'], ['vs-dark', 'dark']]) {
      const workbench = page.locator(`.monaco-workbench.${theme}`);
      if (!(await workbench.count())) await command(page, 'Preferences: Toggle between Light/Dark Themes');
      await workbench.waitFor();
      await page.waitForTimeout(1000); // colours fade
      await page.screenshot({ path: path.join(folder, `${name}-${shade}.png`) });
    }
  }
} catch (error) {
  code = 1;
  console.error(error.message);
  await page.screenshot({ path: path.join(folder, 'failed.png') });
}
await studio.close();
process.exit(code);
