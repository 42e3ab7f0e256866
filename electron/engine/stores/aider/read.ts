import { batchBytes, type KnownSource, type RawBatch, recordLimit } from '../store';
import { type ChatCursor, chatCursor } from './cursor';
import { faultOf, isDiskFault, isMissing, OpenFile, type Stamp, stampOf } from './file';
import { placeOf } from './places';

/**
 * Reads what is new in a history file. The stream's offsets are the file's own: a line over `recordLimit` leaves a gap.
 * Bytes are taken to the end of the file, also of a line that has no end yet; the projector says that it is torn.
 */
export function* readChat(key: string, known: KnownSource | undefined, limit = recordLimit): Iterable<RawBatch> {
  const before = known ? chatCursor(known.cursor) : null;
  let file: OpenFile;
  try {
    file = new OpenFile(key);
  } catch (error) {
    if (!isMissing(error)) yield refusal(key, before, stampOf(key), `cannot be opened: ${faultOf(error)}`);
    return;
  }
  let cursor: ChatCursor | null = null;
  try {
    for (const batch of batchesOf(file, key, known, before, limit)) {
      ({ cursor } = batch);
      yield batch;
    }
  } catch (error) {
    if (!isDiskFault(error)) throw error;
    // Without its stamp the file is tried again in the next pass.
    yield refusal(key, cursor, null, `cannot be read on: ${faultOf(error)}`);
  } finally {
    file.close();
  }
}

function* batchesOf(file: OpenFile, key: string, known: KnownSource | undefined, before: ChatCursor | null, limit: number): Iterable<RawBatch & { cursor: ChatCursor }> {
  const goesOn = before !== null && file.holds(before.read);
  let restarts = known !== undefined && !goesOn;
  let at = goesOn ? before.read.offset : 0;
  let line = goesOn ? before.line : 0;
  const batch = (start: number, bytes: Uint8Array, damage: RawBatch['damage'] = []) => {
    const made = { source: key, restarts, at: start, bytes, cursor: { file: file.stamp, read: file.probe(at), line }, damage };
    restarts = false;
    return made;
  };
  let sent = false;
  while (at < file.stamp.size) {
    const start = at;
    let bytes = file.read(start, batchBytes);
    if (start + bytes.length < file.stamp.size) {
      const cut = bytes.lastIndexOf(10) + 1;
      const end = cut > 0 ? start + cut : (file.lineEnd(start + bytes.length) ?? file.stamp.size);
      if (end - start > limit) {
        const reason = `a line of ${(end - start).toLocaleString('en-US')} bytes, over the limit of ${limit.toLocaleString('en-US')}: not read`;
        yield batch(start, new Uint8Array(), [{ place: placeOf(key), line: line + 1, at: start, bytes: end - start, reason }]);
        // Its end is not there yet: it is looked at again when the file grows.
        if (file.read(end - 1, 1)[0] !== 10) return;
        at = end;
        line++;
        sent = false;
        continue;
      }
      bytes = end - start <= bytes.length ? bytes.subarray(0, end - start) : file.read(start, end - start);
    }
    if (bytes.length === 0) break;
    at = start + bytes.length;
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, end + 1)) line++;
    sent = true;
    yield batch(start, bytes);
  }
  // Even without new bytes the library must learn what the file looks like now.
  if (!sent) yield batch(at, new Uint8Array());
}

/** Nothing could be read: the place is named once, and tried again when the file or its rights change. */
function refusal(key: string, cursor: ChatCursor | null, seen: Stamp | null, reason: string): RawBatch {
  const read = cursor?.read ?? { offset: 0, head: '', tail: '' };
  const file = seen ?? { size: 0, mtimeMs: 0, ctimeMs: 0, ino: 0 };
  return {
    source: key, restarts: false, at: read.offset, bytes: new Uint8Array(), cursor: { file, read, line: cursor?.line ?? 0 },
    damage: [{ place: placeOf(key), line: null, at: read.offset, bytes: null, reason }],
  };
}
