// A grader that crashed and one that is not there: never a green case, and the report says why, and what was sent.
import { command, goTo, line, press, test, unfold, webview } from './look.mjs';
import { startJudge, targets } from './judge.mjs';

const BROKEN = `# rubric: dialect=agentv-3
name: graders
execution:
  target: canned
tests:
  - id: crash
    criteria: Names the window
    input: Can I return this?
    assertions:
      - {type: contains, value: 30 days, weight: 9}
      - {type: rubrics, name: window, criteria: [{id: days, outcome: Names the 30 days}]}
      - {type: code-grader, name: check, command: [python3, -c, "raise SystemExit('boo')"]}
  - id: gone
    criteria: Names the window
    input: Can I return this?
    assertions:
      - {type: contains, value: 30 days, weight: 9}
      - {type: code-grader, name: missing, command: [no-such-program]}
  - id: fine
    criteria: Names the window
    input: Can I return this?
    assertions:
      - {type: contains, value: 30 days}
`;

export async function broken() {
  const judge = await startJudge();
  return { files: { 'graders.eval.yaml': BROKEN, '.agentv/targets.yaml': targets(judge, 'You can return it within 30 days.') }, judge };
}

export async function graders({ page, shot, open }) {
  await open('graders.eval.yaml');
  await page.locator('.activitybar a.action-label[aria-label^="Testing"]').click();
  const suite = test(page, 'graders.eval.yaml');
  await suite.waitFor();
  await unfold(suite);
  await press(suite, 'Run Test');
  await test(page, 'fine (Passed)').waitFor();
  await test(page, 'crash (Errored)').waitFor();
  await test(page, 'gone (Errored)').waitFor();
  await line(page, /id:\s*crash\s*○\s0\.9\d\s+⚠\s1\sgrader\sfailed:\scheck/u).waitFor();
  await shot('graders');
  await command(page, 'View: Close Primary Side Bar');
  await page.locator('.tab', { hasText: 'graders.eval.yaml' }).click();
  await goTo(page, 6);
  await command(page, 'Rubric: Open report');
  const inside = await webview(page);
  await inside.locator('.errors', { hasText: 'ended with exit code 1: boo' }).waitFor();
  await inside.locator('summary', { hasText: 'judge judge (openai, scripted-judge) for window' }).click();
  await inside.locator('pre', { hasText: '- days: Names the 30 days' }).waitFor();
  await inside.locator('summary', { hasText: 'program for check' }).click();
  await inside.locator('pre', { hasText: '": "You can return it within 30 days."' }).waitFor();
  await inside.locator('[aria-labelledby="took"] tbody', { hasText: /judge judge \(scripted-judge\)\s*\s*1\s*900\s*120\s*\$0\.0021/u }).waitFor();
  await shot('graders-report');
  await inside.locator('#sent').scrollIntoViewIfNeeded();
  await shot('graders-sent');
}
