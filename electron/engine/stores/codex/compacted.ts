import type { PartFact } from '../store';
import { contentOf, textOf } from './content';
import type { Conversation } from './conversation';
import { asFilledText, asObjects, asText, type Fields } from '../foreign/fields';
import { digestOf } from './fields';
import { textPart } from './scribe';

/** How the summary is introduced to the next model. */
const introduction = /^Another language model started to solve this problem[\s\S]*?own analysis:\s*/;

/** Kept messages named in a record's note; more are not needed to tell what the model still sees. */
const keptAtMost = 400;

/** The summary without the words that introduce it. Compaction by the provider leaves none. */
export const summaryOf = (payload: Fields): string => (asText(payload['message']) ?? '').replace(introduction, '');

/** A compaction and the summary that stands for what was before. The history it repeats is not shown again. */
export function compactedParts(payload: Fields): PartFact[] {
  const summary = summaryOf(payload);
  const mark: PartFact = { block: 0, kind: 'compaction', title: 'Compacted', text: null, size: 0, injected: false };
  return asFilledText(summary) === null ? [mark] : [mark, textPart('summary', summary, 1)];
}

/** Messages of the person that the model goes on seeing: `replacement_history` repeats them. Null where it is not recorded. */
export function keptOf(payload: Fields): number[] | null {
  if (!Array.isArray(payload['replacement_history'])) return null;
  const kept: number[] = [];
  for (const item of asObjects(payload['replacement_history'])) {
    if (item['type'] !== 'message' || item['role'] !== 'user' || kept.length >= keptAtMost) continue;
    const text = textOf(contentOf(item));
    if (text !== '') kept.push(digestOf(text));
  }
  return kept;
}

export function showCompacted(conversation: Conversation, parts: PartFact[], kept: number[] | null): void {
  const { scribe } = conversation;
  conversation.close();
  scribe.carry.compacted = true;
  scribe.carry.fresh = true;
  const message = scribe.message(scribe.nextMessage(scribe.carry.turn), 'system', {});
  scribe.record('compacted', { message, parts, note: kept ? { kept } : {} });
}
