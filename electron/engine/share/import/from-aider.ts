import { aider } from '../../stores/aider';
import type { Json } from '../../stores/store';
import { placedBytes } from './file-bytes';
import { type NotTaken, notTaken, type TakenIn } from './taken-in';

/** Takes in a chat history of Aider: all runs in it; the last one is the session that was meant. Ids are made of the path it had here. */
export function takeAider(path: string): TakenIn | NotTaken {
  const sessions = new Set<string>();
  let carry: Json = null;
  for (const { at, bytes } of wholeLines(path)) {
    const projection = aider.project({ source: path, at, bytes, carry });
    carry = projection.carry;
    for (const { session } of [...projection.records, ...projection.evidence]) sessions.add(session);
  }
  const all = [...sessions];
  const root = all.at(-1);
  if (root === undefined) return notTaken('The history holds no run of Aider.');
  const notes = all.length > 1 ? [`The history holds ${all.length} runs: all are taken in, the last is the one that opens.`] : [];
  return {
    kind: 'aider history', agent: 'aider', root, title: null, sessions: all.map((nativeId) => ({ nativeId, title: null })), streams: [{ key: path, role: 'records', sessions: all, content: () => wholeLines(path) }], bundle: null, damage: [], notes,
  };
}

/** Batches end where a line ends, as the reader of the store gives them. */
function* wholeLines(path: string): Iterable<{ at: number; bytes: Buffer }> {
  let held = Buffer.alloc(0);
  let at = 0;
  for (const chunk of placedBytes(path)) {
    const all = Buffer.concat([held, chunk.bytes]);
    const end = all.lastIndexOf(10) + 1;
    if (end > 0) yield { at, bytes: all.subarray(0, end) };
    held = all.subarray(end);
    at += end;
  }
  if (held.length > 0) yield { at, bytes: held };
}
