/** The language client: one voice towards the person, everything else goes to the output. */

import * as vscode from 'vscode';
import {
  ClientCapabilities,
  CloseAction,
  DocumentFormattingRequest,
  DocumentOnTypeFormattingRequest,
  DocumentRangeFormattingRequest,
  DocumentSelector,
  DynamicFeature,
  ErrorAction,
  ExecuteCommandRequest,
  LanguageClient,
  LanguageClientOptions,
  ResponseError,
  RevealOutputChannelOn,
  ShowMessageRequest,
  State,
  StaticFeature,
} from 'vscode-languageclient/node';
import { Found } from './find';
import { TEST_PROTOCOL } from './protocol';
import { Questions } from './trust';

/** Certainly suites, or files that belong to them. */
export const OURS: vscode.DocumentFilter[] = [
  { scheme: 'file', language: 'eval-yaml' },
  { scheme: 'untitled', language: 'eval-yaml' },
  { scheme: 'file', language: 'yaml', pattern: '**/*.eval.{yaml,yml}' },
  { scheme: 'file', language: 'yaml', pattern: '**/.agentv/*.{yaml,yml}' },
  { scheme: 'file', language: 'yaml', pattern: '**/promptfooconfig*.{yaml,yml}' },
];

/** The documents sent to the server: also case files, which it detects by their content. It ignores others. */
export const SUITES: vscode.DocumentFilter[] = [
  ...OURS,
  { scheme: 'file', language: 'yaml', pattern: '**/evals/**/*.{yaml,yml}' },
  { scheme: 'file', language: 'yaml', pattern: '**/*cases*.{yaml,yml}' },
  { scheme: 'file', language: 'yaml', pattern: '**/*promptfoo*.{yaml,yml}' },
];

/** Files that may hold the cases of a configuration of promptfoo: as of prompts, the server knows which do. */
const CASES: vscode.DocumentFilter[] = [
  { scheme: 'file', pattern: '**/*.{csv,jsonl}' },
  { scheme: 'file', pattern: '**/*{tests,cases,dataset,evals}*.{json,yaml,yml}' },
  { scheme: 'file', pattern: '**/{tests,cases,datasets,evals}/**/*.{json,yaml,yml}' },
];

/** The documents in which results of runs stand. */
export const WITH_RESULTS: vscode.DocumentFilter[] = [...SUITES, ...CASES];

/**
 * Files that suites may use as prompts. The server knows which of them are used, and reports nothing for the others. They do not
 * activate the extension: it is active where there are suites.
 */
const PROMPTS: vscode.DocumentFilter[] = [
  { scheme: 'file', language: 'markdown' },
  { scheme: 'file', pattern: '**/*.{j2,njk}' },
  { scheme: 'file', pattern: '**/{prompts,judges,rubrics}/**/*.txt' },
  { scheme: 'file', pattern: '**/*{judge,rubric}*.txt' },
];

/** What VS Code asks of one provider only: for files that may be another program's, it must not be this one. */
const OF_ONE_PROVIDER: string[] = [
  DocumentFormattingRequest.method,
  DocumentRangeFormattingRequest.method,
  DocumentOnTypeFormattingRequest.method,
];

const MIGRATE = vscode.CodeActionKind.RefactorRewrite.append('migrate');

export interface Listener {
  /** The server ended by itself; `ready` tells whether it had started. */
  closed(client: RubricClient, ready: boolean): void;
  /** Which inlay hints VS Code shows: results are decorations, which have theme colours. */
  hints(hints: vscode.InlayHint[]): vscode.InlayHint[];
}

export class RubricClient extends LanguageClient {
  constructor(found: Found, output: vscode.LogOutputChannel, listener: Listener) {
    const [command, ...args] = found.argv;
    const closed = () => listener.closed(this, this.isReady);
    super('rubric', 'Rubric', { command, args }, options(output, listener, closed));
    this.registerFeature(tests);
  }

  /** Replace the display of the server's questions. Called after the start: before, the base class would undo it. */
  answerQuestions(): void {
    const questions = new Questions();
    this.onRequest(ShowMessageRequest.type, (asked) => questions.answer(asked));
  }

  get isReady(): boolean {
    return this.state === State.Running;
  }

  /** Whether the server has the test protocol, and in a version that is spoken here. */
  get hasTests(): boolean {
    return this.initializeResult?.capabilities.experimental?.rubricTests?.version === TEST_PROTOCOL;
  }

  /** Ask for a command of the server. Throws Refusal with its reason. */
  async execute(command: string, args: unknown[]): Promise<unknown> {
    try {
      return await this.sendRequest(ExecuteCommandRequest.type, { command, arguments: args });
    } catch (error) {
      throw error instanceof ResponseError ? new Refusal(error.message) : error;
    }
  }

  // Commands are registered once for all servers that may come and go: see commands.ts.
  override registerFeature(feature: StaticFeature | DynamicFeature<unknown>): void {
    const method = 'registrationType' in feature ? feature.registrationType.method : undefined;
    if (method === ExecuteCommandRequest.method) {
      return;
    }
    if (method && OF_ONE_PROVIDER.includes(method)) {
      const initialize = feature.initialize.bind(feature);
      feature.initialize = (capabilities) => initialize(capabilities, SUITES as DocumentSelector);
    }
    super.registerFeature(feature);
  }

  // The base class shows a stack trace in a notification: users need a sentence, which `closed` shows.
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }

  override warn(message: string, data?: unknown): void {
    super.warn(message, data, false);
  }

  override info(message: string, data?: unknown): void {
    super.info(message, data, false);
  }

  // `rubric.trace.server` alone must be enough to see messages, whatever the log level of the output is.
  override trace(message: string, data?: unknown): void {
    super.info(message, data, false);
  }
}

/** The server refused a request; the message is for users. */
export class Refusal extends Error {}

const tests: StaticFeature = {
  fillClientCapabilities(capabilities: ClientCapabilities) {
    capabilities.experimental = { ...capabilities.experimental, rubricTests: true, rubricTestChanges: true, rubricReferences: true, rubricSuggest: true };
  },
  initialize() {},
  getState: () => ({ kind: 'static' }),
  clear() {},
};

function options(output: vscode.LogOutputChannel, listener: Listener, closed: () => void): LanguageClientOptions {
  return {
    documentSelector: [...WITH_RESULTS, ...PROMPTS] as LanguageClientOptions['documentSelector'],
    outputChannel: output,
    revealOutputChannelOn: RevealOutputChannelOn.Never,
    initializationFailedHandler: () => false,
    errorHandler: {
      error: () => ({ action: ErrorAction.Continue, handled: true }),
      // The launcher starts it again: later each time, and not for ever.
      closed: () => {
        closed();
        return { action: CloseAction.DoNotRestart, handled: true };
      },
    },
    middleware: {
      handleDiagnostics(uri, diagnostics, next) {
        diagnostics.forEach((each) => typeof each.code === 'object' && (each.code.target = rendered(each.code.target)));
        next(uri, diagnostics);
      },
      async provideInlayHints(document, range, token, next) {
        const hints = await next(document, range, token);
        return hints && listener.hints(hints);
      },
      // VS Code lists rewrites before runs: a migration is rarer, and comes last unless it is requested.
      async provideCodeActions(document, range, context, token, next) {
        const found = await next(document, range, context, token);
        if (!context.only) {
          found?.forEach((each) => 'kind' in each && each.kind && MIGRATE.contains(each.kind) && (each.kind = undefined));
        }
        return found;
      },
    },
  };
}

/** The address of a page as it is read: VS Code opens a Markdown file as its source. */
function rendered(page: vscode.Uri): vscode.Uri {
  const isFile = page.scheme === 'file' && page.path.endsWith('.md');
  return isFile ? vscode.Uri.parse(`command:markdown.showPreview?${encodeURIComponent(JSON.stringify([page]))}`) : page;
}
