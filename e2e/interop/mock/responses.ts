import type { ServerResponse } from 'node:http';
import { type Fields, listOf, textOf, textsOf } from './fields';
import { callPiece, type Conversation, type Piece, type Step } from './script';
import { type Protocol, startEvents } from './server';

/** OpenAI's newer protocol, which Codex speaks. */
export const responses: Protocol = {
  path: '/responses',
  read,
  reply,
  other: (path) => (path.endsWith('/models') ? { object: 'list', data: [], models: [] } : null),
};

/** What Codex tells the model of the place it works in has the role of a user, but begins with a tag. */
const isTold = (text: string): boolean => /^\s*(<[a-z_]+>|# AGENTS\.md)/.test(text);

function read(body: Fields): Conversation {
  const input = listOf(body['input']);
  const last = input.findLastIndex((item) => item['type'] === 'message' && item['role'] === 'user' && !isTold(textsOf(item['content']).join('\n')));
  const prompt = textsOf(input[last]?.['content']).join('\n');
  const after = input.slice(last + 1);
  return {
    pieces: input.flatMap(piecesOf), prompt,
    // A reply ends where outputs of its calls begin.
    replies: after.filter((item, index) => textOf(item['type']).endsWith('_output') && !textOf(after[index + 1]?.['type']).endsWith('_output')).length,
    purpose: /context checkpoint compaction/i.test(prompt) ? 'summary' : /task title/i.test(prompt) ? 'title' : 'turn',
  };
}

function piecesOf(item: Fields): Piece[] {
  const type = textOf(item['type']);
  if (type === 'message') return [`${item['role'] === 'developer' ? 'system' : textOf(item['role'])} ${textsOf(item['content']).join('\n')}`];
  if (type === 'reasoning') return [`reasoning ${textsOf(item['summary']).join('\n\n')}`];
  if (type.endsWith('_output')) return [`output ${textsOf(item['output']).join('\n')}`];
  if (type.endsWith('_call')) return [callPiece(textOf(item['name']), textOf(item['arguments'] ?? item['input']))];
  return [];
}

function reply({ reasoning, text, calls = [] }: Step, _body: Fields, response: ServerResponse, number: number): void {
  const named = (prefix: string, index = 0): string => `${prefix}_${String(number * 10 + index).padStart(6, '0')}`;
  const output: Fields[] = [
    ...(reasoning === undefined ? [] : [{ type: 'reasoning', id: named('rs'), summary: [{ type: 'summary_text', text: reasoning }], encrypted_content: `gAAAAmock${number}` }]),
    ...(text === undefined ? [] : [{ type: 'message', id: named('msg'), role: 'assistant', status: 'completed', content: [{ type: 'output_text', annotations: [], text }] }]),
    ...calls.map(({ name, input }, index) =>
      typeof input === 'string'
        ? { type: 'custom_tool_call', id: named('ctc', index), call_id: named('call', index), name, input, status: 'completed' }
        : { type: 'function_call', id: named('fc', index), call_id: named('call', index), name, arguments: JSON.stringify(input), status: 'completed' },
    ),
  ];
  const send = startEvents(response);
  const event = (type: string, data: object): void => send(type, { type, ...data });
  const answer = { id: named('resp'), object: 'response' };
  event('response.created', { response: { ...answer, status: 'in_progress' } });
  for (const [index, item] of output.entries()) {
    event('response.output_item.added', { output_index: index, item: item['type'] === 'message' ? { ...item, content: [], status: 'in_progress' } : item });
    if (item['type'] === 'message') event('response.output_text.delta', { item_id: item['id'], output_index: index, content_index: 0, delta: text });
    event('response.output_item.done', { output_index: index, item });
  }
  const usage = { input_tokens: 1_000, input_tokens_details: { cached_tokens: 0 }, output_tokens: 50, output_tokens_details: { reasoning_tokens: 0 }, total_tokens: 1_050 };
  event('response.completed', { response: { ...answer, status: 'completed', output, usage } });
  response.end();
}
