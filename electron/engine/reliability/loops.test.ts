import Database from 'better-sqlite3';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openFixture } from '../../../e2e/fixtures';
import { type LibraryView, LibraryTree } from '../queries/tree';
import { Shelf } from '../stores/acceptance';
import { opencode } from '../stores/opencode';

const isSlow = process.env['RETRACE_SLOW'] === '1';
/** Sessions of the longest chain that goes through a whole store; one of 10,000 is put into the library by hand. */
const chainInStore = isSlow ? 10_000 : 200;
/** Rows asked for at a time. */
const windowRows = 5_000;
const view: LibraryView = { filter: { archived: 'include' }, sort: 'created', group: 'agent', toggled: [] };

/** A database of OpenCode to which sessions are added with these parents, then read. */
async function withSessions(parents: Map<string, string | null>, check: (shelf: Shelf, before: string[]) => void): Promise<void> {
  const fixture = openFixture('opencode', 'v118-live');
  const shelf = new Shelf(fixture.home, opencode);
  try {
    const db = new Database(join(fixture.home, '.local/share/opencode/opencode.db'));
    const before = db.prepare('SELECT id FROM session ORDER BY id').pluck().all() as string[];
    const columns = (db.prepare("SELECT name FROM pragma_table_info('session')").pluck().all() as string[]).filter((name) => !['id', 'parent_id', 'title', 'slug'].includes(name));
    db.pragma('foreign_keys = OFF');
    // A short name of its own: with that of another it would pass for an import of it, and hang below it.
    const add = db.prepare(`INSERT INTO session(id, parent_id, title, slug, ${columns.join(', ')}) SELECT ?, ?, ?, ?, ${columns.join(', ')} FROM session WHERE id = '${before[0]}'`);
    db.transaction(() => parents.forEach((parent, id) => add.run(id, parent, id, id)))();
    db.close();
    await shelf.pass();
    check(shelf, before);
  } finally {
    shelf.dispose();
    fixture.dispose();
  }
}

/** Every session as the opened tree lists it, with its depth; each is also found where a link to it would lead. */
function opened(shelf: Shelf): { id: string; depth: number }[] {
  const tree = new LibraryTree(shelf.library.db);
  const toggled = (shelf.library.db.prepare('SELECT st.key || \'/\' || s.native FROM session s JOIN store st ON st.id = s.store').pluck().all() as string[]);
  const { total } = tree.rows({ ...view, toggled }, 1, 0, 1);
  const found = [];
  for (let from = 0; from < total; from += windowRows) found.push(...tree.rows({ ...view, toggled }, 1, from, windowRows).rows);
  return found.flatMap((row) => (row.type === 'session' ? [{ id: row.id, depth: row.depth }] : []));
}

const chain = (length: number, first: string | null) => new Map(Array.from({ length }, (_, n) => [`ses_chain${String(n).padStart(6, '0')}`, n === 0 ? first : `ses_chain${String(n - 1).padStart(6, '0')}`] as const));

describe('27: loops and depth', () => {
  test('parents in a circle, a session that is its own parent, and a parent that is not there: each session is reachable', () =>
    withSessions(new Map([['ses_loopA', 'ses_loopC'], ['ses_loopB', 'ses_loopA'], ['ses_loopC', 'ses_loopB'], ['ses_self', 'ses_self'], ['ses_orphan', 'ses_nowhere']]), (shelf, before) => {
      const rows = opened(shelf);
      expect(rows.map(({ id }) => id).sort()).toEqual([...before, 'ses_loopA', 'ses_loopB', 'ses_loopC', 'ses_orphan', 'ses_self'].map((id) => `opencode/${id}`).sort());
      const depth = new Map(rows.map((row) => [row.id, row.depth]));
      expect(['ses_loopA', 'ses_loopB', 'ses_loopC'].map((id) => depth.get(`opencode/${id}`)).sort()).toEqual([0, 1, 2]);
      expect(depth.get('opencode/ses_orphan')).toBe(0);
      expect(depth.get('opencode/ses_self')).toBe(0);
      for (const { id } of rows) expect(new LibraryTree(shelf.library.db).reveal(view, 1, id).index).not.toBe(null);
    }));

  test(`a chain of ${chainInStore.toLocaleString('en-US')} sessions is read from a store, and its end is found`, () =>
    withSessions(chain(chainInStore, null), (shelf, before) => {
      const rows = opened(shelf);
      expect(rows).toHaveLength(before.length + chainInStore);
      expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
      const last = `opencode/ses_chain${String(chainInStore - 1).padStart(6, '0')}`;
      const revealed = new LibraryTree(shelf.library.db).reveal(view, 1, last);
      expect(revealed.toggled.length).toBeGreaterThanOrEqual(chainInStore - 1);
      expect(new LibraryTree(shelf.library.db).rows({ ...view, toggled: revealed.toggled }, 1, revealed.index ?? 0, 1).rows).toMatchObject([{ id: last }]);
      expect(shelf.session(last as Parameters<Shelf['session']>[0]).detail.summary.id).toBe(last);
    }), isSlow ? 600_000 : 20_000);

  test('a fork chain of 10,000 in the library: the tree lists each once, and its end is found', () =>
    withSessions(new Map(), (shelf, before) => {
      const { db } = shelf.library;
      const add = db.prepare(`INSERT INTO session(store, native, kind, created, head, parent, parent_kind) SELECT store, ?, 'session', created, 0, ?, 'fork' FROM session WHERE native = '${before[0]}'`);
      db.transaction(() => chain(10_000, before[0] ?? null).forEach((parent, id) => add.run(id, parent)))();
      const started = performance.now();
      const rows = opened(shelf);
      expect(new Set(rows.map(({ id }) => id)).size).toBe(before.length + 10_000);
      const last = 'opencode/ses_chain009999';
      const { index, toggled } = new LibraryTree(db).reveal(view, 1, last);
      expect(toggled).toHaveLength(10_000);
      expect(new LibraryTree(db).rows({ ...view, toggled }, 1, index ?? 0, 1).rows).toMatchObject([{ id: last, depth: 200 }]);
      expect(performance.now() - started).toBeLessThan(15_000);
    }), 60_000);
});
