// A judge on this machine: says of each criterion what a test wants, and can be held back, taken away and brought again.
import http from 'node:http';

/**
 * `opinion(id)`: what is thought of a criterion, 0..10. `holds`: whether replies wait until `release` is called. `answer`: what it says
 * as the model `answerer`, a target.
 */
export async function startJudge({ opinion = () => 8, holds = false, answer: said = '' } = {}) {
  let waiting = [];
  const judge = { asked: 0, port: 0, start, stop, release };
  let server;

  async function start() {
    server = http.createServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => (body += chunk));
      request.on('end', () => {
        judge.asked += 1;
        const answer = () => response.end(JSON.stringify(reply(JSON.parse(body), opinion, said)));
        response.setHeader('content-type', 'application/json');
        if (holds) waiting.push(answer);
        else answer();
      });
    });
    await new Promise((done) => server.listen(judge.port, '127.0.0.1', done));
    judge.port = server.address().port;
  }

  function release() {
    holds = false;
    waiting.forEach((answer) => answer());
    waiting = [];
  }

  /** It goes, and its connections with it. */
  async function stop() {
    waiting = [];
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  }

  await start();
  return judge;
}

/** The targets file of a workspace in which `answer` is the answer to everything. */
export const targets = (judge, answer) =>
  JSON.stringify({
    targets: [
      ...['default', 'canned', 'slow'].map((name) => ({ name, provider: 'mock', response: answer, grader_target: 'judge' })),
      { name: 'judge', provider: 'openai', base_url: `http://127.0.0.1:${judge.port}/v1`, model: 'scripted-judge', api_key: 'not-a-secret-one' },
    ],
  });

/** What an OpenAI-compatible server says, with a result for every criterion of the prompt. */
function reply({ model, messages }, opinion, said) {
  if (model === 'answerer') return completion(model, said);
  const asked = messages.map(({ content }) => content).join('\n');
  const section = asked.slice(asked.lastIndexOf('[[ ## rubric ## ]]'));
  const criteria = section.split(/^- /mu).slice(1).map((part) => [part.split(':')[0], /^ {4}\d/mu.test(part)]);
  const checks = criteria.map(([id, ranges]) => {
    const points = opinion(id);
    const reasoning = points >= 7 ? 'It says so in its first sentence.' : 'It stays vague here: the answer hints at it, and never says it in so many words.';
    return { id, reasoning, ...(ranges ? { score: points } : { satisfied: points >= 7 }) };
  });
  const content = JSON.stringify({ checks, overall_reasoning: 'Clear on the whole, thin in one place.' });
  return completion(model, content);
}

function completion(model, content) {
  const message = { role: 'assistant', content };
  const usage = { prompt_tokens: 900, completion_tokens: 120, total_tokens: 1020, cost: 0.0021 };
  return { id: 'x', object: 'chat.completion', model, choices: [{ index: 0, finish_reason: 'stop', message }], usage };
}
