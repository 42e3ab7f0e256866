import type { Damage } from '@shared/model';
import { batchBytes } from '../store';
import type { Text } from './bytes';
import { asObject, parsed } from '../foreign/fields';

/** Bytes that are new, ending with a line; the lines counted; and what could not be taken. */
export interface Piece {
  at: number;
  bytes: Buffer;
  /** Line ends in it. */
  lines: number;
  /** Where reading goes on. Behind `at + bytes` only at the end of a record that is passed over. */
  next: number;
  damage: Omit<Damage, 'place'>[];
  /** The text ends in a line that is still being written. */
  isUnfinished?: true;
}

const lineEnd = 10;
/** A room holds a batch and the line that begins at its end. */
const usualRoom = batchBytes + 1024 * 1024;

/**
 * The lines of a text from an offset on, in pieces of bounded size. A record over `limit` leaves a gap: the text goes
 * on at its line's end. A last line without an end is taken when it is a whole record, else it is named.
 */
export class WholeLines {
  #at: number;
  #line: number;
  #fault: { error: unknown } | null = null;

  constructor(
    readonly bytes: Text,
    from: { offset: number; line: number },
    /** Where the text ends although the file may go on. */
    readonly until: number,
    readonly limit: number,
    /** A last line without an end is still being written. */
    readonly isBeingWritten = false,
  ) {
    this.#at = from.offset;
    this.#line = from.line;
  }

  *pieces(): Iterable<Piece> {
    let room = Buffer.allocUnsafe(this.#roomFor(0));
    let held = 0;
    for (;;) {
      held += this.#fill(room, held);
      const ended = held < room.length || this.#at + held >= this.until;
      let from = 0;
      for (let cut = this.#cut(room, from, held); cut > from; cut = this.#cut(room, from, held)) {
        yield this.#take(room.subarray(from, cut));
        from = cut;
      }
      const rest = room.subarray(from, held);
      if (this.#isTooLong(rest)) {
        yield* this.#passOver(rest);
        room = Buffer.allocUnsafe(this.#roomFor(0));
        held = 0;
        continue;
      }
      if (this.#fault) throw this.#fault.error;
      if (ended) {
        if (rest.length > 0) yield this.#rest(rest);
        return;
      }
      // A piece keeps the room it was read into; the line that it did not take whole moves to a new one.
      room = Buffer.allocUnsafe(this.#roomFor(rest.length));
      rest.copy(room);
      held = rest.length;
    }
  }

  /** No more room than the text can fill, and one byte to see that it ends; a long line doubles it until the limit. */
  #roomFor(held: number): number {
    const left = Math.min(this.until, this.bytes.size ?? Number.POSITIVE_INFINITY) - this.#at;
    return Math.max(held, Math.min(Math.max(usualRoom, Math.min(held * 2, this.limit + usualRoom)), left)) + 1;
  }

  /** Reads until the room is full or the text ends; returns how many bytes came. What came before a fault is given first. */
  #fill(room: Buffer, held: number): number {
    let have = held;
    try {
      while (have < room.length) {
        const got = this.bytes.read(this.#at + have, room, have, Math.min(room.length - have, this.until - this.#at - have));
        if (got === 0) break;
        have += got;
      }
    } catch (error) {
      this.#fault = { error };
    }
    return have - held;
  }

  /** Where the next piece ends: after a line end, near the size of a batch where the room holds more. `from` when there is none. */
  #cut(room: Buffer, from: number, held: number): number {
    if (held === from || this.#isTooLong(room.subarray(from, held))) return from;
    const near = held - from > usualRoom ? room.indexOf(lineEnd, from + batchBytes) : -1;
    const end = near >= 0 && near < held ? near : room.lastIndexOf(lineEnd, held - 1);
    return end < from ? from : end + 1;
  }

  #isTooLong(bytes: Buffer): boolean {
    if (bytes.length <= this.limit) return false;
    const end = bytes.indexOf(lineEnd);
    return end < 0 || end > this.limit;
  }

  #take(bytes: Buffer): Piece {
    const piece = { at: this.#at, bytes, lines: lineEnds(bytes), next: this.#at + bytes.length, damage: [] };
    this.#at = piece.next;
    this.#line += piece.lines;
    return piece;
  }

  #nothing(damage: Omit<Damage, 'place'>): Piece {
    return { at: this.#at, bytes: Buffer.alloc(0), lines: 0, next: this.#at, damage: [damage] };
  }

  /** The last line has no end: the writer is in the middle of it, or died there. */
  #rest(torn: Buffer): Piece {
    if (isBlank(torn) || asObject(parsed(torn.toString('utf8')))) return this.#take(torn);
    if (this.isBeingWritten) return { at: this.#at, bytes: Buffer.alloc(0), lines: 0, next: this.#at, damage: [], isUnfinished: true };
    return this.#nothing({ line: this.#line + 1, at: this.#at, bytes: torn.length, reason: 'cut: the last line ends in the middle of a record' });
  }

  /** A record too long to be held. When its end is not there yet, it is looked at again as the file grows. */
  *#passOver(begun: Buffer): Iterable<Piece> {
    const known = begun.indexOf(lineEnd);
    const end = known >= 0 ? this.#at + known : this.#findLineEnd(this.#at + begun.length);
    const bytes = Math.abs(end) - this.#at;
    yield this.#nothing({ line: this.#line + 1, at: this.#at, bytes, reason: `a record of ${megabytes(bytes)}, over the limit of ${megabytes(this.limit)}: not read` });
    if (end < 0) {
      this.#at = -end;
      return;
    }
    this.#at = end;
    yield this.#take(Buffer.from([lineEnd]));
  }

  /** Offset of the next line end; negative, the end of the text, when there is none. */
  #findLineEnd(from: number): number {
    const block = Buffer.allocUnsafe(1024 * 1024);
    for (let at = from; ; ) {
      const got = this.bytes.read(at, block, 0, Math.min(block.length, this.until - at));
      if (got === 0) return -at;
      const end = block.subarray(0, got).indexOf(lineEnd);
      if (end >= 0) return at + end;
      at += got;
    }
  }
}

function lineEnds(bytes: Uint8Array): number {
  let count = 0;
  for (let at = bytes.indexOf(lineEnd); at >= 0; at = bytes.indexOf(lineEnd, at + 1)) count++;
  return count;
}

const isBlank = (bytes: Buffer): boolean => bytes.every((byte) => byte === 32 || byte === 9 || byte === 13);

export const megabytes = (bytes: number): string => (bytes < 1e6 ? `${bytes.toLocaleString('en-US')} bytes` : `${(bytes / 1e6).toFixed(1)} MB`);
