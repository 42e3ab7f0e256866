import { createReadStream, createWriteStream, mkdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { beginningOf } from './recognise';
import { type NotTaken, notTaken } from './taken-in';

/** Bytes that may come out of a packed file: as many as of an answer that is fetched. */
export const unpackedLimit = 1_073_741_824;

const isGzip = (bytes: Buffer): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b;

/** By the mark at its beginning, which programs on Windows write. */
function utf16Of(bytes: Buffer): 'utf-16le' | 'utf-16be' | null {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  return bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : null;
}

/**
 * Where a file lies as UTF-8 that is not packed: where it is, or a copy in `work` of one that was packed with gzip or is
 * UTF-16, as PowerShell 5 writes what a program prints. What lies beside a file does not come along with a copy.
 */
export async function plainFile(path: string, work: string, signal: AbortSignal, limit = unpackedLimit): Promise<string | NotTaken> {
  let at = path;
  if (isGzip(beginningOf(at))) {
    const unpacked = placeFor(work, 'unpacked', basename(at).replace(/\.gz$/i, ''));
    const refused = await unpack(at, unpacked, signal, limit);
    if (refused !== null) return notTaken(refused);
    at = unpacked;
  }
  const encoding = utf16Of(beginningOf(at));
  if (encoding === null) return at;
  const text = placeFor(work, 'text', basename(at));
  await pipeline(createReadStream(at), (chunks: AsyncIterable<Buffer>) => decoded(chunks, encoding), createWriteStream(text, { mode: 0o600, flags: 'wx' }), { signal });
  return text;
}

function placeFor(work: string, folder: string, name: string): string {
  mkdirSync(join(work, folder), { mode: 0o700 });
  return join(work, folder, name === '' ? 'session' : name);
}

async function unpack(from: string, to: string, signal: AbortSignal, limit: number): Promise<string | null> {
  let bytes = 0;
  const within = async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      bytes += chunk.length;
      if (bytes > limit) throw new TooLarge();
      yield chunk;
    }
  };
  try {
    await pipeline(createReadStream(from), createGunzip(), within, createWriteStream(to, { mode: 0o600, flags: 'wx' }), { signal });
    return null;
  } catch (error) {
    rmSync(to, { force: true });
    if (error instanceof TooLarge) return `Unpacked the file has more than ${limit.toLocaleString('en')} bytes: it is not taken in.`;
    const code = (error as NodeJS.ErrnoException).code ?? '';
    if (code === 'Z_BUF_ERROR') return 'The packed file (gzip) was cut off; get it once more.';
    if (code.startsWith('Z_')) return 'The packed file (gzip) is damaged; get it once more.';
    throw error;
  }
}

class TooLarge extends Error {
  override name = 'TooLarge';
}

async function* decoded(chunks: AsyncIterable<Buffer>, encoding: 'utf-16le' | 'utf-16be'): AsyncIterable<string> {
  const decoder = new TextDecoder(encoding);
  for await (const chunk of chunks) yield decoder.decode(chunk, { stream: true });
  yield decoder.decode();
}
