import { readFully, type Text } from './bytes';
import { asObject, type Fields, parsed } from '../foreign/fields';

/** Bytes looked at in search of the first line's end: base instructions and tools stand in it, often 60 kB. */
const firstLineAtMost = 4 * 1024 * 1024;

/** Bytes looked at first; four times as many at each further step. */
const firstStep = 16 * 1024;

/** The first record of a text; null when it is none. Read in growing steps. */
export function firstRecord(bytes: Text): Fields | null {
  for (const record of firstRecords(bytes, 1)) return record;
  return null;
}

/** The first records of a text, in steps that grow: at least so many, and as many more as lie in the first 256 kB. Lines that are none are passed over. */
export function* firstRecords(bytes: Text, atLeast: number): Iterable<Fields> {
  let room = Buffer.allocUnsafe(Math.min(firstStep, bytes.size ?? firstStep) + 1);
  let held = 0;
  let from = 0;
  let given = 0;
  for (;;) {
    held = readFully(bytes, held, room, held);
    for (let end = room.indexOf(10, from); end >= 0 && end < held; end = room.indexOf(10, from)) {
      const record = asObject(parsed(room.toString('utf8', from, end)));
      from = end + 1;
      if (!record) continue;
      given++;
      yield record;
    }
    if (held < room.length) {
      const last = asObject(parsed(room.toString('utf8', from, held)));
      if (last) yield last;
      return;
    }
    if (room.length >= firstLineAtMost || (given >= atLeast && room.length >= 256 * 1024)) return;
    const larger = Buffer.allocUnsafe(room.length * 4);
    room.copy(larger, 0, 0, held);
    room = larger;
  }
}
