// The Testing view: there from the first look, under its folders, and what a run that is cancelled or refused leaves behind.
import fs from 'node:fs';
import path from 'node:path';
import { command, line, openFile, press, pressLens, test, unfold, until } from './look.mjs';
import { startJudge, targets } from './judge.mjs';

const WAIT = "import os, sys, time; sys.stdin.read(); time.sleep(60 if os.path.exists('slow') else 0); print('{\"score\": 1, \"assertions\": []}')";
const suite = (grader) => `# rubric: dialect=agentv-3
execution:
  target: default
tests:
  - id: window
    criteria: Names the window
    input: Can I return this?
    assertions:
      - ${grader}
`;
const CONTAINS = '{type: contains, value: 30 days}';

export async function many() {
  const judge = await startJudge();
  const files = { '.agentv/targets.yaml': targets(judge, 'You can return it within 30 days.') };
  for (let n = 10; n < 70; n++) files[`features/topic-${n}/evals/dataset.eval.yaml`] = suite(CONTAINS);
  files['features/topic-11/evals/second.eval.yaml'] = suite(CONTAINS);
  files['showcase/waits/waits.eval.yaml'] = suite('{type: code-grader, name: waits, command: [python3, wait.py]}');
  files['showcase/waits/wait.py'] = WAIT;
  return { files, judge };
}

export async function explorer({ page, shot, open, studio }) {
  await open('showcase/waits/waits.eval.yaml');
  // A run that began before anybody looked at the tree is in it.
  const lens = page.locator('.codelens-decoration a', { hasText: /^▶ Run$/u });
  const passed = line(page, /window\s*✔/u);
  await pressLens(page, lens, passed);
  await page.locator('.activitybar a.action-label[aria-label^="Testing"]').click();
  const waits = test(page, 'showcase/waits/waits.eval.yaml (Passed)');
  await waits.waitFor();
  await test(page, 'features').waitFor();
  await unfold(test(page, 'features'));
  await test(page, 'topic-10/evals/dataset.eval.yaml').waitFor();
  await test(page, 'topic-11/evals').waitFor();
  if (await test(page, 'dataset.eval.yaml').count()) throw new Error('a row that does not tell which suite it is');
  await shot('explorer');
  await press(test(page, 'topic-11/evals'), 'Run Test');
  await test(page, 'topic-11/evals (Passed)').waitFor();
  await page.keyboard.press('ArrowLeft');

  // What is cancelled stands as it stood before.
  await test(page, 'features').click();
  await page.keyboard.press('ArrowLeft');
  fs.writeFileSync(path.join(studio.workspace, 'showcase/waits/slow'), '');
  await press(test(page, 'showcase/waits/waits.eval.yaml'), 'Run Test');
  await page.locator('.codelens-decoration a', { hasText: 'Cancel' }).first().waitFor();
  await command(page, 'Test: Cancel Test Run');
  await waits.waitFor();
  await openFile(page, 'waits.eval.yaml');
  await passed.waitFor();
  await shot('explorer-cancelled');
  await until(async () => !(await page.locator('.codelens-decoration a', { hasText: 'Cancel' }).count()));
}
