/** Where the language server is: the setting, the Python environment of the workspace, the PATH, or the private environment. */

import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import * as vscode from 'vscode';
import { PrivateEnvironment } from './environment';
import { executable, onPath } from './programs';

const PROGRAM = 'rubric-lsp';
const SETTING = 'rubric.server.command';
const SCRIPTS = process.platform === 'win32' ? 'Scripts' : 'bin';

export interface Found {
  argv: string[];
  /** Shown to people: where it was found. */
  from: string;
  /** Whether it is the one that the extension carries. */
  own: boolean;
  /** Whether it is named in the settings. */
  configured?: boolean;
}

/** The message to the user. */
export class NotFound extends Error {}

/** There is no server yet, and the extension can set one up. */
export class NotInstalled extends Error {}

/** `onlyOwn` skips incompatible servers found elsewhere. The setting always applies. */
export async function findServer(own: PrivateEnvironment, onlyOwn: boolean): Promise<Found> {
  const configured = vscode.workspace.getConfiguration('rubric').get<unknown>('server.command');
  if (!Array.isArray(configured) || configured.length > 0) {
    return fromSetting(configured);
  }
  const elsewhere = onlyOwn ? undefined : await installed();
  if (elsewhere) {
    return elsewhere;
  }
  const python = own.python();
  if (!python) {
    throw new NotInstalled('The language server is not set up yet.');
  }
  // Isolated: modules of the workspace, in which the server starts, must not shadow its own.
  return { argv: [python, '-I', '-m', 'rubric_lsp', '--stdio'], from: "the extension's own environment", own: true };
}

async function installed(): Promise<Found | undefined> {
  for (const folder of await environmentFolders()) {
    const program = executable(join(folder, PROGRAM));
    if (program) {
      return { argv: [program, '--stdio'], from: 'the Python environment', own: false };
    }
  }
  const program = onPath(PROGRAM);
  return program ? { argv: [program, '--stdio'], from: 'the PATH', own: false } : undefined;
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
  return { argv: [program, ...options], from: `the setting ${SETTING}`, own: false, configured: true };
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
