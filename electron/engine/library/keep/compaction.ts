import { chmodSync, closeSync, existsSync, openSync, rmSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import type { CompactionOutcome, CompactionProgress, CompactionView } from '@shared/model';
import type { Db } from '../database';
import type { Library } from '../library';
import { measure, type Measure, sizeOf } from './room';

/** The copy that is made beside the library, as `CompactionProgress` is told by its size. */
export const compactCopy = (file: string): string => `${file}.compact`;

/** Bytes that stay free on the disk beside what is needed: other programs write there too. */
const margin = 64 * 1024 * 1024;
/** Pages of the search index that are joined at once: between two such steps a wish to stop is heard. */
const joinedPages = 2_000;
/** Pages written at once, for the same reason: 8 MB. */
const writtenPages = 1_000;
/** Copies that are made before it is given up: another connection may write while one is made. */
const attempts = 3;

/** Room that is needed: the copy, and the same again in SQLite's log until it stands in the file. */
const neededFor = ({ pages, pageSize, free }: Measure): number => 2 * Math.max(0, pages * pageSize - free);

/** What compacting would need and give. */
export function compactionView(file: string, whole: Measure, running: CompactionProgress | null): CompactionView {
  const needed = neededFor(whole);
  const available = freeOn(dirname(file));
  return { free: whole.free, needed, available, refusal: refusalOf(needed, available, dirname(file)), running };
}

function refusalOf(needed: number, available: number | null, folder: string): string | null {
  if (available === null || available >= needed + margin) return null;
  return `There is not enough room in ${folder}: ${megabytes(needed + margin)} are needed while it is done, ${megabytes(available)} are free.`;
}

const megabytes = (bytes: number): string => `${Math.ceil(bytes / 1_000_000).toLocaleString('en-US')} MB`;

function freeOn(folder: string): number | null {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return null;
  }
}

export interface CompactionHooks {
  progress(progress: CompactionProgress): void;
  stopped(): boolean;
  /** Bytes free in a folder; left out: asked of the system. */
  available?(folder: string): number | null;
}

/**
 * Makes the file as small as what it holds, and takes out of it for good what was forgotten: the search index is joined, so
 * that words of what was deleted leave it; then a copy without gaps is made beside the library and written back into it in
 * one transaction. Until its end the library is as before, whatever happens; others go on reading it meanwhile.
 */
export async function compact(library: Library, hooks: CompactionHooks): Promise<CompactionOutcome> {
  const { db, file } = library;
  const before = sizeOf(file) + sizeOf(`${file}-wal`);
  const outcome = (rest: Partial<CompactionOutcome>): CompactionOutcome => ({ done: false, cancelled: false, refusal: null, before, after: sizeOf(file) + sizeOf(`${file}-wal`), ...rest });
  const whole = measure(db, file);
  const refusal = refusalOf(neededFor(whole), (hooks.available ?? freeOn)(dirname(file)), dirname(file));
  if (refusal !== null) return outcome({ refusal });
  const copy = compactCopy(file);
  dropCopy(copy);
  try {
    hooks.progress({ phase: 'words', done: 0, total: 0 });
    dropUnusedWords(db);
    library.words.forget();
    if (!(await joinIndex(db, hooks.stopped))) return outcome({ cancelled: true });
    hooks.progress({ phase: 'copy', done: 0, total: whole.pages * whole.pageSize - whole.free });
    await turn();
    if (hooks.stopped()) return outcome({ cancelled: true });
    for (let attempt = 1; attempt <= attempts; attempt++) {
      dropCopy(copy);
      const made = db.pragma('data_version', { simple: true });
      copyInto(db, copy);
      await turn();
      if (hooks.stopped()) return outcome({ cancelled: true });
      const written = await writeBack(copy, library, made, hooks, whole.pageSize);
      if (written === 'stopped') return outcome({ cancelled: true });
      if (written === 'changed') continue;
      library.tidy();
      return outcome({ done: true });
    }
    return outcome({ refusal: 'The library was written to while its copy was made, each time. Try again when it is quiet.' });
  } finally {
    dropCopy(copy);
  }
}

const turn = (): Promise<void> => new Promise((next) => setImmediate(next));

/** A copy that a compaction left which did not come to its end. */
export function dropCopy(copy: string): void {
  for (const end of ['', '-journal', '-wal', '-shm']) if (existsSync(copy + end)) rmSync(copy + end, { force: true });
}

/** Names and reasons that no row uses any more. Numbers are never given out again: readers remember them. */
function dropUnusedWords(db: Db): void {
  db.transaction(() => {
    const last = db.prepare('SELECT max(id) FROM word').pluck().get() as number | null;
    db.prepare(
      `DELETE FROM word WHERE id NOT IN (SELECT type FROM record) AND id NOT IN (SELECT model FROM message WHERE model IS NOT NULL) AND id NOT IN (SELECT agent FROM message WHERE agent IS NOT NULL)
         AND id NOT IN (SELECT reason FROM part WHERE reason IS NOT NULL) AND id NOT IN (SELECT tool FROM part WHERE tool IS NOT NULL) AND id NOT IN (SELECT note FROM part WHERE note IS NOT NULL)`,
    ).run();
    if (last !== null && db.prepare('SELECT max(id) FROM word').pluck().get() !== last) db.prepare("INSERT INTO word(id, text) VALUES (?, char(0) || 'unused ' || ?)").run(last, last);
  })();
}

/** Joins the segments of the search index; what was deleted is left out on the way. False when it was stopped. */
async function joinIndex(db: Db, stopped: () => boolean): Promise<boolean> {
  const step = db.prepare("INSERT INTO search(search, rank) VALUES('merge', ?)");
  const changes = db.prepare('SELECT total_changes()').pluck();
  // Negative: all segments are to be joined, not only those that many others lie beside.
  for (let pages = -joinedPages; ; pages = joinedPages) {
    const before = Number(changes.get());
    step.run(pages);
    await turn();
    if (stopped()) return false;
    if (pages > 0 && Number(changes.get()) - before < 2) return true;
  }
}

function copyInto(db: Db, copy: string): void {
  // This user's alone, as the library is.
  closeSync(openSync(copy, 'wx', 0o600));
  chmodSync(copy, 0o600);
  db.prepare('VACUUM INTO ?').run(copy);
}

/** Written back only over the state that the copy was made of: what another connection wrote since would be lost. */
async function writeBack(copy: string, { db, file }: Library, made: unknown, hooks: CompactionHooks, pageSize: number): Promise<'written' | 'stopped' | 'changed'> {
  const source = new Database(copy, { readonly: true });
  let end: 'written' | 'stopped' | 'changed' = 'written';
  const leave = (why: 'stopped' | 'changed') => {
    end = why;
    throw new Error(why);
  };
  let isFirst = true;
  try {
    await source.backup(file, {
      progress({ totalPages, remainingPages }) {
        // By now it has the library's write lock, so that nothing can come between this and its end.
        if (isFirst && db.pragma('data_version', { simple: true }) !== made) leave('changed');
        isFirst = false;
        hooks.progress({ phase: 'write', done: (totalPages - remainingPages) * pageSize, total: totalPages * pageSize });
        if (hooks.stopped()) leave('stopped');
        return writtenPages;
      },
    });
  } catch (error) {
    if (end === 'written') throw error;
  } finally {
    source.close();
  }
  return end;
}
