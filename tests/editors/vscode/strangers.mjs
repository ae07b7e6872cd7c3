// Names, answers and reasons that want to be more than text: whatever is shown of them, nothing is rendered, linked or loaded.
import http from 'node:http';
import path from 'node:path';
import { command, goTo, lineOf, pressLens, webview } from './look.mjs';

const ACTING = '\u001b[2J \u009b2J \u202eabc\u202c';

/** What is laid out of an answer, and what must not be: SINK is an address that nobody may ask. */
const MARKUP = `
# Refunds
Within **30 days**, says the [policy][1].

| Item | Days |
|---|---:|
| coat | 30 |

<img src="SINK/html.png" onerror="fetch('SINK/error')"><svg onload="fetch('SINK/svg')"></svg><script>fetch('SINK/script')</script>
<iframe src="SINK/frame"></iframe><style>@import url(SINK/style); body { background: url(SINK/background) }</style>
<a href="command:workbench.action.terminal.new">a</a> <SINK/auto.png> [j](javascript:fetch('SINK/js')) ![d](data:image/svg+xml;base64,PHN2Zy8+) &#x202e;abc&#x1b;[2J
<form action="SINK/form"><button>b</button></form> <meta http-equiv="refresh" content="0;url=SINK/meta"> <link rel="stylesheet" href="SINK/link">

[1]: SINK/reference.png
`;

/** A server on this machine that must receive nothing, and texts that ask it for something in every way. */
export async function hostile() {
  const sink = { received: [], port: 0 };
  const server = http.createServer((request, response) => {
    sink.received.push(request.url);
    response.end();
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  server.unref();
  sink.port = server.address().port;
  const at = (name) => [`https://evil.example/${name}.png`, `http://127.0.0.1:${sink.port}/${name}.png`];
  const image = (name) => at(name).map((url) => `![i](${url}) <img src="${url}"> [l](${url}) [c](command:workbench.action.terminal.new) ${url}`).join(' ');
  const escaped = (text) => JSON.stringify(text).replace(/[^ -~]/gu, (sign) => `\\u${sign.codePointAt(0).toString(16).padStart(4, '0')}`);
  const evil = (name) => escaped(`${image(name)} *b* | ${ACTING}`);
  const reason = escaped(`bad ${image('reason')} ${ACTING}`);
  const grader = `import json; print(json.dumps({"score": 0.2, "reasoning": ${reason}, "hits": [${reason}], "misses": [${reason}]}))\n`;
  const suite = `# rubric: dialect=agentv-3
name: strangers
execution:
  target: canned
tests:
  - id: ${evil('id')}
    criteria: ${evil('criteria')}
    input: ${evil('input')}
    expected_output: ${evil('expected')}
    assertions:
      - name: ${evil('name')}
        type: code-grader
        command: [python3, grader.py]
      - type: rubrics
        criteria:
          - id: ${evil('criterion')}
            outcome: ${evil('outcome')}
            score_ranges: {0: ${evil('band')}, 5: ${evil('band')}}
  - id: second
    depends_on: [${evil('id')}]
    criteria: x
    input: ${evil('input')}
    ${evil('key')}: 1
`;
  const targets = JSON.stringify({ targets: [{ name: 'canned', provider: 'mock', response: `${image('answer')} ${ACTING}\n${MARKUP.replaceAll('SINK', `http://127.0.0.1:${sink.port}`)}` }] });
  return { files: { 'strangers.eval.yaml': suite, 'grader.py': grader, '.agentv/targets.yaml': targets }, consented: false, judge: sink };
}

export async function strangers({ page, shot, open, studio, judge: sink }) {
  const file = path.join(studio.workspace, 'strangers.eval.yaml');
  await open('strangers.eval.yaml');
  const dialog = page.locator('.monaco-dialog-box', { hasText: 'Run 2 cases?' });
  await pressLens(page, page.locator('.codelens-decoration a', { hasText: 'Run 2 cases' }), dialog);
  await nothingRendered(dialog, 'the question');
  await shot('strangers-question');
  await dialog.locator('.monaco-button', { hasText: 'Run once' }).click();
  await page.locator('.codelens-decoration a', { hasText: /Report/u }).first().waitFor();

  for (const wanted of [/^ {2}- id: "/u, /^ {6}- name/u, /^ {10}- id/u, /score_ranges/u, /depends_on/u, /^ {4}".*: 1/u]) {
    await goTo(page, lineOf(file, wanted));
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    await command(page, 'Show or Focus Hover');
    const hover = page.locator('.monaco-hover:visible').first();
    await hover.waitFor();
    await page.waitForTimeout(1500); // for all of its parts, and for what they would load
    await nothingRendered(hover, `the hover of ${wanted}`);
    if (wanted.source.includes('{2}- id')) {
      await hover.filter({ hasText: 'evil.example/answer' }).waitFor(); // shown, not left out
      await shot('strangers-hover');
    }
    await page.keyboard.press('Escape');
  }

  await goTo(page, lineOf(file, /^ {2}- id: "/u)); // the other case was not asked
  await command(page, 'Rubric: Open report');
  const report = await webview(page);
  await report.locator('h1').waitFor();
  const answer = report.locator('.markdown');
  await answer.filter({ hasText: 'evil.example/answer' }).waitFor();
  await answer.locator('h4', { hasText: 'Refunds' }).waitFor(); // laid out, below the headings of the report
  await answer.locator('strong', { hasText: '30 days' }).waitFor();
  await answer.locator('td.n', { hasText: '30' }).waitFor();
  const active = await report.locator('main').locator('img, a[href]:not([href="#"]), script, style, iframe, form, meta, link, [onerror], [onload], .markdown [style]').count();
  if (active) throw new Error(`the answer became ${active} active elements`);
  await answer.scrollIntoViewIfNeeded();
  await shot('strangers-answer');
  await report.locator('summary', { hasText: 'Source' }).click();
  await report.locator('pre[aria-label="Answer"]', { hasText: '**30 days**' }).waitFor(); // as it is written, one click away
  await nothingRendered(report.locator('body'), 'the report');
  await shot('strangers-report');
  await page.waitForTimeout(1000);
  if (sink.received.length) throw new Error(`was asked for ${sink.received.join(', ')}`);
}

/** No image, no link to what they name, and no character that acts. */
async function nothingRendered(place, what) {
  const images = await place.locator('img[src*="evil"], img[src*="127.0.0.1"][src$=".png"], a[href*="evil"], a[data-href*="evil"], a[data-href^="command:workbench.action.terminal"]').count();
  if (images) throw new Error(`${what} renders ${images} images or links`);
  const acting = /[\u001b\u009b\u202a-\u202e\u2066-\u2069]/u.exec(await place.innerText());
  if (acting) throw new Error(`${what} has U+${acting[0].codePointAt(0).toString(16)}`);
}
