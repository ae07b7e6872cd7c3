// What a person reads: results in colours that can be read in every theme, in the same place before and after an edit; short
// menus with the fix first; each name said once; and a report with the answer, the prompt, the tokens and the last runs.
import { chooseTheme, command, goTo, line, pressLens, quiet, until, webview } from './look.mjs';
import { startJudge } from './judge.mjs';
import { contrasts } from '../../report/contrast.mjs';

const SUITE = `# rubric: dialect=agentv-3
name: readable
execution:
  target: default
tests:
  - id: refund
    criteria: Explains the refund window
    expected_outcome: A date
    input: Can I return this coat?
    assertions:
      - type: contains
        value: 14 days
      - type: rubrics
        name: quality
        criteria:
          - Names the window in its first sentence
      - type: rubrics
        name: manner
        criteria:
          - id: tone
            outcome: Is kind
            score_ranges: {0: rude, 3: curt, 7: warm}
  - id: thanks
    criteria: Thanks back
    input: Thank you!
    assertions:
      - {type: icontains, value: within}
    metadata:
      anything: 1
`;
const ANSWER = `You can return it **within 30 days**.

1. Keep the receipt.
2. Wear it at home only.

| Item | Days |
|---|---:|
| coat | 30 |
| shoes | 14 |

\`\`\`json
{ "window": 30 }
\`\`\``;
const THEMES = [
  ['Light Modern', 'light'],
  ['Dark Modern', 'dark'],
  ['Dark High Contrast', 'contrast'],
  ['Light High Contrast', 'contrast-light'],
];
/** What can be told apart from its background, by WCAG 2 for text and for what is drawn. */
const LEGIBLE = 4.5;
const DRAWN = 3;

export async function readable() {
  const judge = await startJudge({ opinion: (id) => (id === 'tone' ? 4 : 5), answer: ANSWER });
  const provider = { provider: 'openai', base_url: `http://127.0.0.1:${judge.port}/v1`, api_key: 'not-a-secret-one' };
  const targets = [
    { name: 'default', model: 'answerer', grader_target: 'judge', ...provider },
    { name: 'judge', model: 'scripted-judge', ...provider },
  ];
  return { files: { 'readable.eval.yaml': SUITE, '.agentv/targets.yaml': JSON.stringify({ targets }) }, judge };
}

export async function words(its) {
  await its.open('readable.eval.yaml');
  await menu(its);
  await run(its);
  await sameForm(its);
  await report(its);
  await themes(its);
}

/** Fixes first, then running; nothing that is chosen once a year. */
async function menu({ page, shot }) {
  const rows = page.locator('.action-widget .monaco-list-row');
  const entries = async (number, picture) => {
    await goTo(page, number);
    await page.keyboard.press('ArrowLeft');
    await until(async () => {
      await page.keyboard.press('Control+.');
      return rows.first().waitFor({ timeout: 3000 }).then(() => true, () => page.keyboard.press('Escape'));
    });
    await shot(picture);
    const titles = await page.locator('.action-widget .monaco-list-row.action .title').allInnerTexts();
    await page.keyboard.press('Escape');
    return titles.filter((title) => !/Copilot|Fix with|Explain/u.test(title));
  };
  await page.waitForSelector('.squiggly-warning, .squiggly-error');
  await page.locator('.view-line', { hasText: 'expected_outcome' }).first().waitFor();
  await page.locator('.view-line span', { hasText: /^expected_outcome$/u }).first().click();
  const atFinding = await entries(8, 'bulb-finding');
  if (atFinding.length < 2 || atFinding.length > 5) throw new Error(`at a finding: ${atFinding.join(' | ')}`);
  const elsewhere = await entries(6, 'bulb-case');
  if (!elsewhere.length || elsewhere.length > 6) throw new Error(`elsewhere: ${elsewhere.join(' | ')}`);
  if (!elsewhere.some((title) => title.startsWith('Run case'))) throw new Error(`no way to run: ${elsewhere.join(' | ')}`);
}

/** How long lenses take to change is written down; what VS Code itself waits is most of it. */
async function run({ page, shot }) {
  const titles = await watchLenses(page);
  const done = line(page, /id:\s*thanks\s*✔/u);
  await pressLens(page, page.locator('.codelens-decoration a', { hasText: 'Run 2 cases' }), done);
  await line(page, /id:\s*refund\s*✘/u).waitFor();
  await page.locator('.codelens-decoration a', { hasText: 'Run 1 failed' }).waitFor();
  console.log(JSON.stringify(await titles()));
  await line(page, /Names\s*the\s*window.*✘/u).waitFor();
  await shot('words');
  const inline = await page.locator('.test-message-inline-content, .test-error-content-widget').count();
  if (inline) throw new Error(`VS Code says ${inline} results again`);
}

/** When lenses changed, in milliseconds of the page. */
async function watchLenses(page) {
  await page.evaluate(() => {
    const seen = (globalThis.seenLenses = []);
    const look = () => {
      const now = [...document.querySelectorAll('.codelens-decoration')].map((each) => each.textContent).join(' / ');
      if (seen.at(-1)?.[1] !== now) seen.push([Math.round(performance.now()), now]);
    };
    document.addEventListener('mousedown', () => seen.push([Math.round(performance.now()), 'pressed']), true);
    new MutationObserver(look).observe(document.querySelector('.monaco-workbench'), { childList: true, subtree: true, characterData: true });
  });
  return () => page.evaluate(() => globalThis.seenLenses);
}

/** An edit makes a result stale: it stays where it is. */
async function sameForm({ page, shot }) {
  const places = async () => (await Promise.all([/value:\s*14/u, /type:\s*contains/u, /id:\s*tone/u].map((each) => line(page, each).first().boundingBox()))).map(({ y }) => y);
  const failing = line(page, /type:\s*contains\s*✘/u);
  await failing.waitFor();
  const before = await places();
  await goTo(page, 12);
  await page.keyboard.type('s');
  await line(page, /type:\s*contains\s*◌\s*✘/u).waitFor();
  await line(page, /id:\s*tone\s*◌\s*✘\s*4\/10/u).waitFor();
  await line(page, /id:\s*thanks\s*✔/u).waitFor();
  if ((await places()).join() !== before.join()) throw new Error('lines moved');
  await shot('words-stale');
  await page.keyboard.press('Backspace');
  await failing.waitFor();
}

async function report({ page, shot }) {
  await goTo(page, 6);
  await command(page, 'Rubric: Run case');
  await command(page, 'Rubric: Open report'); // it follows the run
  const inside = await webview(page);
  await inside.locator('h1', { hasText: 'refund' }).waitFor();
  await inside.locator('.markdown strong', { hasText: 'within 30 days' }).waitFor();
  await inside.locator('.markdown td.n', { hasText: '14' }).waitFor();
  await inside.locator('#history').waitFor();
  await inside.locator('[aria-labelledby="took"] tbody', { hasText: /target default.*1\s*900\s*120\s*\$0\.0021/su }).waitFor();
  await inside.locator('summary', { hasText: 'target default' }).click();
  await inside.locator('pre', { hasText: 'Can I return this coat?' }).first().waitFor();
  const heading = await inside.locator('h3', { hasText: '"Names the window in its first sentence"' }).count();
  if (!heading || (await inside.locator('main').innerText()).includes('rubric-1')) throw new Error('a criterion is called by its number');
  await shot('words-report');
  await inside.locator('#answer').scrollIntoViewIfNeeded();
  await shot('words-answer');
  await inside.locator('#sent').scrollIntoViewIfNeeded();
  await shot('words-sent');
  const heard = await inside.locator('main').ariaSnapshot();
  for (const part of ['heading "Answer" [level=2]', 'heading "Tokens and cost" [level=2]', 'heading "Last runs" [level=2]', 'heading "Prompts that were sent" [level=2]']) {
    if (!heard.includes(part)) throw new Error(`not heard: ${part}\n${heard}`);
  }
  await page.keyboard.press('Control+W');
  await page.locator('.tab', { hasText: 'Report' }).waitFor({ state: 'detached' });
}

async function themes({ page, shot }) {
  await command(page, 'Rubric: Open the report of the last run');
  const report = await webview(page);
  await report.locator('.chart rect.fill.failed').first().waitFor();
  await report.locator('body').evaluate(everyVerdict);
  for (const [theme, picture] of THEMES) {
    await chooseTheme(page, theme);
    const kinds = { light: 'vs', dark: 'vs-dark', contrast: 'hc-black', 'contrast-light': 'hc-light' };
    await page.locator(`.monaco-workbench.${kinds[picture]}`).waitFor();
    await report.locator(`body.vscode-${picture.replace('contrast', 'high-contrast')}`).waitFor();
    await line(page, /id:\s*refund\s*✘/u).waitFor();
    await page.waitForTimeout(500);
    await shot(`words-${picture}`);
    const results = await page.evaluate(colours);
    if (results.length < 5) throw new Error(`${theme}: only ${results.length} results`);
    const look = (selector) => report.locator('html').evaluate(`(${contrasts})(${JSON.stringify(selector)})`);
    const drawn = await look('.fill, .meter span, .given span, path.trend, .point');
    const signs = await look('.sign');
    if (drawn.length < 5 || !signs.length) throw new Error(`${theme}: of the report only ${JSON.stringify([drawn, signs])}`);
    const below = (all, limit) => all.filter(({ ratio }) => ratio < limit);
    const pale = [...below(results, LEGIBLE), ...below(drawn, DRAWN), ...below(signs, LEGIBLE)];
    if (pale.length) throw new Error(`${theme}: ${JSON.stringify(pale, null, 1)}`);
    const keys = await page.evaluate(keyColours, ['tests', 'criteria', 'assertions', 'metadata', 'anything']);
    if (new Set(Object.values(keys)).size !== 1) throw new Error(`${theme}: keys in ${JSON.stringify(keys)}`);
  }
  await quiet(page);
}

/** Runs in the report: the colour and the sign of each verdict, of which a run has only some. */
function everyVerdict(body) {
  for (const verdict of ['passed', 'borderline', 'failed', 'unscored']) {
    const [fill, sign] = ['swatch fill', 'sign'].map((kind) => Object.assign(document.createElement('span'), { className: `${kind} ${verdict}` }));
    sign.textContent = '✔';
    body.append(fill, sign);
  }
}

/** Runs in the page: the colours of keys, by their names. */
function keyColours(names) {
  const spans = [...document.querySelectorAll('.view-line span:not(:has(span))')];
  return Object.fromEntries(names.map((name) => {
    const found = spans.find((span) => span.textContent.trim() === name);
    return [name, found && getComputedStyle(found).color];
  }));
}

/** Runs in the page: the contrast of each result with the background of the editor. */
function colours() {
  const parts = (colour) => colour.match(/[\d.]+/gu).map(Number);
  const light = ([red, green, blue]) => {
    const [r, g, b] = [red, green, blue].map((value) => (value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = light(parts(getComputedStyle(document.querySelector('.monaco-editor-background')).backgroundColor));
  return [...document.querySelectorAll('.view-line [class*="ced-"]')].flatMap((element) => {
    const { content, color } = getComputedStyle(element, '::after');
    if (!/^"[✔✘◐○◌⟳\d]/u.test(content)) return [];
    const [low, high] = [behind, light(parts(color))].sort((a, b) => a - b);
    return [{ content, color, ratio: (high + 0.05) / (low + 0.05) }];
  });
}
