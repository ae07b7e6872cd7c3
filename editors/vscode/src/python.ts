/** The Python that the private environment is made of. */

import { isAbsolute } from 'node:path';
import * as vscode from 'vscode';
import { executable, onPath, run } from './programs';

const OLDEST = [3, 10];
const MINORS = [14, 13, 12, 11, 10];
const NAMES = ['python3', 'python', ...MINORS.map((minor) => `python3.${minor}`)];
const SETTING = 'rubric.server.python';
const ASK = "import sys; print('%d.%d.%d' % sys.version_info[:3]); import venv, ensurepip";

export interface Python {
  path: string;
  version: string;
}

/** No suitable Python; the message lists those found. */
export class NoPython extends Error {}

/** The first that is new enough and, where `needsPip`, can put pip into an environment. Throws NoPython. */
export async function findPython(cwd: string, needsPip: boolean): Promise<Python> {
  const refused: string[] = [];
  for (const path of candidates()) {
    const { code, text } = await run([path, '-I', '-c', ASK], { cwd, timeoutMs: 10_000 });
    const version = /^(\d+)\.(\d+)\.\d+/.exec(text);
    if (!version) {
      continue;
    }
    const [, major, minor] = version.map(Number);
    if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1])) {
      refused.push(`${path} is ${version[0]}`);
    } else if (code !== 0 && needsPip) {
      refused.push(`${path} lacks \`venv\`, which on Debian and Ubuntu comes with \`sudo apt install python3-venv\``);
    } else {
      return { path, version: version[0] };
    }
  }
  const found = refused.length ? `only: ${refused.join('; ')}` : 'none on the PATH';
  throw new NoPython(`Rubric needs Python 3.10 or later, but found ${found}. Install it, or set ${SETTING} to its path.`);
}

function candidates(): string[] {
  const configured = vscode.workspace.getConfiguration('rubric').get<string>('server.python')?.trim();
  if (configured) {
    const path = isAbsolute(configured) ? executable(configured) : onPath(configured);
    if (!path) {
      throw new NoPython(`The Python \`${configured}\` of the setting ${SETTING} was not found.`);
    }
    return [path];
  }
  return [...new Set(NAMES.map(onPath).filter((path) => path !== undefined))];
}
