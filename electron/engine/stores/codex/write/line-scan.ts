import { createHash } from 'node:crypto';
import { recordLimit } from '../../store';
import { readFully, type Text } from '../bytes';
import { kindOfLine } from '../rollout';
import { WholeLines } from '../whole-lines';

/** A line of a rollout by what its first bytes tell. */
export interface ScannedLine {
  at: number;
  /** Behind its line end. */
  end: number;
  ordinal: number | null;
  /** Type, and that of its payload: `event_msg/task_complete`. */
  kind: string;
  /** Its first bytes. */
  beginning: string;
}

/** Bytes of a line in which its type, its number and its role stand. */
const beginningBytes = 512;
const numberIn = /^\{"timestamp":"[^"]*","ordinal":(\d+),/;

/** The lines of a text up to an offset, without parsing them; a line over the limit of records is passed over. */
export function* scanLines(bytes: Text, until = Number.POSITIVE_INFINITY): Iterable<ScannedLine> {
  for (const piece of new WholeLines(bytes, { offset: 0, line: 0 }, until, recordLimit).pieces()) {
    let from = 0;
    while (from < piece.bytes.length) {
      const next = piece.bytes.indexOf(10, from);
      const end = next < 0 ? piece.bytes.length : next + 1;
      const beginning = piece.bytes.toString('latin1', from, Math.min(end, from + beginningBytes));
      const ordinal = numberIn.exec(beginning)?.[1];
      yield { at: piece.at + from, end: piece.at + end, ordinal: ordinal === undefined ? null : Number(ordinal), kind: kindOfLine(beginning), beginning };
      from = end;
    }
  }
}

const ends = new Set(['event_msg/task_complete', 'event_msg/turn_complete', 'event_msg/turn_aborted']);
export const endsTurn = ({ kind }: ScannedLine): boolean => ends.has(kind);

const openings = new Set(['session_meta', 'turn_context', 'world_state', 'event_msg/user_message', 'event_msg/task_started', 'event_msg/turn_started', 'event_msg/thread_settings_applied']);
const personal = /"role":"(user|developer|system)"/;

/** Lines that may stand in front of a turn's first message and belong to it: what is put in, the message, its settings. */
export const opensTurn = ({ kind, beginning }: ScannedLine): boolean =>
  openings.has(kind) || ((kind === 'response_item/message' || (!kind.includes('/') && kind !== 'compacted')) && personal.test(beginning));

/** Bytes hashed at a time. */
const blockBytes = 1024 * 1024;

/** SHA-256 in hex of the first bytes of a text; null when it has not so many. */
export function hashOfBeginning(bytes: Text, length: number): string | null {
  const hash = createHash('sha256');
  for (let at = 0; at < length; ) {
    const room = Buffer.allocUnsafe(Math.min(blockBytes, length - at));
    const got = readFully(bytes, at, room, 0);
    if (got === 0) return null;
    hash.update(room.subarray(0, got));
    at += got;
  }
  return hash.digest('hex');
}
