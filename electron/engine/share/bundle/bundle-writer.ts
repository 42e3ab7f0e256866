import { createHash, type Hash } from 'node:crypto';

/** Bytes after which a piece is cut, at a line end where lines are not longer than that (docs/bundle.md, "stream"). */
const pieceBytes = 256 * 1024;

/** What a stream is, without its number. */
export interface BundleStream {
  agent: string;
  store: { key: string; folder: string };
  key: string;
  role: 'records' | 'file';
  sessions: string[];
  reader: number;
  gone: boolean;
  whole: boolean;
}

/** Makes the lines of a bundle one after the other, and the end that proves them (docs/bundle.md). */
export class BundleWriter {
  readonly #hash: Hash = createHash('sha256');
  #lines = 0;
  #sessions = 0;
  #streams = 0;
  #bytes = 0;

  /** Any section of one line. */
  line(line: { type: string } & Record<string, unknown>): Buffer {
    const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
    this.#hash.update(bytes);
    this.#lines++;
    if (line.type === 'session') this.#sessions++;
    return bytes;
  }

  /** A stream with its pieces; `content` may have gaps, where `at` is more than the end of what came before. */
  *stream(stream: BundleStream, content: Iterable<{ at: number; bytes: Uint8Array }>): Iterable<Buffer> {
    const number = ++this.#streams;
    yield this.line({ type: 'stream', stream: number, ...stream });
    const hash = createHash('sha256');
    let pieces = 0;
    let total = 0;
    for (const { at, bytes } of content) {
      for (let from = 0; from < bytes.length; ) {
        const to = pieceEnd(bytes, from);
        const piece = bytes.subarray(from, to);
        hash.update(piece);
        yield this.line({ type: 'piece', stream: number, at: at + from, ...encoded(piece) });
        pieces++;
        total += piece.length;
        from = to;
      }
    }
    this.#bytes += total;
    yield this.line({ type: 'stream-end', stream: number, pieces, bytes: total, hash: hash.digest('hex') });
  }

  end(): Buffer {
    const counted = { type: 'end', lines: this.#lines, sessions: this.#sessions, streams: this.#streams, bytes: this.#bytes };
    return Buffer.from(`${JSON.stringify({ ...counted, hash: this.#hash.digest('hex') })}\n`);
  }
}

/** After the last line end within the size; a longer line is cut where a character of UTF-8 begins. */
function pieceEnd(bytes: Uint8Array, from: number): number {
  if (bytes.length - from <= pieceBytes) return bytes.length;
  const end = bytes.lastIndexOf(10, from + pieceBytes - 1);
  if (end >= from) return end + 1;
  let cut = from + pieceBytes;
  while (cut > from + 1 && ((bytes[cut] ?? 0) & 0xc0) === 0x80) cut--;
  return cut;
}

function encoded(bytes: Uint8Array): { text: string } | { base64: string } {
  try {
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    return { base64: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64') };
  }
}
