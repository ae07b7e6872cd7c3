enum Kind { A = 'a' }
export default class Provider {
  constructor(private options: { config?: unknown } = {}) {}
  id(): string { return 'ts'; }
  async callApi(prompt: string): Promise<{ output: string }> { return { output: `${prompt} ${Kind.A}` }; }
}
