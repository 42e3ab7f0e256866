import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';

/** Bytes of a piece: about so many, and fewer than twice as many. */
const pieceBytes = 256 * 1024;
/** Bytes after which what was written is handed on. */
const chunkBytes = 64 * 1024;

/** Writes the lines of a bundle (docs/bundle.md): keeps the count and the hash that its last line tells. */
export class BundleFile {
  readonly #hash = createHash('sha256');
  #lines = 0;
  #bytes = 0;
  #held: string[] = [];
  #size = 0;

  constructor(readonly change: (text: string) => string) {}

  line(value: { type: string } & Record<string, unknown>): void {
    this.#add(`${this.change(JSON.stringify(value))}\n`);
  }

  /** The lines of one stream; gives what its last line says. `windows` are its bytes as they leave. */
  async *stream(number: number, head: Record<string, unknown>, windows: AsyncIterable<{ at: number; bytes: Uint8Array }>): AsyncIterable<string> {
    this.line({ type: 'stream', stream: number, ...head });
    const hash = createHash('sha256');
    let pieces = 0;
    let bytes = 0;
    let end = 0;
    for await (const window of windows) {
      // Masks may be longer than what they stand for: what follows moves on.
      let at = Math.max(window.at, end);
      for (const piece of cut(window.bytes)) {
        hash.update(piece);
        this.line({ type: 'piece', stream: number, at, ...content(piece) });
        at += piece.length;
        bytes += piece.length;
        pieces++;
        yield* this.full();
      }
      end = at;
    }
    this.#bytes += bytes;
    this.line({ type: 'stream-end', stream: number, pieces, bytes, hash: hash.digest('hex') });
  }

  /** The last line. */
  end(counts: { sessions: number; streams: number }): void {
    const value = { type: 'end', lines: this.#lines, ...counts, bytes: this.#bytes, hash: this.#hash.copy().digest('hex') };
    this.#add(`${JSON.stringify(value)}\n`);
  }

  #add(line: string): void {
    this.#hash.update(line);
    this.#lines++;
    this.#held.push(line);
    this.#size += line.length;
  }

  /** What was written, when that is much or `all` is asked for. */
  *full(all = false): Iterable<string> {
    if (this.#size === 0 || (!all && this.#size < chunkBytes)) return;
    const text = this.#held.join('');
    this.#held = [];
    this.#size = 0;
    yield text;
  }
}

const content = (piece: Uint8Array): { text: string } | { base64: string } => {
  const buffer = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
  return isUtf8(piece) ? { text: buffer.toString('utf8') } : { base64: buffer.toString('base64') };
};

/** Pieces that end where a line does; a longer line is cut where a character ends. */
function* cut(bytes: Uint8Array): Iterable<Uint8Array> {
  for (let start = 0; start < bytes.length; ) {
    const end = cutAt(bytes, start);
    yield bytes.subarray(start, end);
    start = end;
  }
}

function cutAt(bytes: Uint8Array, start: number): number {
  if (bytes.length - start <= pieceBytes) return bytes.length;
  const line = bytes.lastIndexOf(10, start + pieceBytes) + 1;
  if (line > start) return line;
  let end = start + pieceBytes;
  for (let back = 0; back < 3 && ((bytes[end] ?? 0) & 0xc0) === 0x80; back++) end--;
  return end;
}
