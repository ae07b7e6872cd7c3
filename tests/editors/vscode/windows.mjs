// Several windows in a row on a folder of 66 suites: in each of them the tree has every suite, and the gutter every test of the open one.
import fs from 'node:fs';
import path from 'node:path';
import { test, unfold, until } from './look.mjs';
import { REPOSITORY } from './studio.mjs';

const WINDOWS = 4;
const SUITES = 66;
const CORPUS = path.join(REPOSITORY, '../shared/corpus');
const TAGS = ['v4.42.4', 'v4.25.1', 'v3.14.6'];

const generated = (number) => `# rubric: dialect=agentv-3
tests:
  - id: case-${number}
    criteria: Names the window
    input: Can I return this?
    assertions:
      - {type: contains, value: 30 days}
`;
/** The one that is open, and how many tests it has, each on a line of its own. */
const OPEN = 'showcase/open/evals/dataset.eval.yaml';
const OPEN_TESTS = 12;
const open = `# rubric: dialect=agentv-3
tests:
${Array.from({ length: OPEN_TESTS / 2 }, (_, n) => generated(n).split('\n').slice(2).join('\n')).join('')}`;

/** Suites of the corpus where that is beside the checkout, with cases of their own; others are made up. */
function texts() {
  const found = fs.existsSync(CORPUS) ? TAGS.flatMap((tag) => suitesBelow(path.join(CORPUS, tag))) : [];
  const real = found.map((file) => fs.readFileSync(file, 'utf8')).filter((text) => /^tests:\s*\n\s*- id:/mu.test(text));
  return [...real, ...Array.from({ length: SUITES }, (_, number) => generated(number))].slice(0, SUITES - 1);
}

function suitesBelow(folder) {
  return fs.readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.eval.yaml')).sort().map((name) => path.join(folder, name));
}

export function sixtySix() {
  // As AgentV's examples lie: one name for all of them, each in a folder that says what it is about.
  const files = Object.fromEntries(texts().map((text, number) => [`features/topic-${10 + number}/evals/dataset.eval.yaml`, text]));
  return { files: { ...files, [OPEN]: open } };
}

export async function windows({ page, shot, open: openWindow }) {
  await page.setViewportSize({ width: 1280, height: 1900 }); // rows that are not seen are not drawn
  const glyphs = page.locator('.cgmr.testing-run-glyph');
  const rows = page.locator('.test-explorer .monaco-list-row[aria-label*="evals/dataset.eval.yaml"]');
  const seen = [];
  for (let window = 1; window <= WINDOWS; window++) {
    await openWindow(OPEN);
    if (window % 2) await glyphs.first().waitFor(); // else VS Code asks for all suites before the server is ready
    await page.locator('.activitybar a.action-label[aria-label^="Testing"]').click();
    await test(page, 'features').waitFor();
    await unfold(test(page, 'features'));
    const complete = async () => (await glyphs.count()) === OPEN_TESTS && (await rows.count()) === SUITES;
    const before = seen.length;
    await until(complete, 30_000, `window ${window}`).then(() => seen.push(window), () => undefined);
    if (seen.length === before) console.error(`window ${window}: ${await glyphs.count()} of ${OPEN_TESTS} in the gutter, ${await rows.count()} of ${SUITES} in the tree`);
  }
  await shot('windows');
  if (seen.length !== WINDOWS) throw new Error(`complete in ${seen.length} of ${WINDOWS} windows`);
  const labels = await rows.evaluateAll((all) => all.map((row) => row.getAttribute('aria-label')));
  if (new Set(labels).size !== SUITES) throw new Error('two suites that cannot be told apart'); // also to who is read them
}
