module.exports = class {
  constructor(options) {
    this.config = options.config || {};
  }
  id() {
    return 'settled';
  }
  async callApi(prompt) {
    const {latencyMs, ...config} = this.config;
    return {output: prompt + ' ' + JSON.stringify(config.a ? config : {}), latencyMs};
  }
};
