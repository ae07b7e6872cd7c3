// A grader under VS Code's own debugger: it stops in the grader, which has its input, and leaves nothing behind.
import fs from 'node:fs';
import os from 'node:os';
import { command, goTo, openFile, press, test, unfold, until } from './look.mjs';

const GRADER = `import fs from 'node:fs';
const told = fs.readFileSync(0, 'utf8');
console.log(JSON.stringify({ score: told.includes('within 30 days') ? 1 : 0, hits: [process.argv.slice(2).join()] }));
`;
const SUITE = `# rubric: dialect=agentv-3
execution: {target: canned}
tests:
  - id: stopped
    criteria: Names the window
    input: Can I return this?
    assertions:
      - {type: contains, value: 30 days}
      - {type: code-grader, name: script, command: [node, check.mjs, strict]}
`;
const TARGETS = 'targets:\n  - {name: canned, provider: mock, response: You can return it within 30 days.}\n';

export const graded = async () => ({ files: { 'debugged.eval.yaml': SUITE, 'check.mjs': GRADER, '.agentv/targets.yaml': TARGETS } });

export async function debugging({ page, shot, open }) {
  await open('debugged.eval.yaml');
  await page.locator('.activitybar a.action-label[aria-label^="Testing"]').click();
  const suite = test(page, 'debugged.eval.yaml');
  await suite.waitFor();
  await unfold(suite);
  await press(test(page, 'stopped'), 'Run Test');
  await test(page, 'stopped (Passed)').waitFor();
  await openFile(page, 'check.mjs');
  await goTo(page, 3);
  await page.keyboard.press('F9');
  await page.locator('.codicon-debug-breakpoint').first().waitFor();
  await press(test(page, 'stopped (Passed)'), 'Debug Test');
  await page.locator('.debug-top-stack-frame-line').waitFor();
  await shot('debugging');
  if (!left().length) throw new Error('nothing was handed over');
  await again(page);
  await command(page, 'Debug: Continue');
  await page.locator('.debug-top-stack-frame-line').waitFor({ state: 'hidden' });
  await command(page, 'Debug Console: Focus on Debug Console View');
  await page.locator('.repl', { hasText: '{"score":1,"hits":["strict"]}' }).waitFor();
  await until(() => !left().length, undefined, 'the end of the temporary files');
}

/** Restarted, it stops in the grader once more, with the same input. */
async function again(page) {
  const [before] = left();
  await command(page, 'Debug: Restart');
  await page.locator('.debug-top-stack-frame-line').waitFor({ state: 'hidden' });
  await page.locator('.debug-top-stack-frame-line').waitFor();
  if (left().join() !== before) throw new Error(`handed over: ${left()} instead of ${before}`);
}

const left = () => fs.readdirSync(os.tmpdir()).filter((name) => name.startsWith('rubric-debug-'));
