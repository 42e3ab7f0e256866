import type { JsonObject, PartFact } from '../store';
import { contentOf, reasoningOf, textOf } from './content';
import type { Conversation } from './conversation';
import { asFilledText, asObject, asObjects, asText, type Fields, parsed } from '../foreign/fields';
import { digestOf } from './fields';
import { agentMessageText } from './responses';
import { textPart } from './scribe';

/** How the summary is introduced to the next model. */
const introduction = /^Another language model started to solve this problem[\s\S]*?own analysis:\s*/;

/** Messages of a replacement history that a record's note names. Codex keeps messages of the person up to 20,000 tokens, so there are fewer. */
const keptAtMost = 2000;

/** The summary without the words that introduce it. Compaction by the provider leaves none. */
export const summaryOf = (payload: Fields): string => (asText(payload['message']) ?? '').replace(introduction, '');

/** A compaction and the summary that stands for what was before. The history it repeats is not shown again. */
export function compactedParts(payload: Fields): PartFact[] {
  const summary = summaryOf(payload);
  const mark: PartFact = { block: 0, kind: 'compaction', title: 'Compacted', text: null, size: 0, injected: false };
  return asFilledText(summary) === null ? [mark] : [mark, textPart('summary', summary, 1)];
}

/**
 * What the model gets from then on, as a note keeps it: of each item its role, its size, and the digest of what the
 * person says in it (0: nothing). Null where the record does not tell.
 */
export function historyOf(payload: Fields): JsonObject {
  const items = historyItems(payload);
  if (!items) return {};
  const message = asText(payload['message']);
  const texts = items.slice(0, keptAtMost).map(historyText);
  const summary = message === null ? -1 : texts.lastIndexOf(message);
  const history = items.slice(0, keptAtMost).map((item, place) => [roleOf(item), (texts[place] ?? '').length, saidIn(item)]);
  return { history, ...(summary < 0 ? {} : { summary }), ...(items.length > keptAtMost ? { more: items.length - keptAtMost } : {}) };
}

const historyItems = (payload: Fields): Fields[] | null => (Array.isArray(payload['replacement_history']) ? asObjects(payload['replacement_history']) : null);

const roleOf = (item: Fields): string => (item['type'] !== 'message' ? 'assistant' : item['role'] === 'user' || item['role'] === 'assistant' ? item['role'] : 'system');

function saidIn(item: Fields): number {
  if (item['type'] !== 'message' || item['role'] !== 'user') return 0;
  const text = textOf(contentOf(item));
  return text === '' ? 0 : digestOf(text);
}

/** One item of a replacement history, for reading. */
function historyText(item: Fields): string {
  if (item['type'] === 'message') return contentOf(item).map(({ text, image }) => (image === null ? (text ?? '') : '(picture)')).join('\n');
  if (item['type'] === 'agent_message') return agentMessageText(item);
  return asText(item['encrypted_content']) === null ? JSON.stringify(item) : encrypted;
}

/** Text of a message that is sent from a record of its own: an item of a replacement history, or reasoning. */
export function contextText(record: Uint8Array, item: number): string {
  const payload = asObject(asObject(parsed(Buffer.from(record.buffer, record.byteOffset, record.byteLength).toString('utf8')))?.['payload']);
  if (!payload) return '';
  const found = payload['type'] === undefined ? historyItems(payload)?.[item] : payload;
  if (!found) return '';
  return found['type'] === 'reasoning' ? asFilledText(reasoningOf(found)) ?? encrypted : historyText(found);
}

/** Stands for what only the provider can read. */
const encrypted = '(encrypted)';

export function showCompacted(conversation: Conversation, parts: PartFact[], note: JsonObject): void {
  const { scribe } = conversation;
  conversation.close();
  scribe.carry.compacted = true;
  scribe.carry.fresh = true;
  const message = scribe.message(scribe.nextMessage(scribe.carry.turn), 'system', {});
  scribe.record('compacted', { message, parts, note });
}
