export default class Configured {
  id() { return 'configured'; }
  async callApi(prompt, context) { return {output: JSON.stringify([prompt, context.prompt.config ?? {}])}; }
}
