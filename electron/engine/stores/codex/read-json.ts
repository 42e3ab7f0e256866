import { readFileSync, statSync } from 'node:fs';
import type { Json, JsonObject, KnownSource, RawBatch } from '../store';
import { batchBytes, recordLimit } from '../store';
import { stampOf, textHash } from './cursor';
import { asList, asObject, asText, parsed } from '../foreign/fields';
import { faultOf, isMissing, type ListedFile } from './listing';
import { type Origin, originOf } from './origin';
import { megabytes } from './whole-lines';

/** What is remembered of a file of the oldest shape: its program writes it anew after every turn. */
export interface JsonCursor {
  stamp: string;
  place: string;
  origin: Origin | null;
  /** Hash of the stream so far. */
  hash: string;
}

export function jsonCursorOf(value: Json | undefined): JsonCursor | null {
  const fields = asObject(value);
  const [stamp, place, hash] = ['stamp', 'place', 'hash'].map((name) => asText(fields?.[name]));
  const origin = asObject(fields?.['origin']);
  const [thread, rollout] = [asText(origin?.['thread']), asText(origin?.['rollout'])];
  if (stamp == null || place == null || hash == null) return null;
  return { stamp, place, hash, origin: thread !== null && rollout !== null ? { thread, rollout, base: null } : null };
}

/**
 * Reads a file of the oldest shape, `{session, items}`, as the lines of the next one: the session, then one line an
 * item. What was read before stays in the stream as long as the new file begins with it.
 */
export function* readJson(file: ListedFile, known: KnownSource | undefined): Iterable<RawBatch> {
  const before = known ? jsonCursorOf(known.cursor) : null;
  const length = known?.length ?? 0;
  const cursor: JsonCursor = { stamp: stampOf(file.stat), place: file.place, origin: before?.origin ?? originOf(file.key, null), hash: before?.hash ?? textHash('') };
  const refuse = (reason: string, stamp = cursor.stamp): RawBatch => ({
    source: file.key, restarts: false, at: length, bytes: new Uint8Array(), cursor: asJson({ ...cursor, stamp }),
    damage: [{ place: file.place, line: null, at: null, bytes: file.stat.size, reason }],
  });
  let text: string;
  try {
    const size = statSync(file.path).size;
    if (size > recordLimit) return yield refuse(`a file of ${megabytes(size)}, over the limit of ${megabytes(recordLimit)}: not read`);
    text = readFileSync(file.path, 'utf8');
  } catch (error) {
    if (!isMissing(error)) yield refuse(`cannot be read: ${faultOf(error)}`);
    return;
  }
  const whole = asObject(parsed(text));
  const session = asObject(whole?.['session']);
  if (!whole || !session) return yield refuse(text.trim() === '' ? 'the file is empty' : 'no valid JSON of a session: cut, or written only in part');
  const lines = [session, ...asList(whole['items'])].map((item) => `${JSON.stringify(item)}\n`);
  const bytes = Buffer.from(lines.join(''));
  const goesOn = before !== null && bytes.length >= length && textHash(bytes.toString('utf8', 0, length)) === before.hash;
  const from = goesOn ? length : 0;
  const read = asJson({ ...cursor, origin: originOf(file.key, session), hash: textHash(bytes.toString('utf8')) });
  yield* inBatches(file.key, bytes.subarray(from), from, before !== null && !goesOn, read);
}

const asJson = (cursor: JsonCursor): JsonObject => JSON.parse(JSON.stringify(cursor)) as JsonObject;

/** Cuts lines that are in memory into batches that begin at `base` in the stream. At least one is given, so that the cursor arrives. */
export function* inBatches(source: string, bytes: Buffer, base: number, restarts: boolean, cursor: JsonObject): Iterable<RawBatch> {
  let from = 0;
  do {
    const near = bytes.length - from > batchBytes ? bytes.indexOf(10, from + batchBytes) : -1;
    const end = near < 0 ? bytes.length : near + 1;
    yield { source, restarts: restarts && from === 0, at: base + from, bytes: bytes.subarray(from, end), cursor, damage: [] };
    from = end;
  } while (from < bytes.length);
}
