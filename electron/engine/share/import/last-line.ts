import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/** Bytes at the end of a file in which its last line is looked for. A longer one is not judged. */
const looked = 8 * 1024 * 1024;

/** What a person should know of the end of a file of JSON lines: that its last line is not whole, so the file was cut, or copied while it was written. */
export function lastLineNotes(path: string): string[] {
  const last = lastLine(path);
  if (last === null || last.trim() === '') return [];
  try {
    JSON.parse(last);
    return [];
  } catch {
    return ['The last line is not whole: the file was cut off, or copied while it was written. Later messages are not in it.'];
  }
}

/** What stands behind the last line end; null where it is longer than what is looked at. */
function lastLine(path: string): string | null {
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    const length = Math.min(size, looked);
    const bytes = Buffer.alloc(length);
    readSync(file, bytes, 0, length, size - length);
    const start = bytes.lastIndexOf(10) + 1;
    return start === 0 && size > looked ? null : bytes.subarray(start).toString('utf8');
  } finally {
    closeSync(file);
  }
}
