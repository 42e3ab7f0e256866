import Database from 'better-sqlite3';
import {
  accessSync, closeSync, constants, fchmodSync, fstatSync, fsyncSync, ftruncateSync, futimesSync, linkSync, lstatSync, mkdirSync, openSync, readdirSync, readSync, realpathSync, renameSync, rmdirSync, type Stats, statfsSync, unlinkSync,
  utimesSync, writeSync,
} from 'node:fs';

/** What a look at a file tells. Times are ms since 1970. */
export interface DiskFact {
  kind: 'file' | 'folder' | 'link' | 'other';
  size: number;
  mode: number;
  modified: number;
  dev: number;
  ino: number;
  links: number;
}

/**
 * The few calls of the system that guarded writes are made of. All that plans do to disks goes through them, so that a
 * test can let any one of them fail.
 */
export interface FileSystem {
  /** The name itself, not what it may point to; null where there is nothing. */
  look(path: string): DiskFact | null;
  realpath(path: string): string;
  /** Flags of `node:fs` constants; nothing is followed at the last name where the system can tell (`O_NOFOLLOW`). */
  open(path: string, flags: number, mode?: number): number;
  fact(file: number): DiskFact;
  read(file: number, into: Uint8Array): number;
  write(file: number, bytes: Uint8Array): number;
  truncate(file: number, bytes: number): void;
  setMode(file: number, mode: number): void;
  /** ms since 1970. */
  setTime(file: number, modified: number): void;
  setTimeOf(path: string, modified: number): void;
  flush(file: number): void;
  close(file: number): void;
  rename(from: string, to: string): void;
  /** A second name for a file, unlike a rename never in place of another; false where the file system has none. */
  link(from: string, to: string): boolean;
  remove(path: string): void;
  makeFolder(path: string, mode: number): void;
  /** Only an empty one. */
  removeFolder(path: string): void;
  names(folder: string): string[];
  /** This user may make and take away names in the folder. */
  mayWrite(folder: string): boolean;
  /** Bytes an ordinary user can still write on the disk of a folder. */
  free(folder: string): number;
}

/** The machine a plan is applied on. */
export interface Machine {
  files: FileSystem;
  /** Opens a database that is there. `timeout` in ms. */
  database(file: string, options: { timeout: number; readonly?: boolean }): Database.Database;
  /** Milliseconds: how long the library and a store's own writer are waited for, and between two looks at a file that may grow. */
  waits: { journal: number; store: number; looks: number };
  /** Reached this place of an apply: tests end the process here. */
  at(hook: HookPoint): void;
}

/** The places between which an apply can be cut off; `RETRACE_PLAN_HOOK` names one, or one and how often it is passed (`renamed:3`). */
export type HookPoint =
  | 'journaled' | 'backed-up' | 'staged' | 'all-staged' | 'changing' | 'renamed' | 'removed' | 'appending' | 'appended' | 'rows-inserted' | 'rows-committed' | 'program-begun' | 'program-done' | 'changed'
  | 'verified' | 'applied' | 'putting-back' | 'put-back';

const nothingThere = new Set(['ENOENT', 'ENOTDIR']);
const withoutLinks = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

function statsFact(stats: Stats): DiskFact {
  const kind = stats.isSymbolicLink() ? 'link' : stats.isFile() ? 'file' : stats.isDirectory() ? 'folder' : 'other';
  return { kind, size: stats.size, mode: stats.mode & 0o7777, modified: stats.mtimeMs, dev: stats.dev, ino: stats.ino, links: stats.nlink };
}

export const systemFiles: FileSystem = {
  look(path) {
    try {
      return statsFact(lstatSync(path));
    } catch (error) {
      if (nothingThere.has((error as NodeJS.ErrnoException).code ?? '')) return null;
      throw error;
    }
  },
  realpath: (path) => realpathSync.native(path),
  open: (path, flags, mode) => openSync(path, flags | (constants.O_NOFOLLOW ?? 0), mode),
  fact: (file) => statsFact(fstatSync(file)),
  read: (file, into) => readSync(file, into, 0, into.length, null),
  write: (file, bytes) => writeSync(file, bytes, 0, bytes.length, null),
  truncate: (file, bytes) => ftruncateSync(file, bytes),
  setMode: (file, mode) => fchmodSync(file, mode),
  setTime: (file, modified) => futimesSync(file, modified / 1_000, modified / 1_000),
  setTimeOf: (path, modified) => utimesSync(path, modified / 1_000, modified / 1_000),
  flush: (file) => fsyncSync(file),
  close: (file) => closeSync(file),
  rename: (from, to) => renameSync(from, to),
  link(from, to) {
    try {
      linkSync(from, to);
      return true;
    } catch (error) {
      if (withoutLinks.has((error as NodeJS.ErrnoException).code ?? '')) return false;
      throw error;
    }
  },
  remove: (path) => unlinkSync(path),
  makeFolder: (path, mode) => mkdirSync(path, { mode }),
  removeFolder: (path) => rmdirSync(path),
  names: (folder) => readdirSync(folder),
  mayWrite(folder) {
    try {
      accessSync(folder, constants.W_OK | constants.X_OK);
      return true;
    } catch {
      return false;
    }
  },
  free(folder) {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  },
};

/** This machine. A hook that the environment names ends the process at once, as a crash would. */
export function thisMachine(variables: Record<string, string | undefined> = process.env): Machine {
  const [wanted, times = '1'] = (variables['RETRACE_PLAN_HOOK'] ?? '').split(':');
  let left = Number(times);
  return {
    files: systemFiles,
    // A pass of the index holds the library for a few seconds at the most; OpenCode itself waits five for its database.
    waits: { journal: 30_000, store: 5_000, looks: 300 },
    database: (file, { timeout, readonly = false }) => new Database(file, { fileMustExist: true, timeout, readonly }),
    at(hook) {
      if (hook === wanted && --left === 0) process.kill(process.pid, 'SIGKILL');
    },
  };
}
