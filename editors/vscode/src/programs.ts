/** Programs of the machine: where they are, and running one to its end. */

import { spawn } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

const ENDINGS = process.platform === 'win32' ? ['.exe', '.cmd', '.bat'] : [''];

/** The program of that name on the PATH; relative folders are skipped. */
export function onPath(name: string): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(isAbsolute);
  return first(folders.map((folder) => executable(join(folder, name))));
}

export function executable(path: string): string | undefined {
  return first(ENDINGS.map((ending) => (runs(path + ending) ? path + ending : undefined))) ?? (runs(path) ? path : undefined);
}

function first<T>(values: (T | undefined)[]): T | undefined {
  return values.find((value) => value !== undefined);
}

function runs(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

export interface Ended {
  /** Null when it was stopped or could not be started. */
  code: number | null;
  /** Its output, both streams in the order of arrival. */
  text: string;
}

export interface RunOptions {
  cwd: string;
  timeoutMs: number;
  env?: NodeJS.ProcessEnv;
  signal?: AbortSignal;
  told?: (line: string) => void;
}

/** Run a program to its end; never throws. */
export function run(argv: string[], options: RunOptions): Promise<Ended> {
  return new Promise((resolve) => {
    const { cwd, env, timeoutMs: timeout, signal } = options;
    const child = spawn(argv[0], argv.slice(1), { cwd, env, timeout, signal, stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true });
    let text = '';
    const heard = (chunk: Buffer) => {
      text += chunk.toString();
      chunk
        .toString()
        .split(/\r?\n/)
        .filter((line) => line.trim())
        .forEach((line) => options.told?.(line));
    };
    child.stdout.on('data', heard);
    child.stderr.on('data', heard);
    child.once('error', (error) => resolve({ code: null, text: `${text}${error.message}` }));
    child.once('close', (code) => resolve({ code, text }));
  });
}
