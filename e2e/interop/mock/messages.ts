import type { ServerResponse } from 'node:http';
import { type Fields, listOf, textOf, textsOf } from './fields';
import { callPiece, type Conversation, type Piece, type Step } from './script';
import { type Protocol, startEvents } from './server';

/** Anthropic's protocol, which Claude Code speaks. */
export const messages: Protocol = {
  path: '/v1/messages',
  read,
  reply,
  other: (path) => (path.endsWith('/count_tokens') ? { input_tokens: 1_000 } : path === '/' ? {} : null),
};

/** What Claude Code puts in anew with each request stands in tags of its own; the rest is the conversation. */
const spoken = (text: string): string => text.replace(/<system-reminder>[\s\S]*?<\/system-reminder>/g, '').trim();

function read(body: Fields): Conversation {
  const sent = listOf(body['messages']);
  const system = textsOf(body['system']).join('\n');
  const last = sent.findLastIndex((message) => message['role'] === 'user' && saidIn(message) !== '');
  const prompt = saidIn(sent[last] ?? {});
  const isTitle = listOf(body['tools']).length === 0 && /title|topic/i.test(`${system}\n${prompt}`);
  return { pieces: sent.flatMap(piecesOf), prompt, replies: sent.slice(last + 1).filter(({ role }) => role === 'assistant').length, purpose: isTitle ? 'title' : /create a detailed summary/i.test(prompt) ? 'summary' : 'turn' };
}

const saidIn = ({ content }: Fields): string => textsOf(content).map(spoken).filter((text) => text !== '').join('\n');

function piecesOf({ role, content }: Fields): Piece[] {
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content);
  return blocks.flatMap((block): Piece[] => {
    switch (block['type']) {
      case 'text': {
        const text = spoken(textOf(block['text']));
        return text === '' ? [] : [`${textOf(role)} ${text}`];
      }
      case 'thinking':
        return [`reasoning ${textOf(block['thinking'])}`];
      case 'tool_use':
        return [callPiece(textOf(block['name']), JSON.stringify(block['input']))];
      case 'tool_result':
        return [`output ${textsOf(block['content']).map(spoken).join('\n')}`];
      default:
        return [`${textOf(role)} (${textOf(block['type'])})`];
    }
  });
}

function reply({ reasoning, text, calls = [] }: Step, body: Fields, response: ServerResponse, number: number): void {
  const id = `msg_01${String(number).padStart(22, '0')}`;
  const content = [
    ...(reasoning === undefined ? [] : [{ type: 'thinking', thinking: reasoning, signature: 'bW9jaw==' }]),
    ...(text === undefined ? [] : [{ type: 'text', text }]),
    ...calls.map(({ name, input }, index) => ({ type: 'tool_use', id: `toolu_01${String(number * 10 + index).padStart(22, '0')}`, name, input })),
  ];
  const usage = { input_tokens: 11, cache_creation_input_tokens: 100, cache_read_input_tokens: 900, output_tokens: 50 };
  const message = { id, type: 'message', role: 'assistant', model: body['model'], stop_sequence: null };
  const stop_reason = calls.length > 0 ? 'tool_use' : 'end_turn';
  response.setHeader('request-id', `req_01${String(number).padStart(22, '0')}`);
  if (body['stream'] !== true) {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ ...message, content, stop_reason, usage }));
    return;
  }
  const send = startEvents(response);
  const event = (type: string, data: object): void => send(type, { type, ...data });
  event('message_start', { message: { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } } });
  for (const [index, block] of content.entries()) {
    const { begin, deltas } = streamed(block as Fields);
    event('content_block_start', { index, content_block: begin });
    for (const delta of deltas) event('content_block_delta', { index, delta });
    event('content_block_stop', { index });
  }
  event('message_delta', { delta: { stop_reason, stop_sequence: null }, usage });
  event('message_stop', {});
  response.end();
}

function streamed(block: Fields): { begin: object; deltas: object[] } {
  switch (block['type']) {
    case 'thinking':
      return { begin: { type: 'thinking', thinking: '', signature: '' }, deltas: [{ type: 'thinking_delta', thinking: block['thinking'] }, { type: 'signature_delta', signature: block['signature'] }] };
    case 'tool_use':
      return { begin: { ...block, input: {} }, deltas: [{ type: 'input_json_delta', partial_json: JSON.stringify(block['input']) }] };
    default:
      return { begin: { type: 'text', text: '' }, deltas: [{ type: 'text_delta', text: block['text'] }] };
  }
}
