import { readSync } from 'node:fs';
import { constants, createZstdDecompress } from 'node:zlib';

/** Packed bytes given to the decoder at a time. One kilobyte can hold megabytes: more at a time would be more in memory. */
const stepBytes = 4 * 1024;
/** Bytes one step may unfold to; text never comes near it. */
const unfoldedAtMost = 256 * 1024 * 1024;

/** Names of Node's own that its types do not have. */
const stepName = '_processChunk';
const handleName = '_handle';

/**
 * Unpacks a zstd file step by step without promises, since a batch is asked for, not awaited. Node offers a stream
 * (asynchronous) and a function (the whole file in memory); between them lies the step of the stream, of which the
 * function is made. It closes the stream's handle each time; as `minizlib` (under npm's `tar`) does, the handle is
 * kept open for the next step.
 */
export class ZstdReader {
  readonly #stream;
  readonly #step: (packed: Uint8Array, flush: number) => Buffer;
  readonly #handle: unknown;
  readonly #packed = Buffer.allocUnsafe(stepBytes);
  #unfolded: Buffer = Buffer.alloc(0);
  #at = 0;
  #ended = false;

  constructor(readonly fd: number) {
    const stream = createZstdDecompress({ chunkSize: 256 * 1024, maxOutputLength: unfoldedAtMost });
    const step: unknown = Reflect.get(stream, stepName);
    const handle: unknown = Reflect.get(stream, handleName);
    if (typeof step !== 'function' || typeof handle !== 'object' || handle === null) throw new Error('this runtime cannot unpack zstd step by step');
    Reflect.set(handle, 'close', () => undefined);
    // Each step adds a listener and never takes it away.
    stream.setMaxListeners(0);
    this.#stream = stream;
    this.#handle = handle;
    this.#step = (packed, flush) => Reflect.apply(step, stream, [packed, flush]) as Buffer;
  }

  /** Fills `target` with what comes next; returns how many bytes came, 0 at the end. Throws what zlib throws. */
  read(target: Buffer, start: number, length: number): number {
    while (this.#unfolded.length === 0 && !this.#ended) this.#unfold();
    const count = this.#unfolded.copy(target, start, 0, Math.min(length, this.#unfolded.length));
    this.#unfolded = this.#unfolded.subarray(count);
    return count;
  }

  #unfold(): void {
    const got = readSync(this.fd, this.#packed, 0, stepBytes, this.#at);
    this.#ended = got === 0;
    if (this.#ended) return;
    Reflect.set(this.#stream, handleName, this.#handle);
    // The room of the answer is used again at the next step; everything is copied out before.
    this.#unfolded = this.#step(this.#packed.subarray(0, got), constants.ZSTD_e_continue);
    // At the end of a frame the rest of the step is a frame of its own.
    const used = this.#stream.bytesWritten;
    this.#at += used > 0 ? Math.min(got, used) : got;
  }
}
