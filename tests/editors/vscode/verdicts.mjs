// A case that passed is green wherever VS Code shows it, whatever its evaluators say one by one; and what it counts are cases.
import { line, press, pressLens, test, unfold, until, webview } from './look.mjs';
import { startJudge, targets } from './judge.mjs';

const SUITE = `# rubric: dialect=agentv-3
name: verdicts
execution:
  target: default
tests:
  - id: enough
    criteria: Names the window
    input: Can I return this?
    assertions:
      - {type: contains, value: 30 days, weight: 9}
      - {type: contains, name: regret, value: sorry}
  - id: short
    criteria: Names the window
    input: Can I return this?
    assertions:
      - Names the days
      - Names the shop
      - {type: contains, name: window, value: 30 days}
`;

export async function verdict() {
  const judge = await startJudge({ opinion: (id) => (id === 'rubric-1' ? 9 : 3) });
  return { files: { 'verdicts.eval.yaml': SUITE, '.agentv/targets.yaml': targets(judge, 'You can return it within 30 days.') }, judge };
}

export async function verdicts({ page, shot, open }) {
  await open('verdicts.eval.yaml');
  await page.locator('.activitybar a.action-label[aria-label^="Testing"]').click();
  const suite = test(page, 'verdicts.eval.yaml');
  await suite.waitFor();
  await unfold(suite);
  await unfold(test(page, 'enough'));
  await press(suite, 'Run Test');
  await seen(page, '1/2');
  await shot('verdicts');
  await pressLens(page, page.locator('.codelens-decoration a', { hasText: '▶ Run 1 failed' }), page.locator('.result-summary', { hasText: '0/1' }));
  await seen(page, '0/1');
  await keys(page);
  await pictures(page, shot);
}

/** Known keys have the colour that keys of YAML have in the theme, not that of the text. */
async function keys(page) {
  const colour = (text) => page.locator('.view-line span span', { hasText: new RegExp(`^${text}$`, 'u') }).first().evaluate((element) => getComputedStyle(element).color);
  const text = await page.locator('.monaco-editor .view-lines').first().evaluate((element) => getComputedStyle(element).color);
  await until(async () => ![text, 'rgb(0, 0, 0)'].includes(await colour('criteria')), undefined, 'the colour of keys');
}

/** The page of the extension has no picture that cannot be seen. */
async function pictures(page, shot) {
  await page.locator('.activitybar a.action-label[aria-label^="Extensions"]').click();
  await page.locator('.extensions-list .monaco-list-row', { hasText: 'Rubric' }).first().click();
  const inside = await webview(page);
  await inside.locator('h2', { hasText: 'Install' }).waitFor();
  await shot('extension-page');
  const broken = await inside.locator('img').evaluateAll((all) => all.filter((each) => !each.naturalWidth).length);
  if (broken) throw new Error(`${broken} pictures are broken`);
}

/** The tree, the gutter and the count. */
async function seen(page, count) {
  await test(page, 'enough (Passed)').waitFor();
  await test(page, 'regret ✘ (Passed)').waitFor();
  await test(page, 'short (Failed)').waitFor();
  await line(page, /Names\s*the\s*days\s*✔/u).waitFor();
  await line(page, /Names\s*the\s*shop\s*✘/u).waitFor();
  await page.locator('.result-summary', { hasText: count }).waitFor();
  // The case that failed and, as its strings are one evaluator, their list: not a string that is met.
  await until(async () => (await page.evaluate(failedLines)).join() === '12,15', undefined, '⊗ in lines 12 and 15 alone');
}

/** Runs in the page: the numbers of the lines with VS Code's own sign of a failure beside them. */
function failedLines() {
  const middle = (element) => element.getBoundingClientRect().top + element.getBoundingClientRect().height / 2;
  const numbers = [...document.querySelectorAll('.line-numbers')];
  const signs = [...document.querySelectorAll('.glyph-margin-widgets .cgmr')].filter(({ className }) => /testing-(failed|error)/u.test(className));
  const beside = (sign) => numbers.find((each) => Math.abs(middle(each) - middle(sign)) < 8)?.textContent;
  return signs.map(beside).sort((a, b) => a - b);
}
