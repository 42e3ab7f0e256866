import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';

/** A process that has a file open. */
export interface Holder {
  pid: number;
  name: string;
  file: string;
}

/** Who has files open, as far as the system tells. */
export interface OpenFiles {
  holders: Holder[];
  /** False where the system does not tell. Other users' processes are never told. */
  isKnown: boolean;
}

/** Open files looked at before giving up, as for reading; ms that `lsof` may take. */
const looksAtMost = 50_000;
const lsofPatience = 3_000;

/** Who has one of the files open, this process left out. Linux tells under /proc, macOS by `lsof`, for processes of this user. */
export function holdersOf(files: readonly string[], platform: NodeJS.Platform = process.platform): OpenFiles {
  const wanted = new Map<string, string>();
  for (const file of files) {
    const stats = statSync(file, { throwIfNoEntry: false });
    if (stats) wanted.set(`${stats.dev}:${stats.ino}`, file);
  }
  if (wanted.size === 0) return { holders: [], isKnown: true };
  if (platform === 'linux') return inProc(wanted);
  if (platform === 'darwin') return byLsof([...wanted.values()]);
  return { holders: [], isKnown: false };
}

/** A database with what SQLite keeps beside it. */
export const databaseFiles = (file: string): string[] => [file, `${file}-wal`, `${file}-journal`, `${file}-shm`];

/** `codex (process 4711)`. */
export const sayHolder = ({ name, pid }: Pick<Holder, 'name' | 'pid'>): string => `${name} (process ${pid})`;

/** What was looked at, as a sentence of a plan. */
export function sayOpenFiles(what: string, { holders, isKnown }: OpenFiles): string {
  const [first] = holders;
  if (first) return `${sayHolder(first)} has ${first.file} open.`;
  return isKnown ? `No process of this user has ${what} open.` : `Whether a process has ${what} open is not told by this system.`;
}

function inProc(wanted: ReadonlyMap<string, string>): OpenFiles {
  const holders: Holder[] = [];
  const names = new Set([...wanted.values()].map((file) => file.slice(file.lastIndexOf('/') + 1)));
  let looks = 0;
  try {
    for (const pid of readdirSync('/proc')) {
      if (!/^\d+$/.test(pid) || Number(pid) === process.pid) continue;
      for (const descriptor of descriptorsOf(pid)) {
        if (++looks > looksAtMost) return { holders, isKnown: holders.length > 0 };
        const file = heldBy(`/proc/${pid}/fd/${descriptor}`, names, wanted);
        if (file !== null) holders.push({ pid: Number(pid), name: nameOf(pid), file });
      }
    }
    return { holders, isKnown: true };
  } catch {
    return { holders, isKnown: false };
  }
}

function descriptorsOf(pid: string): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`);
  } catch {
    // Ended meanwhile, or another user's.
    return [];
  }
}

/** Its name is looked at first: following every descriptor would ask every disk. */
function heldBy(descriptor: string, names: ReadonlySet<string>, wanted: ReadonlyMap<string, string>): string | null {
  try {
    const target = readlinkSync(descriptor);
    if (!names.has(target.slice(target.lastIndexOf('/') + 1))) return null;
    const { dev, ino } = statSync(descriptor);
    return wanted.get(`${dev}:${ino}`) ?? null;
  } catch {
    return null;
  }
}

function nameOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
  } catch {
    return 'a process';
  }
}

/** One record a field and line: `p` the process, `c` its command, `n` the file. It ends with 1 where nothing is open. */
function byLsof(files: string[]): OpenFiles {
  try {
    return { holders: readLsof(execFileSync('lsof', ['-w', '-F', 'pcn', '--', ...files], { encoding: 'utf8', timeout: lsofPatience, stdio: ['ignore', 'pipe', 'ignore'] })), isKnown: true };
  } catch (error) {
    const { status, stdout } = error as { status?: number | null; stdout?: string };
    return status === 1 && typeof stdout === 'string' ? { holders: readLsof(stdout), isKnown: true } : { holders: [], isKnown: false };
  }
}

export function readLsof(output: string): Holder[] {
  const holders: Holder[] = [];
  let [pid, name] = [0, 'a process'];
  for (const line of output.split('\n')) {
    const value = line.slice(1);
    if (line.startsWith('p')) pid = Number(value);
    else if (line.startsWith('c')) name = value;
    else if (line.startsWith('n') && pid !== process.pid) holders.push({ pid, name, file: value });
  }
  return holders;
}
