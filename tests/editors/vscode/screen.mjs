// What a person sees and clicks. Usage: screen.mjs SCENARIO WORKSPACE PICTURES. Exit 1 when it cannot be seen.
import fs from 'node:fs';
import path from 'node:path';
import { openStudio, PATIENCE_MS, sleep } from './studio.mjs';
import { tours } from './tour.mjs';
import { troubles } from './trouble.mjs';

const [name, workspace, pictures] = process.argv.slice(2);
fs.mkdirSync(pictures, { recursive: true });

const scenarios = { ...tours, ...troubles };

const { options, play } = scenarios[name];
const { judge, skipped, ...wanted } = typeof options === 'function' ? await options() : options;
if (skipped) {
  console.log(skipped);
  process.exit(77); // as everywhere
}
const studio = await openStudio({ workspace: path.resolve(workspace), ...wanted });
const shot = (picture) => studio.page.screenshot({ path: path.join(pictures, `vscode-${picture}.png`) });
const open = async (file) => {
  await studio.open([['openFile', studio.uri(path.join(studio.workspace, file))]]);
  await studio.page.waitForSelector('.editor-instance .view-line');
};
let code = 0;
try {
  await play({ page: studio.page, shot, open, studio, name, judge });
  if (studio.outside.length) throw new Error(`asked for ${studio.outside.join(', ')}`);
} catch (error) {
  code = 1;
  console.error(error.message, '\n', studio.logs());
  await shot(`${name}-failed`).catch(() => undefined);
}
const begun = studio.everything();
await studio.close();
// No process stays behind, whatever happened before.
for (const end = Date.now() + PATIENCE_MS; Date.now() < end && begun.some(lives); ) await sleep(50);
const left = begun.filter(lives);
if (left.length) {
  code = 1;
  console.error(`still there: ${left.map((pid) => fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')).join('\n')}`);
}
process.exit(code);

function lives(pid) {
  try {
    return !/^\d+ \(.*\) Z/su.test(fs.readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
