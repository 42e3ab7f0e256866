import { afterEach, describe, expect, test } from 'vitest';
import type { SessionStore } from '../stores/store';
import { claudeCode } from '../stores/claude-code';
import { codex } from '../stores/codex';
import { opencode } from '../stores/opencode';
import { Shelf } from '../stores/acceptance';
import { type FixtureFamily, openFixture } from '../../../e2e/fixtures';
import { listSessions } from '../queries/session-filter';
import { LibraryTree } from '../queries/tree';
import { Projects } from './projects';

const opened: { dispose(): void }[] = [];
afterEach(() => {
  for (const each of opened.splice(0)) each.dispose();
});

async function shelfOf(family: FixtureFamily, name: string, store: SessionStore): Promise<Shelf> {
  const fixture = openFixture(family, name);
  const shelf = new Shelf(fixture.home, store);
  opened.push(shelf, fixture);
  await shelf.pass();
  return shelf;
}

/** Project folder → native ids of its sessions, as they are filed. */
function filed({ library }: Shelf): Record<string, string[]> {
  const rows = library.db.prepare('SELECT p.folder, s.native FROM session s JOIN project p ON p.id = s.project WHERE s.ignored = 0 ORDER BY s.native').all() as { folder: string; native: string }[];
  const projects: Record<string, string[]> = {};
  for (const { folder, native } of rows) (projects[folder] ??= []).push(native);
  return projects;
}

const directoriesOf = (shelf: Shelf) => new Set(listSessions(shelf.library.db, { archived: 'include' }, 'created', 0, 5_000).sessions.map(({ directory }) => directory));

describe('sessions of real stores', () => {
  test('folders that share a store folder are three projects', async () => {
    expect(filed(await shelfOf('field', 'cc-slug-collision', claudeCode))).toEqual({
      '/home/dev/projects/my_ledger': ['94aa3bff-595f-46ff-9761-1f4ee0cb1e6b'],
      '/home/dev/projects/my-ledger': ['7aaf4542-e6ae-4c3c-ba6b-b9c4b5ef5e70'],
      '/home/dev/projects/my.ledger': ['c42e1ca0-94cf-4aba-9eab-cba13f19711e'],
    });
  });

  test('a moved folder is one project, its sessions keep the folder they record', async () => {
    const shelf = await shelfOf('field', 'oc-moved-folder', opencode);
    expect(filed(shelf)).toEqual({ '/home/dev/projects/books/ledger': ['ses_e4ac38d7fff6Obr0S2jBdzzC7m', 'ses_e6483597fffedGlMoiyrlfxX1r'] });
    expect(directoriesOf(shelf)).toEqual(new Set(['/home/dev/projects/ledger', '/home/dev/projects/books/ledger']));
  });

  test('a worktree of Claude Code belongs to its repository', async () => {
    expect(Object.keys(filed(await shelfOf('claude-code', 'worktree', claudeCode)))).toEqual(['/home/dev/projects/demo']);
  });

  test('OpenCode’s worktree and sub-folder belong to their repository', async () => {
    const shelf = await shelfOf('opencode', 'v118-main', opencode);
    expect(directoriesOf(shelf)).toEqual(new Set(['/home/dev/projects/notes-api', '/home/dev/projects/notes-api/packages/web', '/home/dev/projects/notes-api-wt', '/home/dev/scratch']));
    expect(Object.keys(filed(shelf)).sort()).toEqual(['/home/dev/projects/notes-api', '/home/dev/scratch']);
  });

  test('a project id that changes changes no project', async () => {
    expect(Object.keys(filed(await shelfOf('opencode', 'v118-remote-id', opencode)))).toEqual(['/home/dev/projects/map-tiles']);
  });
});

describe('tokens of a project count copied history once', () => {
  const totals = ({ library }: Shelf) => {
    const rows = library.db.prepare('SELECT p.name, sum(s.input) AS input, sum(s.output) AS output FROM session s JOIN project p ON p.id = s.project GROUP BY p.id').all() as { name: string; input: number; output: number }[];
    return Object.fromEntries(rows.map(({ name, input, output }) => [name, { input, output }]));
  };

  test('OpenCode: two forks of one session', async () => {
    expect(Object.values(totals(await shelfOf('field', 'oc-fork-shared-child', opencode)))).toEqual([{ input: 6_000, output: 200 }]);
  });

  test('Codex: a fork with a full copy', async () => {
    const shelf = await shelfOf('field', 'cx-fork-by-copy', codex);
    const sum = shelf.library.db.prepare('SELECT sum(input + cache_read) AS input, sum(output + coalesce(reasoning, 0)) AS output, count(DISTINCT project) AS projects FROM session').get();
    expect(sum).toEqual({ input: 5_500, output: 280, projects: 1 });
  });

  test('Claude Code: a fork with the same records', async () => {
    // tokens_whole_store_deduplicated of the fixture.
    const fixture = openFixture('claude-code', 'fork');
    opened.push(fixture);
    const whole = (fixture.expected as { tokens_whole_store_deduplicated: { input_tokens: number; output_tokens: number } }).tokens_whole_store_deduplicated;
    expect(totals(await shelfOf('claude-code', 'fork', claudeCode))).toEqual({ demo: { input: whole.input_tokens, output: whole.output_tokens } });
  });
});

describe('projects in lists', () => {
  test('spellings join, and the one that is shown does not hang on the order', async () => {
    const shelf = await shelfOf('field', 'cc-slug-collision', claudeCode);
    const { db } = shelf.library;
    const projects = new Projects(db);
    const spellings = ['c:/work/acme', 'C:\\Work\\Acme', '\\\\?\\C:\\Work\\Acme', '/mnt/c/Work/Acme'];
    expect(new Set(spellings.map((directory) => projects.idOf({ directory }))).size).toBe(1);
    expect(db.prepare("SELECT name, folder FROM project WHERE key = 'c:/work/acme'").get()).toEqual({ name: 'Acme', folder: '/mnt/c/Work/Acme' });
  });

  test('of equal names each says its folder; a name that is alone does not', async () => {
    const shelf = await shelfOf('field', 'cc-slug-collision', claudeCode);
    const { db } = shelf.library;
    const projects = new Projects(db);
    const place = db.prepare('UPDATE session SET project = ? WHERE native = ?');
    place.run(projects.idOf({ directory: '/home/dev/work/acme' }), '94aa3bff-595f-46ff-9761-1f4ee0cb1e6b');
    place.run(projects.idOf({ directory: '/home/dev/old/Acme' }), '7aaf4542-e6ae-4c3c-ba6b-b9c4b5ef5e70');
    const tree = new LibraryTree(db);
    const expected = [['Acme', '/home/dev/old/Acme'], ['acme', '/home/dev/work/acme'], ['my.ledger', null]];
    expect(tree.facets().projects.map(({ name, apart }) => [name, apart]).sort()).toEqual(expected);
    const rows = tree.rows({ filter: {}, sort: 'updated', group: 'project', toggled: [] }, 1, 0, 20).rows;
    expect(rows.flatMap((row) => (row.type === 'group' ? [[row.name, row.apart]] : [])).sort()).toEqual(expected);
  });

  test('a project is found by any spelling of its folder', async () => {
    const shelf = await shelfOf('field', 'cc-slug-collision', claudeCode);
    const found = (project: string) => listSessions(shelf.library.db, { projects: [project] }, 'updated', 0, 10).sessions.map(({ nativeId }) => nativeId);
    expect(found('/home/dev//projects/my_ledger/')).toEqual(['94aa3bff-595f-46ff-9761-1f4ee0cb1e6b']);
    expect(found('/home/dev/projects/My_Ledger')).toEqual([]);
  });
});

test('a library that was filed by older rules is filed again', async () => {
  const shelf = await shelfOf('field', 'oc-moved-folder', opencode);
  const { db } = shelf.library;
  const before = filed(shelf);
  const old = db.prepare("INSERT INTO project(key, name, folder) VALUES ('old', 'old', '/old')").run().lastInsertRowid;
  db.prepare('UPDATE session SET project = ?').run(old);
  await shelf.pass();
  expect(Object.keys(filed(shelf))).toEqual(['/old']);
  db.prepare("DELETE FROM meta WHERE key = 'project rules'").run();
  await shelf.pass();
  expect(filed(shelf)).toEqual(before);
  expect(db.prepare("SELECT count(*) AS n FROM project WHERE key = 'old'").get()).toEqual({ n: 0 });
});
