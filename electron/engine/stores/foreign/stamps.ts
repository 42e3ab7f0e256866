import { statSync, type Stats } from 'node:fs';

/** State of a file as a text that differs when the file does: size, times, inode. Null when it is not there. */
export function stampOf(file: string): string | null {
  const stats = statOf(file);
  return stats && `${stats.size} ${stats.mtimeMs} ${stats.ctimeMs} ${stats.ino}`;
}

export function statOf(file: string): Stats | null {
  try {
    // Not being there is the usual case for the files beside a database, and must not cost an exception.
    return statSync(file, { throwIfNoEntry: false }) ?? null;
  } catch {
    return null;
  }
}

/** State of a database: its file and what stands in its log. The `-shm` says nothing, and our own reading may touch it. */
export const databaseStamp = (file: string): string => `${stampOf(file)} | ${stampOf(`${file}-wal`)} | ${stampOf(`${file}-journal`)}`;
