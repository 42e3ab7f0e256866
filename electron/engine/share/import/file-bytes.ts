import { closeSync, openSync, readSync } from 'node:fs';

/** Bytes read at once. */
const chunkBytes = 1 << 20;

/** A file's bytes from an offset on, in chunks; each is its own buffer. */
export function* fileBytes(path: string, from = 0): Iterable<Buffer> {
  const file = openSync(path, 'r');
  try {
    for (let at = from; ; ) {
      const chunk = Buffer.alloc(chunkBytes);
      const read = readSync(file, chunk, 0, chunkBytes, at);
      if (read === 0) return;
      yield chunk.subarray(0, read);
      at += read;
    }
  } finally {
    closeSync(file);
  }
}

/** The same with the place of each chunk, as streams are told. */
export function* placedBytes(path: string): Iterable<{ at: number; bytes: Buffer }> {
  let at = 0;
  for (const bytes of fileBytes(path)) {
    yield { at, bytes };
    at += bytes.length;
  }
}
