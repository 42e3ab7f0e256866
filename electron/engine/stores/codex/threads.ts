import type { JsonObject, KnownSources } from '../store';
import { textHash } from './cursor';
import { asObject, asText } from '../foreign/fields';
import type { ListedFile } from './listing';
import { threadKey } from './names';
import type { BasePiece } from './read-base';
import type { Base, Origin } from './origin';
import type { Tables } from './tables';

/** A rollout that was found, with where it comes from. */
export interface Rollout {
  file: ListedFile;
  origin: Origin;
}

/** What a fork needs of other files, oldest first, and whether it is there. */
export interface NeededBase extends Base {
  state: 'present' | 'missing' | 'short';
}

export interface ThreadBases {
  /** Key of the rollout that asks for most. */
  key: string;
  needed: NeededBase[];
  pieces: BasePiece[];
}

/** Longest chain of bases that is followed: forks of forks go on and on, and damage can make a circle. */
const longestChain = 1_000;

/** Finds what a thread takes over from rollouts of other threads; null when it begins with itself. */
export function basesOf(rollouts: Rollout[], byRollout: ReadonlyMap<string, Rollout>): ThreadBases | null {
  const own = new Set(rollouts.map(({ origin }) => origin.rollout));
  let longest: { rollout: Rollout; base: Base } | null = null;
  for (const rollout of rollouts) {
    const { base } = rollout.origin;
    if (base && !own.has(base.rollout) && (!longest || base.ordinal > longest.base.ordinal)) longest = { rollout, base };
  }
  if (!longest) return null;
  const needed: NeededBase[] = [];
  const pieces: BasePiece[] = [];
  const seen = new Set<string>();
  for (let base: Base | null = longest.base; base && !seen.has(base.rollout) && seen.size < longestChain; ) {
    const { rollout, ordinal, bytes }: Base = base;
    seen.add(rollout);
    const found = byRollout.get(rollout);
    const isShort = found !== undefined && !found.file.packed && found.file.stat.size < bytes;
    needed.unshift({ rollout, ordinal, bytes, state: found ? (isShort ? 'short' : 'present') : 'missing' });
    if (found) pieces.unshift({ rollout, ordinal, bytes, file: found.file });
    base = found?.origin.base ?? null;
  }
  return { key: longest.rollout.file.key, needed, pieces };
}

/** What is remembered of a thread's line: hashes of its two halves, and whether a table has it. */
export interface ThreadCursor {
  files: string;
  tables: string;
  row: boolean;
}

export function threadCursorOf(known: KnownSources, thread: string): ThreadCursor | null {
  const fields = asObject(known.get(threadKey(thread))?.cursor);
  const [files, tables] = [asText(fields?.['files']), asText(fields?.['tables'])];
  return files === null || tables === null ? null : { files, tables, row: fields?.['row'] === true };
}

/** Where a thread's files lie and what they need: one half of its line. */
export function filesHalf(rollouts: Rollout[], bases: ThreadBases | null): JsonObject {
  return {
    files: rollouts.map(({ file, origin }) => ({ rollout: origin.rollout, place: file.place, archived: file.archived, twins: file.twins })),
    bases: (bases?.needed ?? []).map((base) => ({ ...base })),
  };
}

/** What tables and lists say of a thread: the other half. */
export function tablesHalf(thread: string, tables: Tables, names: ReadonlyMap<string, string>): JsonObject {
  const spawned = tables.spawned.get(thread);
  return {
    tables: tables.names,
    rows: (tables.rows.get(thread) ?? []).map(({ table, hasNames, columns }) => ({ table, hasNames, columns })),
    ...(names.get(thread) ? { name: names.get(thread) ?? '' } : {}),
    ...(spawned ? { spawned: { ...spawned } } : {}),
  };
}

export const halfHash = (half: JsonObject): string => textHash(JSON.stringify(half));

export const threadLine = (thread: string, files: JsonObject, tables: JsonObject): Buffer =>
  Buffer.from(`${JSON.stringify({ retrace: 'thread', thread, ...files, ...tables })}\n`);
