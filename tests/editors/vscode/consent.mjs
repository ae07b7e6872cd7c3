// The first run of a folder: it says what it would do and asks, whichever way it is asked for; on save it asks only once.
import fs from 'node:fs';
import path from 'node:path';
import { choose, command, dismiss, goTo, line, lineOf, openFile, press, pressLens, quiet, test, until } from './look.mjs';
import { startJudge, targets } from './judge.mjs';
import { storedRuns } from './stored.mjs';

const SUITE = `# rubric: dialect=agentv-3
name: asked
execution:
  target: default
tests:
  - id: refund
    criteria: Names the window
    input: Can I return this?
    assertions:
      - type: code-grader
        command: [python3, check.py]
      - type: rubrics
        criteria:
          - id: window
            outcome: Names the 30 days
`;
const CHECK = 'import json; print(json.dumps({"score": 1.0, "assertions": []}))\n';

export async function unasked() {
  const judge = await startJudge();
  const own = targets(judge, 'You can return it within 30 days.').replace('not-a-secret-one', '${{ SHOP_KEY }}');
  const files = { 'asked.eval.yaml': SUITE, 'check.py': CHECK, '.agentv/targets.yaml': own };
  return { consented: false, variables: { SHOP_KEY: 'x' }, files, judge };
}

export async function consent({ page, shot, open, studio, judge }) {
  const file = path.join(studio.workspace, 'asked.eval.yaml');
  const dialog = page.locator('.monaco-dialog-box', { hasText: 'Run `refund`?' });
  const answer = async (title) => {
    await dialog.locator('.monaco-button', { hasText: title }).click();
    await dialog.waitFor({ state: 'detached' });
  };
  const said = (text) => page.locator('.notifications-toasts .notification-list-item', { hasText: text }).waitFor();
  const nothing = () => {
    if (judge.asked || fs.existsSync(path.join(studio.workspace, '.rubric'))) throw new Error('something was run');
  };
  await open('asked.eval.yaml');
  await pressLens(page, page.locator('.codelens-decoration a', { hasText: /^▶ Run$/u }), dialog);
  for (const told of ['python3 check.py', `http://127.0.0.1:${judge.port}/v1/chat/completions with SHOP_KEY`]) {
    await dialog.filter({ hasText: told }).waitFor();
  }
  await shot('asked');
  await answer('Not now');
  await page.waitForTimeout(400); // no notice repeats the answer
  if (await page.locator('.notifications-toasts .notification-list-item').count()) throw new Error('a notice after the answer');
  await shot('asked-refused');

  await page.locator('.activitybar a.action-label[aria-label^="Testing"]').click();
  const suite = test(page, 'asked.eval.yaml');
  await press(suite, 'Turn on Continuous Run');
  const save = async (text) => {
    await openFile(page, 'asked.eval.yaml');
    await goTo(page, lineOf(file, 'input:'));
    await page.keyboard.insertText(text);
    await page.keyboard.press('Control+S');
    await until(() => fs.readFileSync(file, 'utf8').includes(text));
  };
  await save(' Today?');
  await dialog.waitFor();
  await answer('Not now');
  await save(' Tomorrow?');
  await said('Cases are not run on save');
  await page.waitForTimeout(400); // it fades in
  await shot('asked-on-save');
  await press(suite, 'Turn off Continuous Run');
  await dismiss(page);
  nothing();

  await press(suite, 'Run Test');
  await answer('Show details');
  await page.locator('.quick-input-list .monaco-list-row', { hasText: 'Run once' }).waitFor();
  await page.locator('.tab.active', { hasText: 'what-a-run-would-do' }).waitFor();
  await line(page, /POST|python3\s+check\.py/u).waitFor();
  await shot('asked-details');
  await choose(page, 'Run once');
  await test(page, 'asked.eval.yaml (Passed)').waitFor();
  await openFile(page, 'asked.eval.yaml');

  await command(page, 'Rubric: Run every case of this file'); // once is not for ever
  await dialog.waitFor();
  await answer('Trust this folder');
  await until(() => runs(file) === 2);
  await command(page, 'Rubric: Run every case of this file');
  await until(() => runs(file) === 3);
  await quiet(page);
}

/** How often the case was run. */
function runs(suite) {
  return storedRuns(path.dirname(suite))?.refund ?? 0;
}
