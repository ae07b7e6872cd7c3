module.exports = class {
  constructor(options) { this.options = options; this.config = options.config || {}; }
  id() { return this.options.id || 'own'; }
  async callApi(prompt, context) {
    if (this.config.fails) return {error: 'as asked'};
    if (this.config.throws) throw new Error('as asked');
    if (this.config.data) return {output: {said: prompt}};
    console.log('words');
    return {output: `js ${prompt} ${context.vars.name} ${JSON.stringify(this.config)}`, cost: 0.5};
  }
};
