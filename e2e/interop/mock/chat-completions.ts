import type { ServerResponse } from 'node:http';
import { type Fields, fieldsOf, listOf, textOf, textsOf } from './fields';
import { callPiece, type Conversation, type Piece, type Step } from './script';
import { type Protocol, startEvents } from './server';

/** Milliseconds before calls are sent: OpenCode takes its snapshot of the files when a step begins, and an instant model would win that race. */
const callsAfter = 600;

/** OpenAI's older protocol, which OpenCode speaks with a provider of one's own. */
export const chatCompletions: Protocol = {
  path: '/chat/completions',
  read,
  reply: (step, body, response, number) => void reply(step, body, response, number),
  other: (path) => (path.endsWith('/models') ? { object: 'list', data: [{ id: 'mock-1', object: 'model' }] } : null),
};

function read(body: Fields): Conversation {
  const messages = listOf(body['messages']);
  const system = messages.filter(({ role }) => role === 'system').flatMap(({ content }) => textsOf(content)).join('\n');
  const last = messages.findLastIndex(({ role }) => role === 'user');
  const prompt = textsOf(messages[last]?.['content']).join('\n');
  const hasTools = listOf(body['tools']).length > 0;
  return {
    pieces: messages.flatMap(piecesOf), prompt, replies: messages.slice(last + 1).filter(({ role }) => role === 'assistant').length,
    purpose: hasTools ? 'turn' : /title generator/i.test(system) || /generate a title/i.test(prompt) ? 'title' : 'summary',
  };
}

function piecesOf({ role, content, tool_calls: calls, reasoning_content: thought }: Fields): Piece[] {
  const texts = textsOf(content).filter((text) => text !== '');
  switch (role) {
    case 'user':
      return texts.map((text) => `user ${text}`);
    case 'assistant':
      return [
        ...(textOf(thought) === '' ? [] : [`reasoning ${textOf(thought)}`]),
        ...texts.map((text) => `assistant ${text}`),
        ...listOf(calls).map((call) => callPiece(textOf(fieldsOf(call['function'])['name']), textOf(fieldsOf(call['function'])['arguments']))),
      ];
    case 'tool':
      return [`output ${texts.join('\n')}`];
    default:
      return [];
  }
}

async function reply({ reasoning, text = '', calls = [] }: Step, body: Fields, response: ServerResponse, number: number): Promise<void> {
  const base = { id: `chatcmpl-${number}`, created: 1_790_000_000, model: body['model'] };
  const usage = { prompt_tokens: 1_000, completion_tokens: 50, total_tokens: 1_050 };
  const finish = calls.length > 0 ? 'tool_calls' : 'stop';
  const tools = calls.map(({ name, input }, index) => ({ index, id: `call_${number}_${index}`, type: 'function', function: { name, arguments: typeof input === 'string' ? input : JSON.stringify(input) } }));
  if (body['stream'] !== true) {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ ...base, object: 'chat.completion', choices: [{ index: 0, finish_reason: finish, message: { role: 'assistant', content: text, ...(tools.length > 0 && { tool_calls: tools }) } }], usage }));
    return;
  }
  const send = startEvents(response);
  const chunk = (delta: object, finish_reason: string | null = null): void => send(null, { ...base, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }], ...(finish_reason !== null && { usage }) });
  chunk({ role: 'assistant', content: '' });
  if (reasoning !== undefined) chunk({ reasoning_content: reasoning });
  if (text !== '') chunk({ content: text });
  if (tools.length > 0) {
    await new Promise((done) => setTimeout(done, callsAfter));
    chunk({ tool_calls: tools });
  }
  chunk({}, finish);
  send(null, '[DONE]');
  response.end();
}
