/** Graders under a debugger: the server tells how a run starts one and what its last run sent it; a launcher of ours does the same. */

import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { GraderProgram } from './protocol';

const PYTHON = 'ms-python.debugpy';
/** The key of a configuration with the folder of its launch. */
const FOLDER = 'rubricFolder';

/** Variables for what a debugged program starts. Those of VS Code itself are not a run's either: a debugger adds to them. */
const OF_DEBUGGERS = ['NODE_OPTIONS', 'VSCODE_INSPECTOR_OPTIONS'];

/** Debug a grader until it ends, or the token is cancelled. */
export async function debugGrader(name: string, program: GraderProgram, extension: string, token: vscode.CancellationToken): Promise<void> {
  if (program.kind === 'python' && !vscode.extensions.getExtension(PYTHON)) {
    const install = 'Show the Extension';
    const chosen = await vscode.window.showWarningMessage(`${name} is written in Python: to debug it, install the extension Python Debugger (${PYTHON}).`, install);
    if (chosen) {
      await vscode.commands.executeCommand('workbench.extensions.search', `@id:${PYTHON}`);
    }
    return;
  }
  // Nobody else may read what was sent to the grader.
  const folder = await mkdtemp(join(tmpdir(), 'rubric-debug-'));
  const listeners: vscode.Disposable[] = [];
  try {
    await chmod(folder, 0o700);
    const { environment, arguments: told, stdin } = program;
    const unset = [...Object.keys(process.env), ...OF_DEBUGGERS].filter((name) => !(name in environment));
    await writeFile(join(folder, 'launch.json'), JSON.stringify({ unset, arguments: told }), { mode: 0o600 });
    await writeFile(join(folder, 'stdin'), stdin, { mode: 0o600 });
    const ended = whenEnded(folder, token, listeners);
    const uri = vscode.Uri.file(program.cwd);
    if (await vscode.debug.startDebugging(vscode.workspace.getWorkspaceFolder(uri), configuration(name, program, extension, folder))) {
      await ended;
    }
  } finally {
    listeners.forEach((each) => each.dispose());
    await rm(folder, { recursive: true, force: true });
  }
}

/** The end of a debug session that is not restarted, or of one that is cancelled. A restart is another session of the same launch. */
function whenEnded(folder: string, token: vscode.CancellationToken, listeners: vscode.Disposable[]): Promise<void> {
  const isOurs = (session: vscode.DebugSession) => session.configuration[FOLDER] === folder && !session.parentSession;
  let running: vscode.DebugSession | undefined;
  let restarts = false;
  return new Promise((done) => {
    listeners.push(
      // VS Code reports a restart as an end and a start; only the message to the debugger says that it is one.
      vscode.debug.registerDebugAdapterTrackerFactory('*', {
        createDebugAdapterTracker: (session) => (isOurs(session) ? { onWillReceiveMessage: ({ arguments: told }) => void (restarts ||= told?.restart === true) } : undefined),
      }),
      vscode.debug.onDidStartDebugSession((session) => {
        if (isOurs(session)) {
          running = session;
          restarts = false;
          if (token.isCancellationRequested) {
            void vscode.debug.stopDebugging(session);
          }
        }
      }),
      vscode.debug.onDidTerminateDebugSession((session) => {
        if (isOurs(session)) {
          running = undefined;
          if (!restarts || token.isCancellationRequested) {
            done();
          }
        }
      }),
      token.onCancellationRequested(() => (running ? void vscode.debug.stopDebugging(running) : restarts && done())),
    );
  });
}

function configuration(name: string, program: GraderProgram, extension: string, folder: string): vscode.DebugConfiguration {
  const { cwd, environment: env, kind, options, runtime } = program;
  const both = { request: 'launch', name: `Grader ${name}`, args: [folder], cwd, env, console: 'internalConsole', [FOLDER]: folder };
  const launcher = (file: string) => join(extension, 'debug', file);
  return kind === 'python'
    ? { ...both, type: 'debugpy', python: runtime, pythonArgs: options, program: launcher('grader.py') }
    : {
        ...both,
        type: 'node',
        runtimeExecutable: runtime,
        runtimeArgs: options,
        program: launcher('grader.cjs'),
        outputCapture: 'std', // what it prints to its standard output is its score
        skipFiles: ['<node_internals>/**', launcher('grader.cjs')],
      };
}
