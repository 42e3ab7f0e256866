import { constants, copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { namesIn } from './names';
import { databaseStamp } from './stamps';

/** A private copy of a database with what stands in its log; the caller discards it. */
export interface DatabaseCopy {
  file: string;
  discard(): void;
}

const attempts = 4;
/** Followed by the process that made it. */
const prefix = 'retrace-read-';

/** Copies database, then log, into a folder only this user may read; null when the store was written each time. */
export function copyOf(file: string): DatabaseCopy | null {
  sweepOnce();
  const folder = mkdtempSync(join(tmpdir(), `${prefix}${process.pid}-`));
  temporary.add(folder);
  const discard = () => {
    rmSync(folder, { recursive: true, force: true });
    temporary.delete(folder);
  };
  try {
    for (let attempt = 0; attempt < attempts; attempt++) {
      const before = databaseStamp(file);
      copyAll(file, join(folder, 'copy.db'));
      if (databaseStamp(file) === before) return { file: join(folder, 'copy.db'), discard };
    }
  } catch (error) {
    discard();
    throw error;
  }
  discard();
  return null;
}

/** The database first: what is checkpointed meanwhile changes it, and then both are copied again. */
function copyAll(file: string, target: string): void {
  copyFileSync(file, target, constants.COPYFILE_FICLONE);
  for (const suffix of ['-wal', '-journal']) {
    rmSync(target + suffix, { force: true });
    if (existsSync(file + suffix)) copyFileSync(file + suffix, target + suffix, constants.COPYFILE_FICLONE);
  }
}

const temporary = new Set<string>();
process.once('exit', () => {
  for (const folder of temporary) rmSync(folder, { recursive: true, force: true });
});

let swept = false;

/** Copies of a process that was killed stay behind; the next one takes them away. */
function sweepOnce(): void {
  if (swept) return;
  swept = true;
  for (const name of namesIn(tmpdir())) {
    const pid = name.startsWith(prefix) ? Number(name.slice(prefix.length).split('-')[0]) : 0;
    if (pid > 0 && !isAlive(pid)) rmSync(join(tmpdir(), name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Another user's process may not be asked, but it is there.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
