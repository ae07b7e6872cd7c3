// The scopes of a suite's text by the grammar of the extension and those of VS Code. Usage: grammar.mjs VSCODE SUITE.
// Prints one JSON list: for each token its line, its text and its scopes.
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { REPOSITORY } from './studio.mjs';

const [vscode, suite] = process.argv.slice(2);
const require = createRequire(path.join(vscode, 'package.json'));
const textmate = require('vscode-textmate');
const oniguruma = require('vscode-oniguruma');

const files = new Map();
for (const folder of ['yaml', 'json', 'python']) {
  const syntaxes = path.join(vscode, 'extensions', folder, 'syntaxes');
  for (const name of fs.readdirSync(syntaxes).filter((each) => each.endsWith('.tmLanguage.json'))) {
    const file = path.join(syntaxes, name);
    files.set(JSON.parse(fs.readFileSync(file, 'utf8')).scopeName, file);
  }
}
files.set('source.yaml.eval', path.join(REPOSITORY, 'editors/vscode/syntaxes/eval-yaml.tmLanguage.json'));

await oniguruma.loadWASM(fs.readFileSync(path.join(vscode, 'node_modules/vscode-oniguruma/release/onig.wasm')));
const registry = new textmate.Registry({
  onigLib: Promise.resolve({
    createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
    createOnigString: (text) => new oniguruma.OnigString(text),
  }),
  loadGrammar: async (scope) => {
    const file = files.get(scope);
    return file ? textmate.parseRawGrammar(fs.readFileSync(file, 'utf8'), file) : null;
  },
});
const grammar = await registry.loadGrammar('source.yaml.eval');
let state = textmate.INITIAL;
const tokens = fs
  .readFileSync(suite, 'utf8')
  .split('\n')
  .flatMap((line, number) => {
    const result = grammar.tokenizeLine(line, state);
    state = result.ruleStack;
    return result.tokens.map(({ startIndex, endIndex, scopes }) => [number + 1, line.slice(startIndex, endIndex), scopes.join(' ')]);
  });
console.log(JSON.stringify(tokens));
