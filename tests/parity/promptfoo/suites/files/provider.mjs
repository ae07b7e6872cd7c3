export default class Own {
  id() { return 'own-module'; }
  async callApi(prompt) { return {output: `module ${prompt}`}; }
}
