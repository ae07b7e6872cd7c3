// Runs host_tests.js inside VS Code's extension host. Usage: host.mjs WORKSPACE. Prints one JSON object per test.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { openStudio, unpack } from './studio.mjs';

const unpacked = fs.mkdtempSync(path.join(os.tmpdir(), 'vsix-'));
const extension = unpack(unpacked);
const studio = await openStudio({ workspace: path.resolve(process.argv[2]), install: false, driven: true });
let code = 1;
try {
  let finished;
  const exit = new Promise((done) => (finished = done));
  await studio.page.exposeFunction('codeAutomationLog', (_type, [line]) => {
    if (String(line).startsWith('{"test"')) console.log(line);
  });
  await studio.page.exposeFunction('codeAutomationExit', finished);
  const tests = path.join(import.meta.dirname, 'host_tests');
  await studio.open([
    ['extensionDevelopmentPath', studio.uri(extension)],
    ['extensionTestsPath', studio.uri(tests)],
  ]);
  code = await Promise.race([exit, new Promise((done) => setTimeout(done, 600_000, 'timeout'))]);
  if (code !== 0) console.error(studio.logs());
} finally {
  await studio.close();
  fs.rmSync(unpacked, { recursive: true, force: true });
}
process.exit(code === 0 ? 0 : 1);
