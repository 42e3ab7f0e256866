import Database from 'better-sqlite3';
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { ContextBlock, Draft, Making, RowsStep, SessionToWrite, WritePoint, WriteRefusal } from '../../store';
import { hasNoEnd } from '../interruption';
import { opencode } from '../index';
import type { TestLibrary } from '../library.test-support';
import { unitsOf } from '../order';

/** A session of a library in memory as the plans hand it to a writer. */
export function toWrite(library: TestLibrary, native: string): SessionToWrite {
  const session = library.session(native);
  const spine = { session: session.native, records: session.spine, evidence: session.evidence, now: library.now };
  return {
    location: library.location, native: session.native, facts: session.facts, folder: session.facts.directory, spine, settled: session.settled, isLive: true,
    record(index) {
      const held = session.held[index];
      const bytes = held && library.bytes(held.source, held.at, held.bytes);
      if (!bytes) throw new Error(`no bytes of record ${index}`);
      return bytes;
    },
    file: (key) => library.bytes(key),
  };
}

/** The point before a message, by its id; null: the end. */
export function pointBefore({ spine, settled }: SessionToWrite, key: string | null): WritePoint {
  const branch = settled.branches.findIndex(({ current }) => current);
  const path = settled.branches[branch]?.path ?? [];
  const at = key === null ? path.length : path.findIndex((index) => spine.records[index]?.messageKey === key);
  if (at < 0) throw new Error(`no message ${key}`);
  return { branch: Math.max(0, branch), path, before: key === null ? null : (path[at] ?? null), kept: path.slice(0, at) };
}

/** Ids of the prompts of a session, in order. */
export const promptsOf = ({ spine, settled }: SessionToWrite): string[] => {
  const there = new Set(settled.branches.flatMap(({ path }) => path));
  return unitsOf(spine.records.filter(({ index }) => there.has(index))).filter(({ message, generation }) => generation === 1 && message?.role === 'user').map(({ key }) => key);
};

/** The reply at the end that has no end, which forks leave out. */
export function unfinishedAtEnd({ spine, settled }: SessionToWrite, { kept }: WritePoint): string | null {
  const wanted = new Set(kept);
  const last = unitsOf(spine.records.filter(({ index }) => wanted.has(index) && settled.records[index]?.state !== 'reverted')).findLast(({ message }) => message !== null);
  return last && hasNoEnd(last) ? last.key : null;
}

/** Chance that is the same in each run. */
export function making(now: number, seed = 1): Making {
  let state = seed;
  return { now, random: (bytes) => Uint8Array.from({ length: bytes }, () => (state = (state * 1_103_515_245 + 12_345) % 2_147_483_648) >>> 16) };
}

export function drawn(draft: Draft | WriteRefusal): Draft {
  if ('refused' in draft) throw new Error(draft.refused);
  return draft;
}

/** Does what the plans do with steps of rows and files, in short. */
export function applyDraft({ steps }: Draft): void {
  for (const step of steps) {
    if (step.kind === 'rows') applyRows(step);
    if (step.kind !== 'file' || step.after === null || !('content' in step.after)) continue;
    mkdirSync(dirname(step.path), { recursive: true });
    writeFileSync(step.path, Buffer.concat([...step.after.content.pieces()]), { flag: 'wx' });
  }
}

function applyRows({ database, schema, expects, inserts }: RowsStep): void {
  const db = new Database(database, { fileMustExist: true });
  try {
    db.pragma('foreign_keys = ON');
    // What a crash leaves is tested by the plans: here nothing waits for the disk.
    db.pragma('synchronous = OFF');
    db.transaction(() => {
      for (const [table, columns] of Object.entries(schema)) {
        const now = db.prepare<[string], string>('SELECT name FROM pragma_table_info(?) ORDER BY name').pluck().all(table);
        if (now.join() !== columns.join()) throw new Error(`another schema: ${table}`);
      }
      for (const { sql, parameters, value } of expects) {
        const now = db.prepare(sql).pluck().get(...parameters);
        if (now !== value) throw new Error(`changed: ${sql} gives ${String(now)}, not ${String(value)}`);
      }
      for (const { table, count, rows } of inserts) {
        let added = 0;
        const statements = new Map<string, Database.Statement>();
        for (const row of rows()) {
          const columns = Object.keys(row);
          const sql = `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`;
          const statement = statements.get(sql) ?? db.prepare(sql);
          statements.set(sql, statement);
          statement.run(...Object.values(row));
          added++;
        }
        if (added !== count) throw new Error(`${added} rows of ${table}, not ${count}`);
      }
    }).immediate();
  } finally {
    db.close();
  }
}

/** What the model would get at a point, piece by piece, without the ids of the store. */
export function sentAt(library: TestLibrary, native: string, before: string | null, leaveOut: string | null = null): string[] {
  const session = library.session(native);
  const spine = { session: session.native, records: session.spine, evidence: session.evidence, now: library.now };
  const { settled } = session;
  const blocks = session.held.map(({ parts }) => parts.map((part): ContextBlock => ({ block: part.block, kind: part.kind, size: part.size, outputSize: 0, status: part.tool?.status ?? null, result: -1 })));
  const at = before === null ? null : (settled.branches[0]?.path.find((index) => spine.records[index]?.messageKey === before) ?? null);
  const view = opencode.context?.({ spine, settled, branch: null, before: at, parts: blocks });
  return (view?.sent ?? []).flatMap((piece) => {
    const index = piece.type === 'part' ? piece.record : piece.from;
    const record = spine.records[index];
    if (record === undefined || record.messageKey === leaveOut) return [];
    const what = piece.type === 'part' ? `${record.role} ${piece.output}` : `made of ${record.type}: ${piece.text}`;
    const body = JSON.stringify(session.body(record.key ?? '', piece.type === 'part' ? piece.block : 0));
    return [`${what} ${body.length} ${createHash('sha256').update(body).digest('hex').slice(0, 12)} ${body.slice(0, 60)}`];
  });
}
