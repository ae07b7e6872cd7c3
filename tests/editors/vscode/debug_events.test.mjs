// A grader under a debugger that cannot restart: VS Code ends the session then and begins another with the same configuration.
// With the extension's own module and a VS Code that is made up. Run by `node --test`.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';

const require = createRequire(import.meta.url);
const here = import.meta.dirname;
const extension = path.resolve(here, '../../../editors/vscode');
const built = fs.mkdtempSync(path.join(os.tmpdir(), 'debug-'));
after(() => fs.rmSync(built, { recursive: true }));
require(path.join(extension, 'node_modules/esbuild')).buildSync({
  stdin: { contents: `export { debugGrader } from './src/debug'; export * as vscode from 'vscode';`, resolveDir: extension, loader: 'ts' },
  bundle: true,
  platform: 'node',
  format: 'cjs',
  outfile: path.join(built, 'debug.cjs'),
  alias: { vscode: path.join(here, 'fakes/vscode.cjs'), 'vscode-languageclient/node': path.join(here, 'fakes/languageclient.cjs') },
  nodePaths: [path.join(extension, 'node_modules')], // for the fakes
});
const { debugGrader, vscode } = require(path.join(built, 'debug.cjs'));

const PROGRAM = { kind: 'node', runtime: 'node', options: [], arguments: ['check.mjs'], cwd: '/ws', environment: {}, stdin: '{"answer": "yes"}' };

/** A debug session of a grader: what VS Code does with it, and whether its input is there. */
async function debugged() {
  const cancelled = new vscode.EventEmitter();
  const token = { isCancellationRequested: false, onCancellationRequested: cancelled.event };
  const { debug } = vscode;
  let begun;
  debug.startDebugging = async (_folder, configuration) => {
    begun = { configuration };
    return true;
  };
  let stopped = 0;
  debug.stopDebugging = () => (stopped += 1);
  const ended = debugGrader('script', PROGRAM, extension, token);
  while (!begun) await new Promise(setImmediate);
  const [folder] = begun.configuration.args;
  let over = false;
  void ended.then(() => (over = true));
  const looked = async () => {
    await new Promise((done) => setTimeout(done, 20)); // files are removed meanwhile
    assert.equal(fs.existsSync(folder), !over);
    return !over && JSON.parse(fs.readFileSync(path.join(folder, 'stdin'), 'utf8')).answer;
  };
  const told = (message) => debug.trackers.forEach((factory) => factory.createDebugAdapterTracker(begun)?.onWillReceiveMessage(message));
  return {
    start: () => debug.started.fire(begun),
    end: () => debug.terminated.fire(begun),
    restart: () => told({ command: 'disconnect', arguments: { restart: true } }),
    stop: () => told({ command: 'disconnect', arguments: { restart: false } }),
    cancel: () => {
      token.isCancellationRequested = true;
      cancelled.fire();
    },
    stopped: () => stopped,
    looked,
  };
}

test('what it was sent is there until it ends, and goes with it', async () => {
  const its = await debugged();
  its.start();
  assert.equal(await its.looked(), 'yes');
  its.stop();
  its.end();
  assert.equal(await its.looked(), false);
});

test('a restart finds the same, however often', async () => {
  const its = await debugged();
  its.start();
  for (let times = 0; times < 3; times++) {
    its.restart();
    its.end();
    assert.equal(await its.looked(), 'yes');
    its.start();
    assert.equal(await its.looked(), 'yes');
  }
  its.end();
  assert.equal(await its.looked(), false);
});

test('a restart that does not come can be cancelled', async () => {
  const its = await debugged();
  its.start();
  its.restart();
  its.end();
  its.cancel();
  assert.equal(await its.looked(), false);
});

test('what is cancelled before it starts is stopped', async () => {
  const its = await debugged();
  its.cancel();
  assert.equal(await its.looked(), 'yes');
  its.start();
  assert.equal(its.stopped(), 1);
  its.end();
  assert.equal(await its.looked(), false);
});
