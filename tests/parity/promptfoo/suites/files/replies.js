// Replies with more than an output.
module.exports = class {
  id() {
    return 'replies';
  }
  async callApi(prompt) {
    return {output: prompt, tokenUsage: {total: 7, prompt: 3}, cached: prompt === 'cached', raw: {x: 1}, isRefusal: true, sessionId: 's', more: 5};
  }
};
