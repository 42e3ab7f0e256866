import type { Making } from '../../store';
import { dataText } from './data';
import type { Kept } from './kept';
import { withoutMember, withTexts } from './members';
import { NewIds } from './new-ids';

/** New ids of what is copied, by the old ones. */
export interface NewNames {
  session: string;
  messages: Map<string, string>;
  parts: Map<string, string>;
}

/** Names all that goes into a fork, in its order: ids sort as the messages and parts do. */
export function namesFor(kept: Kept, making: Making): NewNames {
  const count = 1 + kept.messages.reduce((sum, { parts }) => sum + 1 + parts.length, 0);
  const ids = new NewIds(making.now, making.random, count);
  const names: NewNames = { session: ids.descending('ses'), messages: new Map(), parts: new Map() };
  for (const { key, parts } of kept.messages) {
    names.messages.set(key, ids.ascending('msg'));
    for (const part of parts) names.parts.set(part.key ?? '', ids.ascending('prt'));
  }
  return names;
}

/** Data of a copied message: as it was, but for the ids it names. Rows that came from the JSON layouts hold their own once more. */
export function messageData(line: Uint8Array, { session, messages }: NewNames): string {
  const renamed = (id: string) => messages.get(id) ?? id;
  return withTexts(dataText(line) ?? '{}', { id: renamed, sessionID: () => session, parentID: renamed });
}

/** Data of a copied part. An output that OpenCode cleared after the point is whole there: the text itself was kept. */
export function partData(line: Uint8Array, { session, messages, parts }: NewNames, isCleared: boolean): string {
  const renamed = (id: string) => messages.get(id) ?? id;
  const data = withTexts(dataText(line) ?? '{}', { id: (id) => parts.get(id) ?? id, sessionID: () => session, messageID: renamed, tail_start_id: renamed });
  return isCleared ? withoutMember(data, ['state', 'time', 'compacted']) : data;
}
