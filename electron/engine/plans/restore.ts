import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Companions } from '../library/keep/companions';
import type { Db } from '../library/database';
import type { RawLog } from '../library/log';
import { agentNames, type SessionId } from '@shared/model';
import { findSession } from '../queries/session-summary';
import type { FileStep, SessionStore, WriteRefusal } from '../stores/store';
import { about } from './about';
import type { Drawing, DrawnOn } from './draw';
import type { OpenedSession } from './session-to-write';

interface KeptSource {
  id: number;
  key: string;
  length: number;
}

/** Writes the files of a session back where its agent kept them, byte for byte as the library has them. */
export function drawRestore(db: Db, log: RawLog, opened: OpenedSession, on: DrawnOn): Drawing | WriteRefusal {
  const { id, title, store, write: { location, isLive }, isImport } = opened;
  const agent = agentNames[store.agent];
  const instead = [{ way: 'fork', says: 'Fork it: what the library has becomes a new session of the agent.' }];
  if (isImport) return { refused: 'It never was in a store here.', instead: [{ way: 'fork', says: `Continue it in ${agent}.` }] };
  if (isLive) return { refused: `${agent} still has it.` };
  if (!store.restoredAt) return { refused: `What ${agent} deleted cannot be put back as it was.`, instead };
  if (!existsSync(location.folder)) return { refused: `${location.folder} is not there.` };
  const steps: FileStep[] = [];
  const limits: string[] = [];
  for (const source of sourcesOf(db, id, store)) {
    const path = store.restoredAt(source.key);
    if (path === null) continue;
    const file = join(location.folder, ...path.split('/'));
    if (existsSync(file)) limits.push(`${path} is there, and stays as it is.`);
    else if (!isWhole(db, source)) limits.push(`${path} cannot be written back: the library does not have all of it.`);
    else steps.push(stepOf(db, log, source, file, location.folder));
  }
  if (steps.length === 0) return { refused: limits[0] ?? `The library has no file of ${agent} to write back.`, instead };
  return {
    kind: 'restore', on, title: `Bring back "${title ?? id}"`, about: about(opened, 'Bring back what was deleted'), way: `Its files are written back where ${agent} had them, byte for byte as the library kept them.`, ways: [], steps, expects: [], conflicts: [],
    limits: [...limits, 'What its checkpoints held is not in the library: files cannot be gone back with in it.', `${agent} may delete it again by its own rule: the files are new from now on.`], result: on.native,
  };
}

/** Its own streams, those of its subagents, and files that lie with them. */
function sourcesOf(db: Db, session: SessionId, store: SessionStore): KeptSource[] {
  const found = findSession(db, session);
  if (!found) return [];
  const family = db
    .prepare<[number], { id: number; store: number }>(
      `WITH RECURSIVE family(id, native, store) AS (
         SELECT id, native, store FROM session WHERE id = ?
         UNION SELECT c.id, c.native, c.store FROM session c JOIN family f ON c.store = f.store AND c.parent = f.native AND c.parent_kind = 'subagent')
       SELECT id, store FROM family`,
    )
    .all(found.id);
  const members = new Set(family.map(({ id }) => id));
  const own = db.prepare<[number], KeptSource>(
    `SELECT s.id, s.key, s.length FROM source_session x JOIN source s ON s.id = x.source WHERE x.session = ?
       AND s.generation = (SELECT max(generation) FROM source n WHERE n.store = s.store AND n.key = s.key)`,
  );
  const sources = new Map([...members].flatMap((id) => own.all(id)).map((source) => [source.key, source]));
  const one = db.prepare<[number], KeptSource>('SELECT id, key, length FROM source WHERE id = ?');
  for (const companion of new Companions(db, () => store).of({ id: family[0]?.store ?? 0, agent: store.agent })) {
    const source = companion.sessions.some((id) => members.has(id)) ? one.get(companion.id) : undefined;
    if (source) sources.set(source.key, source);
  }
  return [...sources.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
}

/** A record that was too large, or a gap, is not in the log: such a file could not be the one that was there. */
function isWhole(db: Db, { id, length }: KeptSource): boolean {
  const { bytes } = db.prepare('SELECT coalesce(sum(bytes), 0) AS bytes FROM chunk WHERE source = ?').get(id) as { bytes: number };
  return bytes === length && length > 0;
}

function stepOf(db: Db, log: RawLog, { id, length }: KeptSource, path: string, within: string): FileStep {
  function* pieces() {
    for (const { bytes } of log.replay(db, id)) yield bytes;
  }
  return { kind: 'file', path, within, before: { state: 'absent' }, after: { content: { size: length, pieces } }, why: 'As the library kept it.' };
}
