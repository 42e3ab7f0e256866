import { readdirSync, readlinkSync, statSync } from 'node:fs';
import { basename } from 'node:path';

/** Open files looked at before giving up: a machine with more answers "unknown", and the slower safe way is taken. */
const looksAtMost = 50_000;

/**
 * Whether a living process has a file open. Linux says so under /proc for processes of the same user (an agent runs as
 * the person does); elsewhere the answer is "unknown".
 */
export function heldOpen(file: string): 'yes' | 'no' | 'unknown' {
  if (process.platform !== 'linux') return 'unknown';
  try {
    const { ino, dev } = statSync(file);
    const name = basename(file);
    const before = holders.get(file);
    if (before !== undefined && isFile(before, name, ino, dev)) return 'yes';
    holders.delete(file);
    let looks = 0;
    for (const pid of readdirSync('/proc')) {
      if (!/^\d+$/.test(pid) || Number(pid) === process.pid) continue;
      for (const descriptor of openFiles(pid)) {
        if (++looks > looksAtMost) return 'unknown';
        if (!isFile(`/proc/${pid}/fd/${descriptor}`, name, ino, dev)) continue;
        holders.set(file, `/proc/${pid}/fd/${descriptor}`);
        return 'yes';
      }
    }
    return 'no';
  } catch {
    return 'unknown';
  }
}

/** The programs that have a file open, by their real paths, as Linux tells of this user's processes; null: it is not told. */
export function programsHolding(file: string): string[] | null {
  if (process.platform !== 'linux') return null;
  try {
    const { ino, dev } = statSync(file);
    const name = basename(file);
    const pids = readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && Number(pid) !== process.pid);
    const holding = pids.filter((pid) => openFiles(pid).some((descriptor) => isFile(`/proc/${pid}/fd/${descriptor}`, name, ino, dev)));
    return [...new Set(holding.map((pid) => readlinkSync(`/proc/${pid}/exe`)))];
  } catch {
    return null;
  }
}

/** Who held a file the last time, to ask there first: a program that is at work is asked for at each look. */
const holders = new Map<string, string>();

function openFiles(pid: string): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`);
  } catch {
    // Ended meanwhile, or another user's.
    return [];
  }
}

function isFile(descriptor: string, name: string, ino: number, dev: number): boolean {
  try {
    if (!readlinkSync(descriptor).endsWith(`/${name}`)) return false;
    const found = statSync(descriptor);
    return found.ino === ino && found.dev === dev;
  } catch {
    return false;
  }
}
