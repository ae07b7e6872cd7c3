// Runs on every save, for who asked for them: only the cases that have not passed as they stand.
import fs from 'node:fs';
import path from 'node:path';
import { goTo, line, lineOf, openFile, press, test, unfold, until } from './look.mjs';
import { storedRuns } from './stored.mjs';

export async function continuous({ page, shot, open, studio }) {
  await open('support.eval.yaml');
  const file = path.join(studio.workspace, 'support.eval.yaml');
  await page.locator('.codelens-decoration a', { hasText: 'Run' }).first().waitFor();
  await page.locator('.activitybar a.action-label[aria-label^="Testing"]').click();
  const suite = test(page, 'support.eval.yaml');
  await press(suite, 'Turn on Continuous Run');
  await suite.locator('a[aria-label^="Turn off Continuous Run"]').waitFor();
  // Nothing is run before something is saved: models cost money.
  if (runs(studio)) throw new Error('it ran at once');
  await openFile(page, 'support.eval.yaml');
  await type(page, file, 'value: sorry', ' indeed');
  await until(() => same(runs(studio), { refund: 1, 'late-order': 1, exact: 1 }));
  await line(page, /id:\s*refund.*✔/u).waitFor();
  await unfold(suite);
  await unfold(test(page, 'late-order (Failed)'));
  await test(page, 'contains-sorry indeed (Failed)').waitFor(); // it has its name from what was just typed
  await page.mouse.move(640, 760);
  await shot('continuous');
  await openFile(page, 'support.eval.yaml');
  // What has passed as it stands is left alone; what was edited a moment ago is not, though nobody has said that it is stale.
  await type(page, file, 'criteria: Explains the refund window', ' in plain words');
  await until(() => same(runs(studio), { refund: 2, 'late-order': 2, exact: 1 }));
  await press(suite, 'Turn off Continuous Run');
  await openFile(page, 'support.eval.yaml');
  await type(page, file, 'value: sorry', ' again');
  await line(page, /id:\s*late-order.*stale/u).waitFor();
  if (!same(runs(studio), { refund: 2, 'late-order': 2, exact: 1 })) throw new Error('it ran when nobody wanted it to any more');
}

/** Add to a line, and save in the same breath. */
async function type(page, file, at, text) {
  await goTo(page, lineOf(file, at));
  await page.keyboard.insertText(text);
  await page.keyboard.press('Control+S');
}

/** How often each case was run; undefined before any was. */
function runs({ workspace }) {
  return storedRuns(workspace);
}

const same = (seen, wanted) => seen !== undefined && JSON.stringify(Object.entries(seen).sort()) === JSON.stringify(Object.entries(wanted).sort());
