import { type NativeId, nativeId } from '@shared/model';
import type { EvidenceFact, JsonObject, ProjectInput, Projection } from '../store';
import { oneLine } from './title';

/**
 * An entry of the input or the model history, filed under the run it was made in. These files hold times that the chat
 * history lacks; what was typed or answered is kept as far as it takes to find it there.
 */
export interface WitnessEntry {
  session: NativeId;
  /** Local, ms as if UTC. */
  time: number;
  /** See `wordsOf`. */
  words: string;
  /** First line, to be shown where the chat history has nothing like it; null for an answer. */
  text: string | null;
}

/** One line of a witness's stream. */
export const writeEntry = (entry: WitnessEntry): Buffer => Buffer.from(`${JSON.stringify(entry)}\n`);

/** Slots of the evidence: entries of a run, in the order of the file. */
export const slotOf = { input: 'typed', llm: 'answered' } as const;

export function projectWitness(input: ProjectInput, kind: keyof typeof slotOf): Projection {
  const evidence: EvidenceFact[] = [];
  const buffer = Buffer.from(input.bytes.buffer, input.bytes.byteOffset, input.bytes.byteLength);
  for (let start = 0; start < buffer.length; ) {
    const found = buffer.indexOf(10, start);
    const end = found < 0 ? buffer.length : found;
    const data = entryIn(buffer.toString('utf8', start, end));
    if (data) {
      const { session, ...rest } = data;
      evidence.push({ session, slot: `${slotOf[kind]}:${String(input.at + start).padStart(12, '0')}`, data: rest });
    }
    start = end + 1;
  }
  return { records: [], evidence, removed: [], damage: [], unknown: {}, carry: null };
}

/** Our own writing; a line that is not is passed over. */
function entryIn(line: string): (JsonObject & { session: NativeId }) | null {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return null;
  }
  if (typeof value !== 'object' || value === null) return null;
  const { session, time, words, text } = value as Record<string, unknown>;
  if (typeof session !== 'string' || typeof time !== 'number' || typeof words !== 'string') return null;
  return { session: nativeId(session), time, words, text: typeof text === 'string' ? oneLine(text) : null };
}
