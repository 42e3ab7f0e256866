import Database from 'better-sqlite3';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fixtureNames, openFixture } from '../../../../../e2e/fixtures';
import { dataFolder, TestLibrary, withFixture } from '../library.test-support';
import { databaseOf } from './database';
import { forkWays, planFork } from './fork';
import { forkByRows } from './fork-rows';
import { secondGeneration } from './kept';
import { applyDraft, drawn, making, pointBefore, promptsOf, sentAt, toWrite, unfinishedAtEnd } from './writing.test-support';

const now = Date.UTC(2026, 11, 20, 12);

interface Made {
  of: string;
  before: string | null;
  fork: string;
  last: string | null;
  sent: string[];
}

/** Milliseconds: some fixtures have a hundred points, and each fork is a transaction on the disk. */
const manyForks = 90_000;

/**
 * Every database and every point in the slow run. The usual one leaves out databases that are others over again (their
 * sessions came by another way, or go on longer), and of a session's points takes the first, the middle and the end:
 * what is copied differs by what stands at its borders.
 */
const isSlow = process.env['RETRACE_SLOW'] === '1';
const rare = ['v118-from-v12', 'v118-live', 'v118-pruned', 'v118-remote-id', 'v118-share-import'];
const databases = fixtureNames('opencode').filter((name) => !['v05-json', 'v11-json'].includes(name) && (isSlow || !rare.includes(name)));

const chosen = (prompts: readonly string[]): readonly string[] => (isSlow || prompts.length < 3 ? prompts : [0, Math.floor(prompts.length / 2)].flatMap((at) => prompts[at] ?? []));

describe('a fork by rows, of every session of every database before every prompt and at the end', () => {
  test.each(databases)('%s', (name) => {
    withFixture(openFixture('opencode', name), (library) => {
      const made: Made[] = [];
      for (const native of library.natives) {
        const session = toWrite(library, native);
        if (databaseOf(session) === null || secondGeneration(session, pointBefore(session, null)) !== null) continue;
        for (const before of [...chosen(promptsOf(session)), null]) {
          const point = pointBefore(session, before);
          const draft = drawn(forkByRows(session, point, {}, making(now + made.length * 1_000, made.length + 1)));
          applyDraft(draft);
          const fact = draft.steps.flatMap((step) => (step.kind === 'library' ? [step.fact] : []))[0];
          made.push({ of: native, before, fork: draft.session ?? '', last: fact?.after ?? null, sent: sentAt(library, native, before, unfinishedAtEnd(session, point)) });
        }
      }
      for (const file of new Set(library.natives.map((native) => databaseOf(toWrite(library, native))).filter((found) => found !== null))) {
        const db = new Database(file);
        expect([db.pragma('integrity_check', { simple: true }), db.pragma('foreign_key_check')]).toEqual(['ok', []]);
        db.close();
      }
      const after = TestLibrary.of(library.location.folder);
      after.pass();
      expect(after.damage).toEqual(library.damage);
      const edges = new Map(after.edges().map((edge) => [edge.child as string, edge]));
      for (const { of, before, fork, last, sent } of made) {
        expect({ of, before, sent: sentAt(after, fork, null) }).toEqual({ of, before, sent });
        const edge = edges.get(fork);
        const isMarked = edge?.certainty === 'recorded';
        expect({ of, before, parent: edge?.parent, after: edge?.after }).toMatchObject(isMarked ? { parent: of, after: last } : {});
        // The event log does not know it, and that is no sign of an import.
        expect(after.session(fork).facts.notices.filter(({ text }) => text.includes('imported'))).toEqual([]);
      }
      const marked = made.filter(({ fork }) => edges.get(fork)?.certainty === 'recorded').length;
      expect(marked).toBe(name === 'v12-sqlite' ? 0 : made.length);
    });
  }, manyForks);
});

test('the rows are those OpenCode’s own fork would add, under new ids', () => {
  withFixture(openFixture('opencode', 'v118-main'), (library) => {
    const edge = library.edges().find(({ kind, inherited }) => kind === 'fork' && inherited.length > 4);
    if (!edge) throw new Error('no fork');
    const source = toWrite(library, edge.parent);
    const messages = promptsOf(source);
    const inherited = library.session(edge.child).messages;
    const copies = edge.inherited.length;
    const all = library.session(edge.parent).messageOrder;
    const before = all[copies] ?? null;
    expect([messages.length > 0, inherited.size >= copies]).toEqual([true, true]);
    const draft = drawn(forkByRows(source, pointBefore(source, before), {}, making(now)));
    const rows = draft.steps[0];
    if (rows?.kind !== 'rows') throw new Error('no rows');
    const db = new Database(join(dataFolder(join(library.location.folder, '../../..')), 'opencode.db'), { readonly: true });
    const programs = (table: string) => db.prepare(`SELECT data, time_created FROM ${table} WHERE session_id = ? AND ${table === 'part' ? `message_id IN (SELECT value FROM json_each(?))` : 'id IN (SELECT value FROM json_each(?))'} ORDER BY ${table === 'message' ? 'time_created, id' : 'message_id, id'}`).all(edge.child, JSON.stringify(edge.inherited)) as { data: string; time_created: number }[];
    const ours = (table: string) => [...(rows.inserts.find((insert) => insert.table === table)?.rows() ?? [])];
    const plain = (data: unknown) => String(data).replace(/(msg|prt)_[0-9a-f]{12}[0-9A-Za-z]{14}/g, '$1');
    expect(ours('message').map(({ data, time_created }) => [plain(data), time_created])).toEqual(programs('message').map(({ data, time_created }) => [plain(data), time_created]));
    expect(ours('part').map(({ data }) => plain(data))).toEqual(programs('part').map(({ data }) => plain(data)));
    const programsRow = db.prepare('SELECT * FROM session WHERE id = ?').get(edge.child) as Record<string, unknown>;
    const { project_id, directory, path, version, parent_id } = programsRow;
    expect(ours('session')[0]).toMatchObject({ project_id, directory, path, version, parent_id });
    db.close();
  });
});

test('a session of the second interface is refused with the reason, whichever way is asked for, and what can be done instead', () =>
  new Promise<void>((resolve, reject) => {
    withFixture(openFixture('opencode', 'v118-v2api'), (library) => {
      const native = library.natives.find((id) => secondGeneration(toWrite(library, id), pointBefore(toWrite(library, id), null)) !== null);
      const session = toWrite(library, native ?? '');
      const refused = 'A session of OpenCode’s second interface (/api/session) cannot be forked, not even by OpenCode itself (its fork comes out empty): go back in it, or export it.';
      const end = pointBefore(session, null);
      const inside = { ...end, before: end.path.at(-1) ?? null };
      const drafts = [planFork(session, end, { way: 'rows' }, making(now)), planFork(session, end, {}, making(now)), planFork(session, inside, { way: 'start' }, making(now))];
      expect(forkWays(session, end).map((way) => way.refused)).toEqual([refused, refused, refused]);
      Promise.all(drafts).then((answers) => {
        expect(answers).toEqual([{ refused, instead: [] }, { refused, instead: [] }, { refused, instead: [{ way: 'revert', says: 'Take the session back to before this message.' }] }]);
      }).then(resolve, reject);
    });
  }));
