import Database from 'better-sqlite3';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openFixture } from '../../../e2e/fixtures';
import { Shelf } from '../stores/acceptance';
import { codex } from '../stores/codex';
import { OtherProgram } from '../stores/opencode/programs.test-support';

test('8: locked database of Codex: the sessions of its files are all shown, nothing waits, and its tables are read when it is free', async () => {
  const fixture = openFixture('codex', 'names-archive');
  const shelf = new Shelf(fixture.home, codex);
  const blocked = new Shelf(fixture.home, codex);
  try {
    const folder = join(fixture.home, '.codex');
    const name = readdirSync(folder).find((file) => /^state_\d+\.sqlite$/.test(file)) ?? '';
    // Without a WAL an exclusive lock shuts readers out too.
    const db = new Database(join(folder, name));
    db.pragma('journal_mode = DELETE');
    db.close();
    await shelf.pass();
    const whole = shelf.content();
    const program = new OtherProgram(join(folder, name), "db.exec('BEGIN EXCLUSIVE'); say('locked'); await told; db.exec('ROLLBACK'); db.close();");
    await program.answer();
    const started = performance.now();
    await blocked.pass();
    expect(performance.now() - started).toBeLessThan(3_000);
    const texts = (sessions: typeof whole) => sessions.map(({ id, parts }) => [id, parts.map(({ text }) => text?.text)]);
    expect(texts(blocked.content())).toEqual(texts(whole));
    expect(blocked.library.db.prepare('SELECT reason FROM damage').pluck().all()).toEqual([expect.stringMatching(/database is locked/)]);
    // A library that knew the tables keeps what they said.
    await shelf.pass();
    expect(shelf.content()).toEqual(whole);
    await program.finish();
    await blocked.pass();
    expect(blocked.content()).toEqual(whole);
  } finally {
    shelf.dispose();
    blocked.dispose();
    fixture.dispose();
  }
});
