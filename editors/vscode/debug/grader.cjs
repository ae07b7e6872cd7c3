// Runs a grader under a debugger as a run does: `grader.cjs FOLDER`, with `launch.json` and its standard input in the folder.
const fs = require('node:fs');
const Module = require('node:module');
const path = require('node:path');

const folder = process.argv[2];
const { unset, arguments: told } = JSON.parse(fs.readFileSync(path.join(folder, 'launch.json'), 'utf8'));
fs.closeSync(0);
fs.openSync(path.join(folder, 'stdin')); // the lowest number that is free: 0
for (const name of unset) {
  delete process.env[name];
}
const [first, ...rest] = told;
if (first === '-e' || first === '--eval') {
  process.argv = [process.argv[0], ...rest.slice(1)];
  const main = new Module('[eval]');
  main.filename = path.join(process.cwd(), '[eval]');
  main.paths = Module._nodeModulePaths(process.cwd());
  main._compile(rest[0], main.filename);
} else {
  process.argv = [process.argv[0], path.resolve(first), ...rest];
  Module.runMain();
}
