import { type KnownSource, type RawBatch, recordLimit } from '../store';
import { openBytes } from './bytes';
import { asCursor, continues, type Cursor, cursorOf, Ends, stampOf, unread } from './cursor';
import { firstRecord } from './first-lines';
import { faultOf, isMissing, isReadFault, type ListedFile } from './listing';
import { originOf } from './origin';
import { WholeLines } from './whole-lines';

/** Milliseconds after its last write in which a line without an end is taken for one that is still being written. */
const writingFor = 10_000;

/**
 * Reads what is new in a rollout, as batches of whole lines. Offsets of the stream are offsets of the unpacked text, so
 * that a file may be packed and unpacked, archived and brought back, and its stream goes on.
 */
export function* readRollout(file: ListedFile, known: KnownSource | undefined, limit = recordLimit): Iterable<RawBatch> {
  const before = known ? cursorOf(known.cursor) : null;
  const bytes = attempt(() => openBytes(file.path, file.packed));
  if ('error' in bytes) {
    if (!isMissing(bytes.error)) yield refusal(file, before, stampOf(file.stat), `cannot be opened: ${faultOf(bytes.error)}`);
    return;
  }
  let cursor = before;
  try {
    const goesOn = before !== null && continues(bytes.value, before);
    const origin = (goesOn && before.offset > 0 ? before.origin : null) ?? originOf(file.key, firstRecord(bytes.value));
    const begin = goesOn ? before : unread;
    const ends = new Ends(begin);
    let restarts = before !== null && !goesOn;
    cursor = { ...begin, stamp: stampOf(bytes.value.stat), place: file.place, origin };
    let sent = false;
    const isBeingWritten = !file.packed && Math.abs(Date.now() - bytes.value.stat.mtimeMs) < writingFor;
    for (const piece of new WholeLines(bytes.value, begin, Number.POSITIVE_INFINITY, limit, isBeingWritten).pieces()) {
      ends.add(piece.bytes, piece.at);
      // Without its stamp the file is looked at again at the next pass, grown or not.
      if (piece.isUnfinished) cursor = { ...cursor, stamp: '' };
      cursor = { ...cursor, offset: piece.next, line: cursor.line + piece.lines, ...ends.at(piece.next, bytes.value) };
      yield { source: file.key, restarts, at: piece.at, bytes: piece.bytes, cursor: asCursor(cursor), damage: piece.damage.map((damage) => ({ place: file.place, ...damage })) };
      restarts = false;
      sent = true;
    }
    // Even without new bytes the library must learn what the file looks like now.
    if (!sent) yield { source: file.key, restarts, at: cursor.offset, bytes: new Uint8Array(), cursor: asCursor(cursor), damage: [] };
  } catch (error) {
    if (!isReadFault(error)) throw error;
    // A packed file does not mend itself; a disk is tried again at the next pass.
    yield refusal(file, cursor, file.packed ? stampOf(file.stat) : '', `cannot be read on from byte ${cursor?.offset ?? 0} of its text: ${faultOf(error)}`);
  } finally {
    bytes.value.close();
  }
}

/** Nothing (more) could be read: the place is named once, and tried again when the file or its rights change. */
function refusal(file: ListedFile, cursor: Cursor | null, stamp: string, reason: string): RawBatch {
  const kept: Cursor = { ...(cursor ?? { ...unread, origin: originOf(file.key, null) }), stamp, place: file.place };
  return {
    source: file.key, restarts: false, at: kept.offset, bytes: new Uint8Array(), cursor: asCursor(kept),
    damage: [{ place: file.place, line: null, at: kept.offset, bytes: null, reason }],
  };
}

function attempt<T>(action: () => T): { value: T } | { error: unknown } {
  try {
    return { value: action() };
  } catch (error) {
    return { error };
  }
}
