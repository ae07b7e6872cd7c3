/**
 * The bundled server, in a private environment.
 *
 * Some of its dependencies are compiled, so that they cannot be bundled, too: they are downloaded from PyPI, once for each
 * version.
 */

import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { INSTALL } from './distribution';
import { NoPython, Python, findPython } from './python';
import { Ended, RunOptions, onPath, run } from './programs';

const MINUTES = 60_000;
/** Written last: without it an environment is half made. */
const READY = 'ready';
const PROGRAMS = process.platform === 'win32' ? 'Scripts' : 'bin';

/** The setup failed; the message says what to do. */
export class SetupFailed extends Error {}

export class PrivateEnvironment {
  private readonly storage: string;
  private readonly wheel: string | undefined;
  readonly folder: string;

  constructor(
    context: vscode.ExtensionContext,
    private readonly output: vscode.LogOutputChannel,
  ) {
    this.storage = context.globalStorageUri.fsPath;
    const carried = join(context.extensionPath, 'server');
    const wheel = fs.existsSync(carried) ? fs.readdirSync(carried).find((name) => name.endsWith('.whl')) : undefined;
    this.wheel = wheel && join(carried, wheel);
    const digest = this.wheel && createHash('sha256').update(fs.readFileSync(this.wheel)).digest('hex').slice(0, 8);
    this.folder = join(this.storage, `server-${context.extension.packageJSON.version}-${digest}`);
  }

  /** The Python of the environment, once it is made and as long as the Python that it was made of is there. */
  python(): string | undefined {
    const python = join(this.folder, PROGRAMS, process.platform === 'win32' ? 'python.exe' : 'python');
    return fs.existsSync(join(this.folder, READY)) && fs.existsSync(python) ? python : undefined;
  }

  /** Where its programs are, `rubric` among them. */
  get programs(): string {
    return join(this.folder, PROGRAMS);
  }

  /** The tools of the setup, for the question. Throws NoPython, SetupFailed. */
  async plan(): Promise<{ uv?: string; python?: Python }> {
    if (!this.wheel) {
      throw new SetupFailed(`This build of the extension does not include the language server. Install one: ${INSTALL}.`);
    }
    fs.mkdirSync(this.storage, { recursive: true });
    const uv = onPath('uv');
    try {
      return { uv, python: await findPython(this.storage, uv === undefined) };
    } catch (problem) {
      if (uv && problem instanceof NoPython) {
        return { uv }; // which fetches one
      }
      throw problem;
    }
  }

  /** Make it, one step after the other. Throws SetupFailed. */
  async make(told: (step: string) => void, signal: AbortSignal): Promise<void> {
    const { uv, python } = await this.plan();
    fs.rmSync(this.folder, { recursive: true, force: true });
    const wheel = this.wheel as string;
    const inside = join(this.folder, PROGRAMS, process.platform === 'win32' ? 'python.exe' : 'python');
    try {
      told('making a Python environment');
      const made = uv
        ? [uv, 'venv', '--no-project', '--python', python?.path ?? '>=3.10', this.folder]
        : [(python as Python).path, '-I', '-m', 'venv', this.folder];
      await this.step(made, 5, signal, 'The Python environment could not be made');
      told('installing the language server and what it needs');
      const pip = ['--disable-pip-version-check', '--no-input', '--retries', '1', '--timeout', '20', '--no-warn-script-location'];
      const install = uv
        ? [uv, 'pip', 'install', '--python', inside, wheel]
        : [inside, '-I', '-m', 'pip', 'install', ...pip, wheel];
      await this.step(install, 10, signal, 'The language server could not be installed');
      told('trying it');
      await this.step([inside, '-I', '-c', 'import rubric_lsp.server, rubric_core.evaluation.engine.run'], 1, signal, 'The language server was installed but does not start');
      fs.writeFileSync(join(this.folder, READY), '');
    } catch (problem) {
      fs.rmSync(this.folder, { recursive: true, force: true });
      throw problem;
    }
    this.removeOlder();
  }

  private async step(argv: string[], minutes: number, signal: AbortSignal, failure: string): Promise<void> {
    this.output.info(`> ${argv.join(' ')}`);
    const env = { ...process.env, PIP_USER: '0', PIP_REQUIRE_VIRTUALENV: '0' };
    for (const name of ['PYTHONHOME', 'PYTHONPATH', 'VIRTUAL_ENV', '__PYVENV_LAUNCHER__']) {
      delete (env as NodeJS.ProcessEnv)[name];
    }
    const options: RunOptions = { cwd: this.storage, timeoutMs: minutes * MINUTES, env, signal, told: (line) => this.output.info(line) };
    const ended = await run(argv, options);
    if (ended.code !== 0) {
      throw new SetupFailed(signal.aborted ? 'Setting up the language server was cancelled.' : `${failure}: ${reason(ended)}`);
    }
  }

  private removeOlder(): void {
    for (const name of fs.readdirSync(this.storage)) {
      const folder = join(this.storage, name);
      if (name.startsWith('server-') && folder !== this.folder) {
        fs.rm(folder, { recursive: true, force: true }, () => undefined); // another window may still use it
      }
    }
  }
}

const OFFLINE = /connection (broken|refused)|failed to establish|name resolution|getaddrinfo|network is unreachable|timed? ?out|dns error|error sending request|tcp connect|max retries exceeded|proxyerror|NewConnectionError/i;
const CERTIFICATE = /certificate verify failed|invalid peer certificate/i;

/** The one sentence that helps, of all that pip or uv wrote. */
function reason({ text }: Ended): string {
  if (CERTIFICATE.test(text)) {
    return 'the certificate of the package index is not trusted here (pip’s `cert` setting names one that is).';
  }
  if (/Failed to download.*cpython|python-build-standalone/i.test(text)) {
    return 'uv cannot download a Python here. Install Python 3.10 or later, or connect once.';
  }
  if (OFFLINE.test(text)) {
    return `the package index (PyPI), which has what the server needs, cannot be reached. Connect once, or install rubric yourself (${INSTALL}) and name \`rubric-lsp\` in the setting.`;
  }
  if (/ensurepip|python3-venv/.test(text)) {
    return 'Python’s `venv` is missing (on Debian and Ubuntu: `sudo apt install python3-venv`).';
  }
  const lines = text.split(/\r?\n/).filter((line) => line.trim());
  const told = lines.filter((line) => /error/i.test(line)).at(-1) ?? lines.at(-1) ?? 'no reason was given';
  return `${told.replace(/^\s*(ERROR|error):\s*/, '').slice(0, 200)}`;
}
