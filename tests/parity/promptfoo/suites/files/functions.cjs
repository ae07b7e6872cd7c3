// Tests whose assertions and transforms are functions.
const beginning = 'a';
function named(output, context) {
  return {pass: output.startsWith(beginning), score: 0.5, reason: `named ${context.vars.v}`};
}
const tests = [
  {description: 'an arrow function', vars: {v: 'a'}, assert: [{type: 'javascript', value: (output, context) => ({pass: output === context.vars.v, score: 1, reason: 'same'})}]},
  {description: 'a named function', vars: {v: 'a'}, assert: [{type: 'javascript', value: named}, {type: 'not-javascript', value: named}]},
  {description: 'an async function', vars: {v: 'abc'}, assert: [{type: 'javascript', value: async output => output.length / 4, threshold: 0.9}]},
  {description: 'a function that throws', vars: {v: 'a'}, assert: [{type: 'javascript', value: () => { throw new Error('as written'); }}]},
  {description: 'odd results', vars: {v: 'a'}, threshold: 0, assert: [undefined, 5n, new Date(0), 'text', false].map(each => ({type: 'javascript', value: () => each}))},
  {description: 'a transform', vars: {v: 'b'}, options: {transform: (output, context) => output.toUpperCase() + context.vars.v}, assert: [{type: 'equals', value: 'Bb'}]},
  {description: 'a transform of an assertion', vars: {v: 'b'}, assert: [{type: 'equals', value: 'B', transform: output => output.toUpperCase()}]},
  {description: 'made variables', vars: {v: 'b'}, options: {transformVars: vars => ({v: `${vars.v}!`})}, assert: [{type: 'equals', value: 'b!'}]},
  {description: 'in a set', vars: {v: 'b'}, assert: [{type: 'assert-set', assert: [{type: 'javascript', value: output => output === 'b'}, {type: 'javascript', value: output => output === 'c'}]}]},
];
module.exports = tests;
module.exports.made = config => [
  {description: `made with ${config?.more}`, vars: {v: 'x'}, assert: [{type: 'javascript', value: output => output === (config?.more ?? 'x')}]},
];
