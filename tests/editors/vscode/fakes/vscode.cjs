// As much of VS Code's API as the explorer uses. It keeps results as VS Code does: by run, the latest first, a test standing as the
// latest run says that says anything of it.
class EventEmitter {
  listeners = new Set();
  event = (listener) => {
    this.listeners.add(listener);
    return { dispose: () => this.listeners.delete(listener) };
  };
  fire(value) {
    [...this.listeners].forEach((listener) => listener(value));
  }
  dispose() {
    this.listeners.clear();
  }
}

class Items {
  byId = new Map();
  constructor(owner) {
    this.owner = owner;
  }
  get size() {
    return this.byId.size;
  }
  get(id) {
    return this.byId.get(id);
  }
  add(item) {
    item.parent?.children.byId.delete(item.id);
    item.parent = this.owner;
    this.byId.set(item.id, item);
  }
  delete(id) {
    this.byId.delete(id);
  }
  [Symbol.iterator]() {
    return this.byId.entries();
  }
}

class TestItem {
  children = new Items(this);
  constructor(id, label, uri) {
    Object.assign(this, { id, label, uri });
  }
  /** What VS Code knows it by. */
  get path() {
    return this.parent ? `${this.parent.path}\0${this.id}` : this.id;
  }
}

/** One entry of VS Code's list. */
class Result {
  states = new Map();
  output = '';
  ended = false;
  constructor(request, name) {
    Object.assign(this, { request, name });
  }
  /** What VS Code shows of it as `2/3`. */
  get count() {
    const of = (...wanted) => [...this.states.values()].filter(({ state }) => wanted.includes(state)).length;
    return `${of('passed')}/${of('passed', 'failed', 'errored', 'running', 'queued')}`;
  }
}

class TestRun {
  token = { isCancellationRequested: false, onCancellationRequested: () => ({ dispose() {} }) };
  constructor(result, ended) {
    Object.assign(this, { result, whenEnded: ended });
  }
  put(item, state, messages) {
    if (!this.result.ended) this.result.states.set(item.path, { state, messages: [messages ?? []].flat().map(({ message }) => message) });
  }
  enqueued(item) {
    this.put(item, 'queued');
  }
  started(item) {
    this.put(item, 'running');
  }
  passed(item) {
    this.put(item, 'passed');
  }
  skipped(item) {
    this.put(item, 'skipped');
  }
  failed(item, messages) {
    this.put(item, 'failed', messages);
  }
  errored(item, messages) {
    this.put(item, 'errored', messages);
  }
  appendOutput(text) {
    this.result.output += text;
  }
  end() {
    this.whenEnded();
  }
}

class TestController {
  items = new Items(undefined);
  results = [];
  retired = new Set();
  profiles = new Map();
  createTestItem(id, label, uri) {
    return new TestItem(id, label, uri);
  }
  createRunProfile(label, kind, handler) {
    const profile = { label, kind, handler };
    this.profiles.set(label, profile);
    return profile;
  }
  createTestRun(request, name) {
    const own = this.results.find((each) => each.request === request && !each.ended);
    const result = own ?? this.list(request, name);
    result.name ??= name;
    return new TestRun(result, () => own || this.complete(result)); // what VS Code has begun, it ends
  }
  list(request, name) {
    const result = new Result(request, name);
    this.results.unshift(result);
    return result;
  }
  complete(result) {
    for (const [path, { state }] of result.states) if (['queued', 'running'].includes(state)) result.states.delete(path);
    result.ended = true;
    for (const path of result.states.keys()) this.retired.delete(path);
  }
  invalidateTestResults(item) {
    this.retired.add(item.path);
  }
  dispose() {}
  // -- what a person does and sees
  /** Press "Run": VS Code lists a run before the extension is asked. */
  async press(label, include) {
    const request = new TestRunRequest(include);
    const result = this.list(request);
    await this.profiles.get(label).handler(request, { isCancellationRequested: false, onCancellationRequested: () => ({ dispose() {} }) });
    this.complete(result);
    return result;
  }
  /** How a test stands. */
  seen(item) {
    const result = this.results.find(({ states }) => states.has(item.path));
    return result?.states.get(item.path);
  }
}

class TestRunRequest {
  constructor(include, exclude, profile) {
    Object.assign(this, { include, exclude, profile });
  }
}

class Position {
  constructor(line, character = 0) {
    Object.assign(this, { line, character });
  }
  translate(lines) {
    return new Position(this.line + lines, this.character);
  }
}

class Range {
  constructor(start, end) {
    Object.assign(this, { start, end });
  }
}

/** Debug sessions: `started` and `terminated` are fired, and `trackers` told, by whoever plays VS Code. */
const debug = {
  started: new EventEmitter(),
  terminated: new EventEmitter(),
  trackers: new Set(),
  onDidStartDebugSession: (listener) => debug.started.event(listener),
  onDidTerminateDebugSession: (listener) => debug.terminated.event(listener),
  registerDebugAdapterTrackerFactory(_type, factory) {
    debug.trackers.add(factory);
    return { dispose: () => debug.trackers.delete(factory) };
  },
};

const nothing = () => ({ dispose() {} });
const controllers = [];
module.exports = {
  controllers,
  debug,
  EventEmitter,
  Position,
  Range,
  TestRunRequest,
  TestRunProfileKind: { Run: 1, Debug: 2 },
  TestTag: class {},
  TestMessage: class {
    constructor(message) {
      this.message = message;
    }
  },
  CodeActionKind: { RefactorRewrite: { append: () => ({}) } },
  Disposable: { from: nothing },
  Location: class {},
  Uri: { file: (path) => ({ path }), parse: (text) => ({ toString: () => text, path: text.replace(/^file:\/\//u, '') }) },
  tests: {
    createTestController() {
      controllers.push(new TestController());
      return controllers.at(-1);
    },
  },
  window: { showWarningMessage: async () => undefined },
  workspace: {
    isTrusted: true,
    getWorkspaceFolder: () => undefined,
    asRelativePath: (uri) => uri.path.replace(/^\/ws\//u, ''),
    onDidChangeTextDocument: nothing,
    onDidSaveTextDocument: nothing,
  },
};
