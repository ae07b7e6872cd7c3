// Answers in capitals; fails where it is told to.
class Shout {
  constructor(options) { this.providerId = options.id || "shout"; }
  id() { return this.providerId; }
  async callApi(prompt) {
    if (prompt.endsWith("throw")) throw new Error("as told");
    return { output: prompt.slice(-20).toUpperCase() };
  }
}
module.exports = Shout;
