"""The programs that run a piece of code, one for each language, in a process of their own.

Each reads `{code, file, function, arguments, spare}` from its standard input, and prints `{"result": …}` behind a mark that follows
whatever the code itself prints. With `tests`, the path of a JavaScript file, functions in the list that it makes become code that makes
the list again and calls them, and what has no JSON becomes `{"$unread": …}`. node also loads packages of npm from where promptfoo would load them: from the file with the code or
the folder of the run upward, then beside a promptfoo that is installed there, then beside its program.
"""

__all__ = ["MARK", "NODE", "PYTHON", "RUBY"]

MARK = "\x1e"
PYTHON = r"""
import contextlib, importlib.util, inspect, json, os, sys, textwrap
told = json.load(sys.stdin)
sys.path.insert(0, os.getcwd())
names, values = list(told["arguments"]), list(told["arguments"].values())
with contextlib.redirect_stdout(sys.stderr):
    if told["file"]:
        sys.path.insert(0, os.path.dirname(told["file"]))
        spec = importlib.util.spec_from_file_location("rubric_script", told["file"])
        module = importlib.util.module_from_spec(spec)
        sys.modules["rubric_script"] = module
        spec.loader.exec_module(module)
        call = module
        for part in told["function"].split("."):
            call = getattr(call, part)
    else:
        code = textwrap.dedent(told["code"]).strip()
        scope = {"json": json}
        try:
            compile(code, "value", "eval")
            code = "return (\n" + code + "\n)"
        except SyntaxError:
            pass
        exec("def value(" + ", ".join(names) + "):\n" + textwrap.indent(code, "    "), scope)
        call = scope["value"]
    if told.get("spare"):
        with contextlib.suppress(TypeError, ValueError):
            taken = inspect.signature(call).parameters.values()
            if all(each.kind is not each.VAR_POSITIONAL for each in taken):
                values = values[:sum(each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD) for each in taken)]
    result = call(*values)
    if inspect.isawaitable(result):
        import asyncio  # it takes long to load
        result = asyncio.run(result)
form = {"allow_nan": False} if told["exact"] else {"default": str}
sys.stdout.write("\x1e" + json.dumps({"result": result}, **form))
"""
NODE = r"""
const {createRequire} = require('node:module'), {pathToFileURL} = require('node:url'), {realpathSync} = require('node:fs');
const chunks = [];
const load = async (name, told) => {
  const places = [...(told.file ? [told.file] : []), process.cwd() + '/code', ...told.programs.map(each => realpathSync(each))];
  for (const place of [...places]) try { places.push(createRequire(place).resolve('promptfoo')); } catch {}
  let path;
  for (const place of places) try { path = path ?? createRequire(place).resolve(name); } catch {}
  return path && import(pathToFileURL(path).href);
};
// The print of a test: a list that is made again may be another one.
const printOf = test => {
  let sum = 0;
  for (const each of JSON.stringify(test, (_, value) => ['function', 'bigint'].includes(typeof value) ? `${value}` : value)) {
    sum = (sum * 31 + each.codePointAt(0)) | 0;
  }
  return sum;
};
const callOf = (told, steps, test, names) => `// ${steps.join('.')} of ${told.tests}
return import(${JSON.stringify('file://')} + encodeURI(process.cwd() + ${JSON.stringify(`/${told.tests}`)}).replace(/[#?]/g, encodeURIComponent)).then(async found => {
  const printOf = ${printOf};
  const name = ${JSON.stringify(told.function)}, config = ${JSON.stringify(Object.values(told.arguments))};
  let tests = name === 'default' ? found.default?.default ?? found.default ?? found : found[name] ?? found.default?.[name];
  if (typeof tests === 'function') tests = await tests(...config);
  if (printOf(tests[${steps[0]}]) !== ${printOf(test)}) throw new Error('the tests are others than before');
  const steps = ${JSON.stringify(steps.slice(0, -1))}, holder = steps.reduce((found, step) => found[step], tests);
  return holder[${JSON.stringify(steps.at(-1))}](${names});
});`;
const withCalls = (told, value, steps, test, holder) => {
  const key = steps.at(-1), where = steps.slice(1).join('.');
  if (typeof value === 'function') {
    const isCode = key === 'value' && /^(not-)?javascript$/.test(holder?.type);
    if (/\.[cm]?ts$/.test(told.tests)) return {$unread: `${where} is a function in TypeScript`};
    if (isCode || ['transform', 'postprocess'].includes(key)) return callOf(told, steps, test, 'output, context');
    if (key === 'transformVars') return callOf(told, steps, test, 'vars, context');
    return {$unread: `${where} is a function`};
  }
  if (typeof value === 'bigint' || (typeof value === 'number' && !Number.isFinite(value))) return {$unread: `${where} is ${value}`};
  if (Array.isArray(value)) return value.map((each, n) => withCalls(told, each, [...steps, n], steps.length ? test : each, value));
  if (typeof value !== 'object' || value === null) return value;
  if (![Object.prototype, null].includes(Object.getPrototypeOf(value))) return {$unread: `${where} is a ${value.constructor?.name}`};
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withCalls(told, each, [...steps, name], test, value)]));
};
console.log = console.info = console.debug = console.error;
process.stdin.on('data', chunk => chunks.push(chunk)).on('end', async () => {
  const text = Buffer.concat(chunks).toString('utf8');
  let told;
  try { told = JSON.parse(text); } catch { told = new Function(`return ${text}`)(); }  // it has numbers that JSON has not
  for (const [path, value] of Object.entries(told.getters ?? {})) {
    const parts = path.split('.'), last = parts.pop(), holder = parts.reduce((found, part) => found?.[part], told.arguments);
    if (holder) holder[last] = value === null ? undefined : () => value;
  }
  const names = Object.keys(told.arguments), values = Object.values(told.arguments);
  let call;
  if (told.package) {
    told.module = await load(told.package, told);
    if (!told.module) return process.stdout.write('\x1e{"result": {"missing": true}}');
    names.push('loaded');
    values.push(told.module.default ?? told.module);
  }
  if (/\.[cm]?ts$/i.test(told.file ?? '') && !await load('tsx', told) && !process.features.typescript) {
    throw new Error('TypeScript needs the npm package tsx, or node 23: npm install tsx');
  }
  if (told.file) {
    let module = await import(pathToFileURL(told.file).href);
    if (module.default?.__esModule) module = module.default;  // a module that was compiled for require
    call = told.function.split('.').reduce((found, part) => found?.[part] ?? found?.default?.[part], module);
    if (told.default_export) {
      const whole = module.default?.default || module.default || module;
      call = told.function === 'default' ? whole : whole[told.function];
      if (typeof call !== 'function' && typeof call?.default === 'function') call = call.default;
    }
    if (typeof call !== 'function' && typeof module.default === 'function' && told.function === 'default') call = module.default;
    if (Array.isArray(call) && told.function === 'default') { const listed = call; call = () => listed; }
    if (typeof call !== 'function') throw new Error(`${told.file} exports no function ${told.function}`);
    if (told.method) {
      const [method, options] = told.method, made = new call(options);
      call = made[method].bind(made);
    }
  } else {
    // promptfoo gives inline code a way to load modules, which it has no `require` for.
    const main = {require: createRequire(process.cwd() + '/code'), exports: {}, id: '.', filename: '', loaded: true, children: [], paths: []};
    Object.defineProperty(process, 'mainModule', {value: main, configurable: true});
    const AsyncFunction = (async () => {}).constructor;
    const code = told.code.trim();
    let body = `return (${code}\n);`;
    try { new AsyncFunction(...names, body); } catch { body = code; }
    call = new AsyncFunction(...names, body);
  }
  let result = await call(...values);
  const infinite = typeof result === 'number' && !Number.isFinite(result);
  if (told.method && result?.output instanceof Date) throw new Error('the output is a Date');
  if (infinite || typeof result === 'symbol') result = String(result);
  if (told.tests && Array.isArray(result)) result = withCalls(told, result, []);
  process.stdout.write('\x1e' + JSON.stringify({infinite, result: typeof result === 'function' || result === undefined ? null : result}));
});
"""
RUBY = r"""
require 'json'
STDIN.set_encoding('utf-8')
told = JSON.parse(STDIN.read)
$stdout = $stderr
values = told['arguments'].values
if told['file']
  $LOAD_PATH.unshift(File.dirname(told['file']))
  load told['file']
  owner, _, name = told['function'].rpartition('.')
  result = owner.empty? ? send(name, *values) : Object.const_get(owner).public_send(name, *values)
else
  code = told['code']
  body = code.include?("\n") ? code : "return #{code}"
  eval("def main(#{told['arguments'].keys.join(', ')})\n#{body}\nend", TOPLEVEL_BINDING, 'value', 0)
  result = send(:main, *values)
end
STDOUT.write("\x1e" + JSON.generate({result: result}))
"""
