/** Where the language server is: the setting, the Python environment of the workspace, or the PATH. */

import { accessSync, constants, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import * as vscode from 'vscode';

const PROGRAM = 'rubric-lsp';
const SETTING = 'rubric.server.command';
const ENDINGS = process.platform === 'win32' ? ['.exe', '.cmd', '.bat'] : [''];
const SCRIPTS = process.platform === 'win32' ? 'Scripts' : 'bin';

export interface Found {
  argv: string[];
  /** Shown to people: where it was found. */
  from: string;
}

/** What to tell a person; `fix` says which button helps. */
export class NotFound extends Error {}

export async function findServer(): Promise<Found> {
  const configured = vscode.workspace.getConfiguration('rubric').get<unknown>('server.command');
  if (!Array.isArray(configured) || configured.length > 0) {
    return fromSetting(configured);
  }
  for (const folder of await environmentFolders()) {
    const program = executable(join(folder, PROGRAM));
    if (program) {
      return { argv: [program, '--stdio'], from: 'the Python environment' };
    }
  }
  const program = onPath(PROGRAM);
  if (program) {
    return { argv: [program, '--stdio'], from: 'the PATH' };
  }
  throw new NotFound(
    `The language server \`${PROGRAM}\` was not found. Install it with \`pip install rubric-lsp\`, ` +
      `or say where it is in the setting ${SETTING}.`,
  );
}

function fromSetting(configured: unknown): Found {
  const parts = Array.isArray(configured) ? configured : [];
  const valid = parts.length > 0 && parts.every((part) => typeof part === 'string') && parts[0].trim() !== '';
  if (!valid) {
    throw new NotFound(`The setting ${SETTING} must be a list such as ["${PROGRAM}", "--stdio"].`);
  }
  const [name, ...options] = (parts as string[]).map(expanded);
  const program = isAbsolute(name) ? executable(name) : onPath(name);
  if (!program) {
    throw new NotFound(`The program \`${name}\` of the setting ${SETTING} was not found.`);
  }
  return { argv: [program, ...options], from: `the setting ${SETTING}` };
}

function expanded(part: string): string {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '';
  return part.replace(/^~(?=$|[\\/])/, homedir()).replaceAll('${workspaceFolder}', folder);
}

/** Folders of programs that belong to the workspace. They are the workspace's code: none before it is trusted. */
async function environmentFolders(): Promise<string[]> {
  if (!vscode.workspace.isTrusted) {
    return [];
  }
  const roots = (vscode.workspace.workspaceFolders ?? []).map((folder) => folder.uri.fsPath);
  const selected = await selectedPython();
  return [
    ...(selected ? [dirname(selected)] : []),
    ...roots.flatMap((root) => ['.venv', 'venv'].map((name) => join(root, name, SCRIPTS))),
  ];
}

interface PythonExtension {
  environments?: {
    getActiveEnvironmentPath(resource?: vscode.Uri): { path: string };
    onDidChangeActiveEnvironmentPath: vscode.Event<unknown>;
  };
}

async function pythonExtension(): Promise<PythonExtension['environments']> {
  try {
    const extension = vscode.extensions.getExtension<PythonExtension>('ms-python.python');
    return (await extension?.activate())?.environments;
  } catch {
    return undefined; // its failure is not ours
  }
}

async function selectedPython(): Promise<string | undefined> {
  const resource = vscode.workspace.workspaceFolders?.[0]?.uri;
  const path = (await pythonExtension())?.getActiveEnvironmentPath(resource).path;
  return path && isAbsolute(path) ? path : undefined;
}

/** Calls back when another Python environment is selected. */
export async function onPythonSelected(callback: () => void): Promise<vscode.Disposable | undefined> {
  return (await pythonExtension())?.onDidChangeActiveEnvironmentPath(callback);
}

function onPath(name: string): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(isAbsolute);
  return first(folders.map((folder) => executable(join(folder, name))));
}

function executable(path: string): string | undefined {
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
