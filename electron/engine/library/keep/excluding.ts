import { posix, win32 } from 'node:path';
import type { Exclusion, ExclusionOutcome, ExclusionTarget, InclusionOutcome } from '@shared/model';
import { agents, assertNever } from '@shared/model';
import type { SessionStore } from '../../stores/store';
import type { Db } from '../database';
import { projectOfFolder } from '../project-identity';
import { type ExcludedRow, Exclusions } from './exclusions';
import { timeOf } from './kept-session';
import { lookAgain } from './streams';

/** What is excluded, with what the library still has of it. */
export function exclusionsOf(db: Db): Exclusion[] {
  return new Exclusions(db).rows.map((row) => viewOf(db, row));
}

function viewOf(db: Db, { kind, key, name, folder, time }: ExcludedRow): Exclusion {
  const where = { project: 'p.key', agent: 'st.agent', store: 'st.key' }[kind];
  const from = `session s JOIN store st ON st.id = s.store LEFT JOIN project p ON p.id = s.project WHERE ${where} = ?`;
  const { sessions } = db.prepare(`SELECT count(*) AS sessions FROM ${from} AND s.ignored = 0`).get(key) as { sessions: number };
  const stored = db
    .prepare(`SELECT sum(length(data)) FROM chunk WHERE source IN (SELECT x.source FROM source_session x WHERE x.session IN (SELECT s.id FROM ${from}))`)
    .pluck()
    .get(key) as number | null;
  return { kind, key, name, folder, since: timeOf(time) ?? '', sessions, stored: stored ?? 0 };
}

/** Leaves something out from now on. What the library has of it stays, and stands in no list. Null: nothing has that name. */
export function exclude(db: Db, target: ExclusionTarget, now: number, dryRun: boolean): ExclusionOutcome | null {
  const already = new Exclusions(db).rows.find((row) => row.kind === target.kind && row.key === target.key);
  if (already) return { applied: false, already: true, exclusion: viewOf(db, already) };
  const told = nameOf(db, target);
  if (!told) return null;
  const row = { ...target, ...told, time: now };
  if (!dryRun) db.prepare('INSERT INTO excluded(kind, key, name, folder, time) VALUES (@kind, @key, @name, @folder, @time)').run(row);
  return { applied: !dryRun, already: false, exclusion: viewOf(db, row) };
}

function nameOf(db: Db, { kind, key }: ExclusionTarget): { name: string; folder: string | null } | null {
  switch (kind) {
    case 'project':
      return (db.prepare('SELECT name, folder FROM project WHERE key = ?').get(key) as { name: string; folder: string | null } | undefined) ?? folderNamed(key);
    case 'agent':
      // Imported sessions are read by the store of the agent that wrote them, and excluded with it.
      return key !== 'retrace' && agents.some((agent) => agent === key) ? { name: key, folder: null } : null;
    case 'store':
      return (db.prepare('SELECT key AS name, folder FROM store WHERE key = ?').get(key) as { name: string; folder: string | null } | undefined) ?? null;
    default:
      return assertNever(kind, 'kind');
  }
}

/** A project that nothing was read of yet is named by its folder. */
function folderNamed(key: string): { name: string; folder: string | null } | null {
  const { name, folder, key: known } = projectOfFolder(key);
  return known === key && (posix.isAbsolute(key) || win32.isAbsolute(key)) ? { name, folder } : null;
}

/** Takes something up again: what was kept is listed again, what was emptied is read from its beginning by the next pass. */
export function include(db: Db, target: ExclusionTarget, storeOf: (agent: string) => SessionStore | undefined, dryRun: boolean): InclusionOutcome {
  const row = new Exclusions(db).rows.find((each) => each.kind === target.kind && each.key === target.key);
  if (!row) return { applied: false, exclusion: null, again: 0 };
  const exclusion = viewOf(db, row);
  const emptied = (row.kind === 'project' ? db.prepare('SELECT source FROM emptied WHERE project = ?').pluck().all(row.key) : []) as number[];
  if (dryRun) return { applied: false, exclusion, again: emptied.length };
  db.transaction(() => {
    db.prepare('DELETE FROM excluded WHERE kind = ? AND key = ?').run(row.kind, row.key);
    const sources = JSON.stringify(emptied);
    db.prepare('DELETE FROM source WHERE id IN (SELECT value FROM json_each(?))').run(sources);
    db.prepare('DELETE FROM emptied WHERE source IN (SELECT value FROM json_each(?))').run(sources);
    for (const store of db.prepare<[], { id: number; agent: string }>('SELECT id, agent FROM store').all()) lookAgain(db, store, storeOf(store.agent));
  })();
  return { applied: true, exclusion, again: emptied.length };
}
