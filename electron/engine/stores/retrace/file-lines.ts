import { closeSync, openSync, readSync } from 'node:fs';

/** Bytes read at once. */
const windowBytes = 1 << 20;

export interface FileLine {
  /** Of its first byte in the file. */
  offset: number;
  /** With its line end, where it has one; only of the last line it may be missing. */
  bytes: Buffer;
}

/** A line is longer than anybody would write. */
export class LongLineError extends Error {
  override name = 'LongLineError';
  constructor(
    readonly offset: number,
    readonly limit: number,
  ) {
    super(`a line is longer than ${limit} bytes`);
  }
}

/** The lines of a file, one in memory at a time. Throws `LongLineError` at a line over the limit. */
export function* fileLines(file: string, limit: number): Iterable<FileLine> {
  const open = openSync(file, 'r');
  try {
    const window = Buffer.alloc(windowBytes);
    let held: Buffer[] = [];
    let size = 0;
    let offset = 0;
    for (let at = 0, read = readSync(open, window, 0, windowBytes, 0); read > 0; at += read, read = readSync(open, window, 0, windowBytes, at)) {
      for (let from = 0; from < read; ) {
        const end = window.subarray(0, read).indexOf(10, from);
        const to = end < 0 ? read : end + 1;
        // The window is filled anew: what is kept of it is copied.
        held.push(Buffer.from(window.subarray(from, to)));
        size += to - from;
        if (size > limit) throw new LongLineError(offset, limit);
        if (end >= 0) {
          yield { offset, bytes: held.length === 1 ? (held[0] as Buffer) : Buffer.concat(held) };
          offset += size;
          held = [];
          size = 0;
        }
        from = to;
      }
    }
    if (size > 0) yield { offset, bytes: Buffer.concat(held) };
  } finally {
    closeSync(open);
  }
}
