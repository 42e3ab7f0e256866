/** A line of a history file. Offsets are bytes in the file, which is the stream. */
export interface Line {
  at: number;
  /** Where its line end begins (the LF); the end of what is there for a torn line. */
  stop: number;
  /** Without the LF; a CR before it is still there, since only the run can tell whose it is. */
  text: string;
  /** The file ends before the line does: cut, or being written. */
  torn: boolean;
}

const lineFeed = 10;

/** Cuts bytes into lines. Bytes that are not UTF-8 become U+FFFD each, as every reader shows them. */
export function linesOf(bytes: Uint8Array, at: number): Line[] {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const lines: Line[] = [];
  for (let start = 0; start < buffer.length; ) {
    const found = buffer.indexOf(lineFeed, start);
    const stop = found < 0 ? buffer.length : found;
    lines.push({ at: at + start, stop: at + stop, text: buffer.toString('utf8', start, stop), torn: found < 0 });
    start = stop + 1;
  }
  return lines;
}

/** Without the CR of a file written on Windows. In another file a CR belongs to the text (FORMAT.md, "Line ends"). */
export const withoutReturn = (text: string, crlf: boolean): string => (crlf && text.endsWith('\r') ? text.slice(0, -1) : text);

/** Where a line's text ends. */
export const stopOf = (line: Line, crlf: boolean): number => (crlf && line.text.endsWith('\r') ? line.stop - 1 : line.stop);

const replacement = '\ufffd';
const written = Buffer.from(replacement);

/** Bytes of a line that are not UTF-8: where the first one is, and how many. Null when there are none. */
export function foreignBytes(line: Buffer): { at: number; bytes: number } | null {
  const text = line.toString('utf8');
  let first = -1;
  let place = 0;
  for (const letter of text) {
    // A U+FFFD may also have been written as such.
    if (letter === replacement && !line.subarray(place, place + written.length).equals(written)) {
      first = place;
      break;
    }
    place += Buffer.byteLength(letter);
  }
  if (first < 0) return null;
  const shown = text.split(replacement).length - 1;
  let genuine = 0;
  for (let at = line.indexOf(written); at >= 0; at = line.indexOf(written, at + written.length)) genuine++;
  return { at: first, bytes: line.length - (Buffer.byteLength(text) - (shown - genuine) * written.length) };
}
