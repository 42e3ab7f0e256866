import Database from 'better-sqlite3';
import { closeSync, copyFileSync, openSync, readFileSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openFixture } from '../../../../e2e/fixtures';
import { Shelf } from '../acceptance';
import { opencode } from './index';
import { dataFolder, filesOf, TestLibrary } from './library.test-support';

/** Reads a home whose database was damaged by `harm`, with a sound one of another channel beside it. */
function afterHarm(harm: (file: string) => void, check: (library: TestLibrary) => void): void {
  const fixture = openFixture('opencode', 'v118-wrap');
  const other = openFixture('opencode', 'v118-pruned');
  try {
    const folder = dataFolder(fixture.home);
    copyFileSync(join(dataFolder(other.home), 'opencode.db'), join(folder, 'opencode-local.db'));
    harm(join(folder, 'opencode.db'));
    const before = filesOf(folder);
    const library = TestLibrary.of(folder);
    library.pass();
    library.pass();
    expect(library.natives).toContain(sound);
    expect(library.session(sound).messageOrder).toHaveLength(15);
    check(library);
    expect(filesOf(folder)).toEqual(before);
  } finally {
    fixture.dispose();
    other.dispose();
  }
}

const sound = 'ses_e4b15cb34ffeC2axhXq4gnLPeu';
const harmed = ['ses_000090ed9ffeEHfhhu45OMHRN0', 'ses_014e27763ffeCez0kQoG5oSmm5', 'ses_fe199e4fcffeCjxB0a4ZFvPBVS', 'ses_ffffb46e3ffeSsW3LwilTURI1L'];

function overwrite(file: string, at: number, bytes: Uint8Array): void {
  const descriptor = openSync(file, 'r+');
  writeSync(descriptor, bytes, 0, bytes.length, at);
  closeSync(descriptor);
}

const change = (file: string, sql: string) => {
  const db = new Database(file);
  db.exec(sql);
  db.pragma('wal_checkpoint(TRUNCATE)');
  db.close();
};

/** Number of a leaf page of a table. */
function leafOf(file: string, table: string): { page: number; size: number } {
  const db = new Database(file);
  const page = db.prepare("SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf' ORDER BY pageno DESC LIMIT 1").pluck().get(table) as number;
  const size = db.pragma('page_size', { simple: true }) as number;
  db.close();
  return { page, size };
}

describe('23: malformed databases are named, and cost nothing but themselves', () => {
  test('flipped bytes in the header', () =>
    afterHarm(
      (file) => overwrite(file, 0, Buffer.from('NotSQLite')),
      (library) => {
        expect(library.survey.problem).toBe('opencode.db is damaged or not a database of OpenCode: file is not a database.');
        expect(library.damage).toEqual([{ place: 'opencode.db', line: null, at: null, bytes: null, reason: 'file is not a database' }]);
        expect(library.natives).toEqual([sound]);
      },
    ));

  test('zero length', () =>
    afterHarm(
      (file) => truncateSync(file, 0),
      (library) => expect(library.survey.problem).toBe('opencode.db is damaged or not a database of OpenCode: the file is empty (0 bytes).'),
    ));

  test('cut to half', () =>
    afterHarm(
      (file) => truncateSync(file, Math.floor(readFileSync(file).length / 2)),
      (library) => {
        expect(library.damage.length + (library.survey.problem === null ? 0 : 1)).toBeGreaterThan(0);
        expect([...library.damage.map(({ reason }) => reason), library.survey.problem].join('\n')).toContain('database disk image is malformed');
      },
    ));

  test('another program’s database', () =>
    afterHarm(
      (file) => {
        writeFileSync(file, '');
        change(file, 'CREATE TABLE moz_places(id INTEGER PRIMARY KEY, url TEXT)');
      },
      (library) => expect(library.survey.problem).toBe('opencode.db is damaged or not a database of OpenCode: no such table: session.'),
    ));

  test.each([
    ['CREATE TABLE session(id TEXT); CREATE TABLE message(id TEXT, session_id TEXT, data TEXT)', 'its session table is not one of OpenCode (no title, no time_created)'],
    ['CREATE TABLE session(id TEXT, title TEXT, time_created INTEGER)', 'it has no table of messages'],
  ])('another program’s database with a session table gives no sessions: %s', (sql, reason) =>
    afterHarm(
      (file) => {
        writeFileSync(file, '');
        change(file, `${sql}; INSERT INTO session(id) VALUES ('ses_x')`);
      },
      (library) => {
        expect(library.survey.problem).toBe(`opencode.db is damaged or not a database of OpenCode: ${reason}.`);
        expect(library.natives).toEqual([sound]);
        expect(library.survey.heads.map(({ native }) => native)).not.toContain('ses_x');
        expect([...library.sources.keys()].filter((key) => key.startsWith('opencode.db'))).toEqual([]);
      },
    ));

  test('a missing table costs its rows', () =>
    afterHarm(
      (file) => change(file, 'DROP TABLE part'),
      (library) => {
        expect(library.survey.problem).toBe('opencode.db is damaged, what can be read of it is shown: no such table: part.');
        expect(library.natives).toEqual([...harmed, sound].sort());
        expect(library.session('ses_000090ed9ffeEHfhhu45OMHRN0').messageOrder).toHaveLength(12);
      },
    ));

  test('missing columns are done without', () =>
    afterHarm(
      (file) => change(file, 'DROP INDEX message_session_time_created_id_idx; ALTER TABLE session DROP COLUMN agent; ALTER TABLE session DROP COLUMN time_archived; ALTER TABLE part DROP COLUMN time_updated; ALTER TABLE message DROP COLUMN time_created'),
      (library) => {
        expect(library.survey.problem).toBe(null);
        // Times stand in the data too, so the order is what it was.
        expect(library.session('ses_000090ed9ffeEHfhhu45OMHRN0').messageOrder).toHaveLength(12);
        expect(library.session('ses_000090ed9ffeEHfhhu45OMHRN0').messageOrder[8]).toBe('msg_00004b12e001KNI3wuwPmGVJTP');
      },
    ));

  test('a needed column that is missing is named', () =>
    afterHarm(
      (file) => change(file, 'ALTER TABLE part DROP COLUMN data'),
      (library) => expect(library.survey.problem).toBe('opencode.db is damaged, what can be read of it is shown: no such column: part.data.'),
    ));

  test('a broken page of parts costs the rows on it', () =>
    afterHarm(
      (file) => {
        const { page, size } = leafOf(file, 'part');
        overwrite(file, (page - 1) * size, Buffer.alloc(size, 0xff));
      },
      (library) => {
        expect(library.natives).toEqual([...harmed, sound].sort());
        expect(library.damage.length).toBeGreaterThan(0);
        expect(library.damage.every(({ place, reason }) => place === 'opencode.db' && reason.includes('database disk image is malformed'))).toBe(true);
      },
    ));

  test('a broken page of an index costs what only the index could find, is named, and nothing is written', () =>
    afterHarm(
      (file) => {
        const db = new Database(file);
        const page = db.prepare("SELECT s.pageno FROM dbstat s JOIN sqlite_schema m ON m.name = s.name WHERE m.type = 'index' AND m.tbl_name = 'part' AND s.name LIKE '%session%' ORDER BY s.pageno LIMIT 1").pluck().get() as number;
        const size = db.pragma('page_size', { simple: true }) as number;
        db.close();
        expect(page).toBeGreaterThan(1);
        overwrite(file, (page - 1) * size, Buffer.alloc(size, 0xff));
      },
      (library) => {
        expect(library.natives).toEqual([...harmed, sound].sort());
        expect([...library.damage.map(({ reason }) => reason), library.survey.problem].join('\n')).toContain('database disk image is malformed');
      },
    ));

  test('a newer schema: unknown tables and columns are left alone, and all sessions are shown', () =>
    afterHarm(
      (file) => change(file, "CREATE TABLE hologram(id TEXT PRIMARY KEY, data TEXT); INSERT INTO hologram VALUES ('h1', '{}'); ALTER TABLE session ADD COLUMN mood TEXT DEFAULT 'calm'; ALTER TABLE message ADD COLUMN weight INTEGER DEFAULT 3; ALTER TABLE part ADD COLUMN depth INTEGER DEFAULT 1; PRAGMA user_version = 999"),
      (library) => {
        expect(library.survey.problem).toBe(null);
        expect(library.damage).toEqual([]);
        expect(library.natives).toEqual([...harmed, sound].sort());
        expect(library.session('ses_000090ed9ffeEHfhhu45OMHRN0').messageOrder).toHaveLength(12);
      },
    ));

  test('an older schema: without the tables of later versions all sessions are shown', () =>
    afterHarm(
      (file) => change(file, 'DROP TABLE IF EXISTS session_message; DROP TABLE IF EXISTS session_input; DROP TABLE IF EXISTS session_context_epoch; DROP TABLE IF EXISTS event; DROP TABLE IF EXISTS event_sequence; DROP TABLE IF EXISTS session_share; DROP TABLE IF EXISTS todo'),
      (library) => {
        expect(library.survey.problem).toBe(null);
        expect(library.damage).toEqual([]);
        expect(library.session('ses_000090ed9ffeEHfhhu45OMHRN0').messageOrder).toHaveLength(12);
      },
    ));
});

describe('a list that cannot be read is no proof that something was deleted', () => {
  const pagesOf = (file: string, table: string): number[] => {
    const db = new Database(file);
    const pages = db.prepare('SELECT pageno FROM dbstat WHERE name = ?').pluck().all(table) as number[];
    db.close();
    return pages;
  };

  test.each([
    ['every third page', 'damaged or not a database of OpenCode', (_: string, pages: number) => Array.from({ length: pages }, (__, index) => index + 1).filter((page) => page >= 10 && page % 3 === 1)],
    ['the list of sessions', 'damaged, what can be read of it is shown', (file: string) => pagesOf(file, 'session')],
  ])('%s of a database that was read is overwritten: its sessions stay present, and are so after the repair', async (_, said, pagesToHarm) => {
    const fixture = openFixture('opencode', 'v118-compaction');
    const shelf = new Shelf(fixture.home, opencode);
    try {
      const file = join(dataFolder(fixture.home), 'opencode.db');
      await shelf.pass();
      const before = shelf.content();
      expect(before.map(({ source }) => source)).toEqual(['present', 'present', 'present', 'present', 'present']);
      const unharmed = readFileSync(file);
      const harmedBytes = Buffer.from(unharmed);
      const size = unharmed.readUInt16BE(16);
      for (const page of pagesToHarm(file, unharmed.length / size)) harmedBytes.fill(0xa5, (page - 1) * size, page * size);
      writeFileSync(file, harmedBytes);
      await shelf.pass();
      const problem = shelf.library.db.prepare('SELECT problem FROM store').pluck().get();
      expect(problem).toBe(`opencode.db is ${said}: database disk image is malformed.`);
      expect(shelf.content().map(({ id, source, parts }) => ({ id, source, parts: parts.length }))).toEqual(before.map(({ id, source, parts }) => ({ id, source, parts: parts.length })));
      writeFileSync(file, unharmed);
      await shelf.pass();
      expect(shelf.content()).toEqual(before);
    } finally {
      shelf.dispose();
      fixture.dispose();
    }
  });
});

describe('a row that is no JSON costs that row', () => {
  const harmRows = (file: string) =>
    change(file, `UPDATE part SET data = '{"type":"text","text":"half' WHERE id = (SELECT min(id) FROM part WHERE session_id = '${harmed[0]}');
      UPDATE message SET data = 'none' WHERE id = 'msg_00004b12e001KNI3wuwPmGVJTP';
      UPDATE part SET data = x'00ff' WHERE id = (SELECT max(id) FROM part WHERE session_id = '${harmed[0]}');
      UPDATE session SET revert = '{"messageID":', permission = 'x' WHERE id = '${harmed[0]}'`);

  test('and is named by table and id', () =>
    afterHarm(harmRows, (library) => {
      const session = library.session(harmed[0] ?? '');
      const parts = session.held.filter(({ type }) => type === 'part/damaged').map(({ key }) => key).sort();
      expect(parts).toHaveLength(2);
      expect(library.damage.map(({ place, reason }) => `${place}: ${reason}`).sort()).toEqual([
        'opencode.db message msg_00004b12e001KNI3wuwPmGVJTP: its data is not a JSON object',
        ...parts.map((key) => `opencode.db part ${key}: its data is not a JSON object`),
      ]);
      expect(session.messageOrder).toHaveLength(12);
      expect(session.messageOrder[8]).toBe('msg_00004b12e001KNI3wuwPmGVJTP');
      expect(session.settled.reverted).toBe(false);
    }));

  test('what it holds is still shown as it stands', () =>
    afterHarm(harmRows, (library) => {
      const session = library.session(harmed[0] ?? '');
      const damaged = session.held.filter(({ type }) => type === 'part/damaged').map(({ key }) => key ?? '');
      for (const key of damaged) expect(session.part(key).part).toMatchObject({ kind: 'notice', title: 'this part could not be read' });
      expect(damaged.map((key) => session.body(key).text).sort()).toEqual(['base64:AP8=', '{"type":"text","text":"half']);
    }));
});

test('unknown types are kept, counted and named', () =>
  afterHarm(
    (file) => change(file, `UPDATE part SET data = '{"type":"hologram","depth":3}' WHERE id = (SELECT min(id) FROM part WHERE session_id = '${harmed[0]}')`),
    (library) => {
      expect(library.unknown).toEqual({ 'part/hologram': 1 });
      const session = library.session(harmed[0] ?? '');
      const [unknown] = session.parts.filter(({ record }) => record.type === 'part/hologram');
      expect(unknown?.part).toMatchObject({ kind: 'notice', title: 'a part of the unknown type "hologram"' });
      expect(session.body(unknown?.key ?? '').text).toBe('{\n  "type": "hologram",\n  "depth": 3\n}');
      expect(session.settled.notices.map(({ text }) => text)).toContain('1 record of the type "hologram", which this version of Retrace does not know.');
    },
  ));
