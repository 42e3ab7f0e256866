import { readdirSync } from 'node:fs';

/** Told of a folder that is there and may not be looked into, with the reason in words. */
export type Refused = (folder: string, reason: string) => void;

/** Names in a folder; none when it is not there. One that may not be looked into has none either, and is told of. */
export function namesIn(folder: string, refused?: Refused): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (code !== 'ENOENT' && code !== 'ENOTDIR') refused?.(folder, words[code] ?? (code || String(error)));
    return [];
  }
}

const words: Record<string, string> = { EACCES: 'permission denied', EPERM: 'permission denied', EIO: 'the disk reports an error', ELOOP: 'its links go in a circle', EMFILE: 'too many files are open' };
