import { readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { nameOf, numberOf } from '../entry';
import { entryIn } from '../readable';
import { namesIn, textOfEnd } from './on-disk';

/** What a program says of itself in `sessions/<pid>.json` (FORMAT.md, "Who is at work"). */
export interface RunningProgram {
  /** Name of the file. */
  file: string;
  pid: number;
  session: string | null;
  version: string | null;
  /** `elsewhere`: its number counts in another machine or container, so nothing is known of it. */
  state: 'alive' | 'dead' | 'elsewhere';
}

/** Files looked at, and bytes of each. */
const filesAsked = 5_000;
const fileBytes = 64 * 1024;

/** The programs that left a file in the store and have not taken it away. */
export function runningPrograms(root: string): RunningProgram[] {
  const folder = join(root, 'sessions');
  return namesIn(folder).filter((name) => /^\d+\.json$/.test(name)).slice(0, filesAsked).map((file) => {
    const said = entryIn(Buffer.from(textOfEnd(join(folder, file), fileBytes, 'first')));
    const pid = numberOf(said?.['pid']) ?? Number.parseInt(file, 10);
    const state = !sameSpace(nameOf(said?.['pidDomain'])) ? 'elsewhere' : isAlive(pid, nameOf(said?.['procStart'])) ? 'alive' : 'dead';
    return { file, pid, session: nameOf(said?.['sessionId']), version: nameOf(said?.['version']), state };
  });
}

/** A process is told by its number only inside its own space of numbers. */
function sameSpace(domain: string | null): boolean {
  if (domain === null || process.platform !== 'linux') return true;
  try {
    return domain.endsWith(readlinkSync('/proc/self/ns/pid'));
  } catch {
    return true;
  }
}

function isAlive(pid: number, started: string | null): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    // Another user's process is there all the same.
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) return false;
  }
  const since = started === null ? null : startOf(pid);
  return since === null || since === started;
}

/** When a process began, in clock ticks since the machine did; null where the system does not say. */
function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null;
  }
}
