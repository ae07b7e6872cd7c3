// What a provider is told, except the id of the evaluation, which is another one each time, and the source of functions that make prompts.
const known = ({ vars, prompt, test, repeatIndex, evaluationId }) => {
  const { __evalId: id, ...others } = vars;
  const written = prompt.raw.includes('=>') ? [prompt.label, prompt.config] : prompt;
  const { metadata, description, assert } = test;
  return { others, id: typeof id, written, metadata, description, asserts: assert.length, repeatIndex, evaluation: typeof evaluationId };
};

module.exports = class {
  constructor(options) { this.options = options; }
  id() { return 'called'; }
  async callApi(prompt, context) {
    return { output: JSON.stringify({ prompt, told: known(context), keys: Object.keys(context.vars), config: this.options.config }) };
  }
};
