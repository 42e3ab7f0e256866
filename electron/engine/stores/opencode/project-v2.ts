import type { JsonObject, MessageFact, PartFact } from '../store';
import { messageFact, tokensOf } from './messages';
import { faultNote, messageOf } from './faults';
import { filePart, notice, patchPart, prose } from './part-facts';
import { toolFact } from './parts';
import { asFilledText, asJsonObject, asList, asNumber, asObject, asObjects, asText, asTexts, type Fields } from '../foreign/fields';
import { clearedAt, isMarked, oneLine } from './records';
import { errorOf } from './tools';

/** A row of session_message or session_input. */
interface SecondReading {
  type: string;
  message: MessageFact | null;
  parts: PartFact[];
  note: JsonObject;
  known: boolean;
}

/** Reads a message of the second generation: one row holds all of it (FORMAT.md, "Second generation"). */
export function readSecond(key: string, type: string, data: Fields, time: number | null, seq: number | null): SecondReading {
  // Rows without a number are bookkeeping of 1.15 beside an ordinary session, not messages of it.
  const fact = (role: MessageFact['role'], extra: Partial<MessageFact> = {}): MessageFact => ({ ...messageFact(key, role, time), counted: seq !== null, ...extra });
  const reading = (message: MessageFact, parts: Omit<PartFact, 'block'>[], note: JsonObject = {}): SecondReading => ({
    type: `v2/${type}`, message, parts: parts.map((part, block) => ({ block, ...part })), note: { seq, ...note }, known: true,
  });
  switch (type) {
    case 'user':
      return reading(fact('user', { prompt: true }), userParts(data), unsaid(userParts(data), ({ kind, size }) => kind === 'command' || (kind === 'text' && size === 0)));
    case 'assistant':
      return { type: 'v2/assistant', message: fact('assistant', replyFigures(data)), ...replyParts(data, seq), known: true };
    case 'system':
    case 'synthetic':
      return reading(fact('system'), [prose('text', asText(data['text']) ?? '', { injected: true })]);
    case 'shell':
      return reading(fact('user'), [prose('command', [asText(data['command']), asText(data['output'])].filter((text) => text !== null).join('\n\n'), { title: oneLine(asText(data['command']) ?? 'shell') })]);
    case 'agent-switched':
      return reading(fact('system'), [notice(`agent changed to ${asText(data['agent']) ?? 'another'}`)]);
    case 'model-switched':
      return reading(fact('system'), [notice(`model changed to ${asText(asObject(data['model'])?.['id']) ?? 'another'}`)]);
    case 'compaction':
      return reading(fact('system'), compactionParts(data), { compaction: true });
    default:
      return { ...reading(fact('system'), [notice(`a message of the unknown type ${JSON.stringify(type)}`)], { unknown: type }), known: false };
  }
}

/** Reads a prompt that waits in the inbox: it exists nowhere else. */
export function readInput(key: string, row: Fields, time: number | null): Omit<SecondReading, 'known'> {
  const prompt = asJsonObject(row['prompt']) ?? {};
  return {
    type: 'v2/input',
    message: { ...messageFact(key, 'user', time), prompt: true },
    parts: userParts(prompt).map((part, block) => ({ block, ...part })),
    note: { admitted: asNumber(row['admitted_seq']), delivery: asText(row['delivery']) },
  };
}

/** Blocks that the model does not get although their row is sent. */
function unsaid(parts: readonly Omit<PartFact, 'block'>[], isUnsaid: (part: Omit<PartFact, 'block'>) => boolean): JsonObject {
  const blocks = parts.flatMap((part, block) => (isUnsaid(part) ? [block] : []));
  return blocks.length === 0 ? {} : { unsaid: blocks };
}

function userParts(data: Fields): Omit<PartFact, 'block'>[] {
  return [
    prose('text', asText(data['text']) ?? ''),
    ...asObjects(data['files']).map((file) => filePart(asText(file['name']), asText(file['mime']), asText(file['uri']), null)),
    ...asObjects(data['agents']).map((agent) => prose('command', `@${asText(agent['name']) ?? ''}`, { title: `@${asText(agent['name']) ?? ''}` })),
  ];
}

function replyFigures(data: Fields): Partial<MessageFact> {
  return { model: asFilledText(asObject(data['model'])?.['id']), agentName: asFilledText(data['agent']), tokens: tokensOf(data['tokens']) };
}

function replyParts(data: Fields, seq: number | null): { parts: PartFact[]; note: JsonObject } {
  const parts: PartFact[] = [];
  const open: JsonObject[] = [];
  let cleared: number | null = null;
  for (const [block, item] of asList(data['content']).entries()) {
    const content = asObject(item);
    if (!content) continue;
    const text = asText(content['text']) ?? '';
    if (content['type'] === 'text') parts.push({ block, ...prose('text', text) });
    else if (content['type'] === 'reasoning') parts.push({ block, ...prose('reasoning', text, { title: oneLine(text) }) });
    else if (content['type'] === 'tool') {
      const status = asText(asObject(content['state'])?.['status']);
      if (status === 'running' || status === 'pending' || status === 'streaming') open.push({ block, status: status === 'streaming' ? 'pending' : status });
      cleared ??= clearedAt(asObject(content['time'])?.['pruned']);
      parts.push(secondTool(block, content));
    } else parts.push({ block, ...notice(`content of the unknown type ${JSON.stringify(content['type'])}`) });
  }
  const after = asList(data['content']).length;
  const files = asTexts(asObject(data['snapshot'])?.['files']);
  if (files.length > 0) parts.push({ block: after, ...patchPart(files) });
  const error = data['error'] === undefined || data['error'] === null ? null : (messageOf(data['error']) ?? 'an error without words');
  if (error !== null) parts.push({ block: after + 1, ...notice(error, error) });
  const done = isMarked(asObject(data['time'])?.['completed']);
  const finish = asText(data['finish']);
  const isBlank = parts.every(({ kind, text, size }) => kind === 'reasoning' || kind === 'patch' || (kind === 'text' && (size === 0 || text?.trim() === '')));
  // Files it changed, how it failed, and texts without words are no words of the model.
  const silent = parts.filter(({ kind, size }) => kind === 'patch' || kind === 'notice' || (kind !== 'tool' && size === 0)).map(({ block }) => block);
  const note: JsonObject = {
    ...(silent.length === 0 ? {} : { unsaid: silent }),
    seq, done, ...(error === null ? {} : { error: asText(asObject(data['error'])?.['type']) ?? 'error', ...faultNote(data['error']), faultBlock: after + 1 }),
    ...(finish === null ? {} : { finish }), ...(isBlank ? { blank: true } : {}), ...(open.length === 0 ? {} : { tools: open }),
    ...(cleared === null ? {} : { cleared }),
  };
  return { parts, note };
}

/** Output of a call: its texts, or for a file that was read its content. */
export function secondOutput(state: Fields | null): string | null {
  const texts = asObjects(state?.['content']).map((item) => asText(item['text'])).filter((text) => text !== null);
  if (texts.length > 0) return texts.join('\n');
  return errorOf(state) ?? asText(asObject(state?.['structured'])?.['content']);
}

function secondTool(block: number, content: Fields): PartFact {
  const state = asObject(content['state']);
  return toolFact({
    block, tool: asText(content['name']) ?? 'unknown', callId: asText(content['id']), state, input: asObject(state?.['input']), metadata: asObject(state?.['structured']),
    output: secondOutput(state), own: false,
  });
}

function compactionParts(data: Fields): Omit<PartFact, 'block'>[] {
  const reason = asText(data['reason']);
  return [
    { kind: 'compaction', title: reason === 'auto' ? 'compaction, because the context was nearly full' : 'compaction asked for by the person', text: null, size: 0, injected: false },
    prose('summary', asText(data['summary']) ?? ''),
  ];
}
