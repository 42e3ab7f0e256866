import { type Entry, isEntry } from './entry';

/** A record's bytes as an object; null when the log holds something else there. */
export function entryIn(bytes: Uint8Array): Entry | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'));
    return isEntry(value) ? value : null;
  } catch {
    return null;
  }
}

/** JSON to look at. Nesting that cannot be written out again is said, not shown. */
export function readable(value: unknown): string {
  try {
    return JSON.stringify(value, null, 2) ?? '';
  } catch {
    return 'nested too deeply to be shown';
  }
}
