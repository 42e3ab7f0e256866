import Database from 'better-sqlite3';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type Fixture, openFixture } from '../../../../e2e/fixtures';
import { dataFolder, TestLibrary } from './library.test-support';
import { OtherProgram } from './programs.test-support';

async function within(name: string, action: (library: TestLibrary, file: string, fixture: Fixture) => Promise<void>): Promise<void> {
  const fixture = openFixture('opencode', name);
  try {
    const library = TestLibrary.of(dataFolder(fixture.home));
    await action(library, join(library.location.folder, 'opencode.db'), fixture);
  } finally {
    fixture.dispose();
  }
}

test('8: a database that another process holds exclusively is busy: what was read stays, and it is read when it is free', () =>
  within('v118-main', async (library, file) => {
    // Without a WAL an exclusive lock shuts readers out too.
    const db = new Database(file);
    db.pragma('journal_mode = DELETE');
    db.close();
    library.pass();
    const before = library.natives;
    expect(before).toHaveLength(24);
    const program = new OtherProgram(
      file,
      `db.exec("BEGIN EXCLUSIVE"); db.prepare("UPDATE session SET title = 'Changed', time_updated = 1796000000000 WHERE id LIKE 'ses_e1c685695%'").run();
       say('locked'); await told; db.exec('COMMIT'); db.close();`,
    );
    await program.answer();
    const started = performance.now();
    library.pass();
    expect(performance.now() - started).toBeLessThan(2_000);
    expect(library.survey.problem).toBe('opencode.db: the store is busy (database is locked); it is tried again.');
    expect({ gone: library.survey.gone, changes: library.survey.changes, damage: library.damage }).toEqual({ gone: [], changes: [], damage: [] });
    expect(library.natives).toEqual(before);
    await program.finish();
    library.pass();
    expect(library.survey.problem).toBe(null);
    expect(library.session('ses_e1c685695ffext9gqa0c8sgW3P').facts.title).toBe('Changed');
  }));

test('an exclusive transaction in WAL mode does not stop reading', () =>
  within('v118-main', async (library, file) => {
    const program = new OtherProgram(file, `db.exec("BEGIN EXCLUSIVE"); db.exec("UPDATE session SET title = 'Not yet'"); say('locked'); await told; db.exec('ROLLBACK'); db.close();`);
    await program.answer();
    library.pass();
    expect(library.survey.problem).toBe(null);
    expect(library.session('ses_e1c685695ffext9gqa0c8sgW3P').facts.title).toBe('Add search endpoint to notes API');
    await program.finish();
  }));

test('9: a program that writes 200 rows a second is neither stopped nor misread, and its checkpoint succeeds', () =>
  within('v118-live', async (library, file) => {
    const session = 'ses_e2046f261ffefE1s9Vr81n5g9L';
    const program = new OtherProgram(
      file,
      `const message = db.prepare('INSERT INTO message VALUES (?, ?, ?, ?, ?)'), part = db.prepare('INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)');
       const update = db.prepare('UPDATE part SET data = ?, time_updated = ? WHERE id = ?');
       const errors = []; let rows = 0, done = false; told.then(() => (done = true)); say('ready');
       for (let n = 0; !done; n++) {
         try {
           const now = Date.now(), id = 'msg_live' + String(n).padStart(8, '0'), child = 'prt_live' + String(n).padStart(8, '0');
           db.transaction(() => {
             message.run(id, '${session}', now, now, JSON.stringify({ role: 'assistant', time: { created: now, completed: now }, modelID: 'live', providerID: 'mock', finish: 'stop' }));
             part.run(child, id, '${session}', now, now, JSON.stringify({ type: 'text', text: '' }));
           })();
           update.run(JSON.stringify({ type: 'text', text: 'row ' + n }), Date.now(), child);
           rows += 3;
         } catch (error) { errors.push(error.code); }
         await wait(10);
       }
       const [checkpoint] = db.pragma('wal_checkpoint(TRUNCATE)');
       say({ errors, messages: rows / 3, checkpoint }); db.close();`,
    );
    await program.answer();
    const until = Date.now() + 4_000;
    let passes = 0;
    while (Date.now() < until) {
      library.pass();
      expect(library.survey.problem).toBe(null);
      for (const { parts } of library.sessions) for (const { part } of parts) expect(part.kind).toBeDefined();
      passes++;
      await wait(5);
    }
    await program.finish();
    const { errors, messages, checkpoint } = (await program.answer(2)) as { errors: string[]; messages: number; checkpoint: unknown };
    expect(errors).toEqual([]);
    expect(checkpoint).toEqual({ busy: 0, log: 0, checkpointed: 0 });
    expect(passes).toBeGreaterThan(3);
    expect(messages).toBeGreaterThan(100);

    library.pass();
    expect(library.damage).toEqual([]);
    const texts = library.session(session).parts.filter(({ message }) => message?.startsWith('msg_live')).map(({ part }) => part.text);
    expect(texts).toEqual(Array.from({ length: messages }, (_, n) => `row ${n}`));
    // Nothing is missed and nothing is left over: a new library finds the same.
    const fresh = TestLibrary.of(library.location.folder);
    fresh.pass();
    expect(library.session(session).ordered.map(({ key }) => key)).toEqual(fresh.session(session).ordered.map(({ key }) => key));
  }));
