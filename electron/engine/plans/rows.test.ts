import Database from 'better-sqlite3';
import { spawn } from 'node:child_process';
import { readdirSync, renameSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { PlanHome } from './home.test-support';
import { copyOfSession, databaseState } from './rows.test-support';

const opened: PlanHome[] = [];
afterEach(async () => {
  for (const each of opened.splice(0)) await each.close();
});

async function openCode(): Promise<PlanHome> {
  const home = await PlanHome.open('opencode', 'v118-main');
  opened.push(home);
  return home;
}

const withDatabase = (home: PlanHome, work: (db: Database.Database) => void): void => {
  const db = new Database(join(home.home, '.local/share/opencode/opencode.db'));
  work(db);
  db.close();
};

test('rows go in together, the new session shows, and they go again', async () => {
  const home = await openCode();
  const step = copyOfSession(home.home, 'x1');
  const before = databaseState(home.home);
  for (const end of ['-wal', '-shm']) rmSync(step.database + end, { force: true });
  const [session] = [...(step.inserts[0]?.rows() ?? [])];
  const plan = await home.plan([step], { session: String(session?.['id']) as never });
  expect(plan).toMatchObject({ refused: null, steps: [{ kind: 'rows', act: 'insert', tables: [{ table: 'session', rows: 1 }, { table: 'message' }, { table: 'part' }] }], result: `opencode/${String(session?.['id'])}` });
  expect(plan.checked.join(' ')).toContain('No process of this user has');
  const outcome = await home.ask('plan.apply', { plan: plan.id });
  expect(outcome).toMatchObject({ applied: true, entry: { resume: { argv: ['opencode', '--session', String(session?.['id'])] } } });
  expect((await home.ask('session.get', { session: plan.result ?? '' }))?.summary.title).toBe('Copy x1');
  expect(readdirSync(step.within).filter((name) => name.startsWith('opencode.db'))).toEqual(['opencode.db']);
  expect(databaseState(home.home)).toMatchObject({ integrity: [{ integrity_check: 'ok' }], foreignKeys: [] });

  const undo = await home.undo(plan.id);
  expect(undo).toMatchObject({ refused: null, steps: [{ kind: 'rows', act: 'delete' }] });
  expect(await home.ask('plan.apply', { plan: undo.id })).toMatchObject({ applied: true });
  expect(databaseState(home.home)).toEqual(before);

  const again = await home.undo(undo.id);
  expect(await home.ask('plan.apply', { plan: again.id })).toMatchObject({ applied: true });
  withDatabase(home, (db) => expect(db.prepare('SELECT title FROM session WHERE id = ?').pluck().get(session?.['id'])).toBe('Copy x1'));
  const last = await home.undo(plan.id);
  expect(await home.ask('plan.apply', { plan: last.id })).toMatchObject({ applied: true });
  expect(databaseState(home.home)).toEqual(before);
});

test('a database that is a link is not followed', async () => {
  const home = await openCode();
  const step = copyOfSession(home.home, 'x6');
  renameSync(step.database, join(home.home, 'elsewhere.db'));
  symlinkSync(join(home.home, 'elsewhere.db'), step.database);
  expect((await home.plan([step])).refused).toBe(`${step.database} is a link: links are not followed.`);
});

test('a value that moved, another layout and a failing row change nothing', async () => {
  const home = await openCode();
  const step = copyOfSession(home.home, 'x2');
  const plan = await home.plan([step]);
  withDatabase(home, (db) => db.exec("INSERT INTO message SELECT id || 'zz', session_id, time_created, time_updated, data FROM message WHERE session_id = (SELECT min(id) FROM session) LIMIT 1"));
  const before = databaseState(home.home);
  expect(await home.ask('plan.apply', { plan: plan.id })).toMatchObject({ applied: false, stale: true, refused: `${step.database} changed since the plan was made.` });
  expect(databaseState(home.home)).toEqual(before);

  const other = await home.plan([{ ...step, expects: [], schema: { ...step.schema, part: [...(step.schema['part'] ?? []), 'z_new'] } }]);
  expect(other.refused).toMatch(/has another layout than the plan was made for: table part has the columns data, id, message_id/);

  const twice = await home.plan([{ ...step, expects: [], inserts: [...step.inserts, ...step.inserts.slice(0, 1)] }]);
  expect(await home.ask('plan.apply', { plan: twice.id })).toMatchObject({ applied: false, entry: { state: 'failed' }, refused: expect.stringContaining('UNIQUE constraint failed: session.id') });
  expect(databaseState(home.home)).toEqual(before);
});

test('undo refuses when a row was changed, and when another hangs on it', async () => {
  const home = await openCode();
  const step = copyOfSession(home.home, 'x3');
  const id = String([...(step.inserts[0]?.rows() ?? [])][0]?.['id']);
  const plan = await home.plan([step]);
  await home.ask('plan.apply', { plan: plan.id });
  withDatabase(home, (db) => db.prepare('UPDATE session SET title = ? WHERE id = ?').run('Renamed', id));
  expect((await home.undo(plan.id)).refused).toBe(`The row session ${id} in ${step.database} is not as it was written: it was changed since.`);
  withDatabase(home, (db) => {
    db.prepare('UPDATE session SET title = ? WHERE id = ?').run('Copy x3', id);
    db.prepare("INSERT INTO message SELECT 'msg_new', ?, time_created, time_updated, data FROM message LIMIT 1").run(id);
  });
  const hanging = await home.undo(plan.id);
  expect(hanging.refused).toBe(`A row of message in ${step.database} that was made since hangs on session ${id}: it would be lost or left without it.`);
  const before = databaseState(home.home);
  expect(await home.ask('plan.apply', { plan: hanging.id })).toMatchObject({ applied: false });
  expect(databaseState(home.home)).toEqual(before);
  // A subagent or fork that names it without a foreign key.
  withDatabase(home, (db) => {
    db.prepare("DELETE FROM message WHERE id = 'msg_new'").run();
    db.prepare("UPDATE session SET parent_id = ? WHERE id = (SELECT min(id) FROM session)").run(id);
  });
  expect((await home.undo(plan.id)).refused).toContain(`A row of session in ${step.database} that was made since hangs on session ${id}`);
});

test.skipIf(process.platform !== 'linux')('a process that has the database open is seen, named and waited for', async () => {
  const home = await openCode();
  const step = copyOfSession(home.home, 'x4');
  const child = spawn('tail', ['-f', step.database], { stdio: 'ignore' });
  try {
    await delay(300);
    const plan = await home.plan([step]);
    expect(plan.refused).toBe(`tail (process ${child.pid}) has ${step.database} open. End it, and try again.`);
    expect(await home.ask('plan.apply', { plan: plan.id })).toMatchObject({ applied: false, stale: false, refused: plan.refused });
    child.kill();
    await new Promise((done) => child.once('exit', done));
    expect(await home.ask('plan.apply', { plan: plan.id })).toMatchObject({ applied: true });
  } finally {
    child.kill();
  }
});

test('a writer that does not end is waited for, and then refused', { timeout: 30_000 }, async () => {
  const home = await openCode();
  const step = copyOfSession(home.home, 'x5');
  const plan = await home.plan([step]);
  const before = databaseState(home.home);
  const owner = new Database(step.database);
  owner.exec('BEGIN IMMEDIATE');
  const began = Date.now();
  expect(await home.ask('plan.apply', { plan: plan.id })).toMatchObject({ applied: false, refused: `${step.database} is busy: another program is writing it. Nothing was changed.` });
  expect(Date.now() - began).toBeGreaterThan(4_500);
  owner.exec('ROLLBACK');
  owner.close();
  expect(databaseState(home.home)).toEqual(before);
  expect(statSync(step.database).size).toBeGreaterThan(0);
});
