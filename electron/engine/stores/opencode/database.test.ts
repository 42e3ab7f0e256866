import Database from 'better-sqlite3';
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fixtureNames, openFixture } from '../../../../e2e/fixtures';
import { openWithoutTrace } from '../foreign/database';
import { dataFolder, filesOf, TestLibrary } from './library.test-support';
import { heldOpen } from '../foreign/processes';
import { OtherProgram } from './programs.test-support';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'retrace-database-'));
  file = join(folder, 'opencode.db');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A database in WAL mode, closed cleanly: no files beside it. */
function make(mode: 'WAL' | 'DELETE' = 'WAL'): void {
  const db = new Database(file);
  db.pragma(`journal_mode = ${mode}`);
  db.exec('CREATE TABLE session(id TEXT PRIMARY KEY); INSERT INTO session VALUES (\'one\')');
  db.close();
}

function rowsOf(limit?: number): { how: string | undefined; rows: unknown; beside: string[]; after: string[] } {
  const before = filesOf(folder);
  const { opened, refusal } = openWithoutTrace(file, limit);
  const rows = opened ? opened.db.prepare('SELECT id FROM session ORDER BY id').pluck().all() : refusal.kind;
  const beside = readdirSync(folder).sort();
  opened?.close();
  expect(filesOf(folder)).toEqual(before);
  return { how: opened?.how, rows, beside, after: readdirSync(folder).sort() };
}

describe('opening without a trace', () => {
  test('a database at rest is read as immutable', () => {
    make();
    expect(rowsOf()).toEqual({ how: 'immutable', rows: ['one'], beside: ['opencode.db'], after: ['opencode.db'] });
  });

  test('a database without a WAL is read in place', () => {
    make('DELETE');
    expect(rowsOf()).toEqual({ how: 'in place', rows: ['one'], beside: ['opencode.db'], after: ['opencode.db'] });
  });

  test('what a killed program left in the WAL is read from a copy, with its `-shm` and without', async () => {
    make();
    const program = new OtherProgram(file, `db.prepare("INSERT INTO session VALUES ('two')").run(); say('ready'); await told;`);
    await program.answer();
    await program.kill();
    expect(readdirSync(folder).sort()).toEqual(['opencode.db', 'opencode.db-shm', 'opencode.db-wal']);
    expect(rowsOf()).toMatchObject({ how: 'copy', rows: ['one', 'two'] });
    rmSync(`${file}-shm`);
    expect(rowsOf()).toEqual({ how: 'copy', rows: ['one', 'two'], beside: ['opencode.db', 'opencode.db-wal'], after: ['opencode.db', 'opencode.db-wal'] });
  });

  test('a program that has it open is read beside, in place', async () => {
    make();
    const program = new OtherProgram(file, `db.prepare("INSERT INTO session VALUES ('two')").run(); say('ready'); await told; db.close();`);
    await program.answer();
    expect(heldOpen(file)).toBe(process.platform === 'linux' ? 'yes' : 'unknown');
    const { opened } = openWithoutTrace(file);
    expect(opened?.how).toBe('in place');
    expect(opened?.db.prepare('SELECT id FROM session ORDER BY id').pluck().all()).toEqual(['one', 'two']);
    opened?.close();
    await program.finish();
    // Its own clean close took its files away, as if nobody else had been there.
    expect(readdirSync(folder)).toEqual(['opencode.db']);
  });

  test('one too large to copy is read in place, and what SQLite put beside it is taken away', async () => {
    make();
    const program = new OtherProgram(file, `db.prepare("INSERT INTO session VALUES ('two')").run(); say('ready'); await told;`);
    await program.answer();
    await program.kill();
    rmSync(`${file}-shm`);
    const { how, rows, beside, after } = rowsOf(0);
    expect({ how, rows, beside }).toEqual({ how: 'in place', rows: ['one', 'two'], beside: ['opencode.db', 'opencode.db-shm', 'opencode.db-wal'] });
    expect(after).toEqual(['opencode.db', 'opencode.db-wal']);
  });

  test('copies do not stay', async () => {
    make();
    const program = new OtherProgram(file, `db.prepare("INSERT INTO session VALUES ('two')").run(); say('ready'); await told;`);
    await program.answer();
    await program.kill();
    const copies = () => readdirSync(tmpdir()).filter((name) => name.startsWith(`retrace-read-${process.pid}-`));
    const before = copies();
    const { opened } = openWithoutTrace(file);
    expect(copies().length).toBe(before.length + 1);
    opened?.close();
    expect(copies()).toEqual(before);
  });

  test('what can not be read is refused in SQLite’s own words', () => {
    expect(openWithoutTrace(file).refusal).toEqual({ kind: 'missing', reason: 'no such file' });
    writeFileSync(file, '');
    expect(openWithoutTrace(file).refusal).toEqual({ kind: 'damaged', reason: 'the file is empty (0 bytes)' });
    writeFileSync(file, 'This is a broken database. '.repeat(200));
    expect(openWithoutTrace(file).refusal).toEqual({ kind: 'damaged', reason: 'file is not a database' });
  });

  test('one that is read at rest and then written to is stale', async () => {
    make();
    const { opened } = openWithoutTrace(file);
    expect(opened?.isStale()).toBe(false);
    const program = new OtherProgram(file, `db.prepare("INSERT INTO session VALUES ('two')").run(); say('ready'); await told; db.close();`);
    await program.answer();
    expect(opened?.isStale()).toBe(true);
    opened?.close();
    await program.finish();
  });
});

describe('reading leaves no trace in any fixture', () => {
  const cases = [...fixtureNames('opencode').map((name) => ['opencode', name] as const), ...fixtureNames('field').filter((name) => name.startsWith('oc-')).map((name) => ['field', name] as const)];

  test.each(cases)('%s %s', (family, name) => {
    const fixture = openFixture(family, name);
    try {
      const before = filesOf(fixture.home);
      const library = TestLibrary.of(dataFolder(fixture.home));
      library.pass();
      for (const session of library.sessions) for (const { key, part } of session.parts) session.body(key, part.block);
      library.pass();
      expect(filesOf(fixture.home)).toEqual(before);
    } finally {
      fixture.dispose();
    }
  });

  // Root may write everywhere; as another user it is shown that nothing has to be written.
  test.runIf(process.getuid?.() === 0).each(['v118-live', 'v118-main'])('7: %s, folder and files read-only for an ordinary user', (name) => {
    const fixture = openFixture('opencode', name);
    const nobody = 65_534;
    try {
      const data = dataFolder(fixture.home);
      chmodSync(join(fixture.home, '..'), 0o755);
      for (const path of [...readdirSync(data, { recursive: true, encoding: 'utf8' }).map((inside) => join(data, inside)), data]) {
        chownSync(path, nobody, nobody);
        chmodSync(path, existsSync(join(path, '.')) ? 0o555 : 0o444);
      }
      process.seteuid?.(nobody);
      const library = TestLibrary.of(data);
      library.pass();
      expect(library.survey.problem).toBe(null);
      expect(library.natives).toHaveLength(name === 'v118-live' ? 3 : 24);
    } finally {
      process.seteuid?.(0);
      fixture.dispose();
    }
  });
});
