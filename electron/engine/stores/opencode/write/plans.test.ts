import Database from 'better-sqlite3';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { contextOf, drawn } from '../../../plans/drawn.test-support';
import { PlanHome, stateOf } from '../../../plans/home.test-support';
import { dataFolder } from '../library.test-support';
import { OtherProgram } from '../programs.test-support';
import { writer } from '.';

const opened: PlanHome[] = [];
afterEach(async () => {
  for (const each of opened.splice(0)) await each.close();
});

async function home(name: string): Promise<PlanHome> {
  const made = await PlanHome.open('opencode', name);
  made.writer = writer;
  opened.push(made);
  return made;
}

/** Every row of every table, by table. */
function rowsOf(file: string): Record<string, string> {
  const db = new Database(file);
  const tables = db.prepare<[], string>("SELECT name FROM sqlite_master WHERE type = 'table'").pluck().all();
  const rows = Object.fromEntries(tables.map((table) => [table, JSON.stringify(db.prepare(`SELECT * FROM ${table} ORDER BY 1, 2`).all())]));
  expect([db.pragma('integrity_check', { simple: true }), db.pragma('foreign_key_check')]).toEqual(['ok', []]);
  db.close();
  return rows;
}

/** A session with three prompts, and the id of its third. */
async function longSession(at: PlanHome): Promise<{ session: string; prompt: string }> {
  const { sessions } = await at.ask('session.list', { filter: {}, sort: 'created', from: 0, count: 100 });
  for (const { id, kind, reverted } of sessions) {
    if (kind !== 'session' || reverted) continue;
    const answer = await at.ask('session.parts', { session: id, from: 0, count: 200 });
    const prompts = [...new Set((answer?.parts ?? []).filter(({ message, injected }) => message.role === 'user' && !injected).map(({ message }) => message.id))];
    if (prompts[2]) return { session: id, prompt: prompts[2] };
  }
  throw new Error('no long session');
}

/** Three layouts in the slow run; the usual one takes the newest and the oldest, between which the third lies. */
const layouts = ['v118-main', 'v12-sqlite', ...(process.env['RETRACE_SLOW'] === '1' ? ['v115-mid'] : [])];

test.each(layouts)('%s: a fork is applied, read, and has the context of its point; undo leaves nothing of it', async (name) => {
  const at = await home(name);
  const file = join(dataFolder(at.home), 'opencode.db');
  const before = rowsOf(file);
  const { session, prompt } = await longSession(at);
  for (const point of [{ at: prompt }, {}]) {
    const wanted = await contextOf(at, session, point);
    const plan = drawn(await at.ask('plan.fork', { session, ...point }));
    expect(plan.ways.map(({ id, refused, chosen }) => [id, refused === null, chosen])).toEqual([['rows', true, true], ['server', false, false], ['start', false, false]]);
    expect(await at.ask('plan.apply', { plan: plan.id })).toMatchObject({ applied: true, entry: { state: 'applied', noUndo: null, result: plan.result } });
    await at.ask('index.run', {});
    expect(await contextOf(at, plan.result ?? '')).toEqual(wanted);
    const found = await at.ask('session.get', { session: plan.result ?? '' });
    expect(found?.edges.map(({ kind, parent, certainty }) => ({ kind, parent, certainty }))).toEqual([{ kind: 'fork', parent: session, certainty: 'recorded' }]);
    const undo = drawn(await at.undo(plan.id));
    expect(await at.ask('plan.apply', { plan: undo.id })).toMatchObject({ applied: true });
    expect(rowsOf(file)).toEqual(before);
    expect(existsSync(`${file}-wal`)).toBe(false);
  }
}, 60_000);

test('a fork that was gone on with is not taken back', async () => {
  const at = await home('v118-main');
  const file = join(dataFolder(at.home), 'opencode.db');
  const { session, prompt } = await longSession(at);
  const plan = drawn(await at.ask('plan.fork', { session, at: prompt }));
  await at.ask('plan.apply', { plan: plan.id });
  const db = new Database(file);
  const native = plan.result?.split('/').at(-1);
  db.prepare('INSERT INTO message (id, session_id, time_created, time_updated, data) VALUES (?, ?, ?, ?, ?)').run('msg_zz', native, 1, 1, '{"role":"user","time":{"created":1}}');
  db.close();
  expect((await at.undo(plan.id)).refused).toMatch(/^A row of message in .* that was made since hangs on session ses_/);
});

test('a session that goes on between plan and apply is refused, and nothing is written', async () => {
  const at = await home('v118-main');
  const file = join(dataFolder(at.home), 'opencode.db');
  const { session, prompt } = await longSession(at);
  const plan = drawn(await at.ask('plan.fork', { session, at: prompt }));
  const db = new Database(file);
  const native = session.split('/').at(-1);
  db.prepare('INSERT INTO message (id, session_id, time_created, time_updated, data) VALUES (?, ?, ?, ?, ?)').run('msg_zz', native, 1, 1, '{"role":"user","time":{"created":1}}');
  db.close();
  const before = rowsOf(file);
  expect(await at.ask('plan.apply', { plan: plan.id })).toMatchObject({ applied: false, stale: true, refused: `${file} changed since the plan was made.` });
  expect(rowsOf(file)).toEqual(before);
});

test('a program that opens the database between plan and apply is seen and named, there and in the next plan; the plan says once what was looked at', async () => {
  const at = await home('v118-main');
  const file = join(dataFolder(at.home), 'opencode.db');
  const { session, prompt } = await longSession(at);
  const plan = drawn(await at.ask('plan.fork', { session, at: prompt }));
  expect(plan.checked).toEqual([`No process of this user has ${file} open.`, 'The last reply of the session has ended.']);
  const other = new OtherProgram(file, "say('open'); await told; db.close();");
  await other.answer();
  const held = `${other.name} (process ${other.pid}) has ${file} open.`;
  expect(await at.ask('plan.apply', { plan: plan.id })).toMatchObject({ applied: false, refused: held });
  // Who looks before it is drawn is told the same.
  expect(await at.ask('plan.fork', { session, at: prompt, way: 'rows' })).toEqual({ refused: `${held} Rows are added only when no program has it open.`, instead: [] });
  await other.finish();
  expect(await at.ask('plan.apply', { plan: plan.id })).toMatchObject({ applied: true });
});

test('a fork of a session in files is files, and undo takes them and their folders away', async () => {
  const at = await home('v11-json');
  const store = dataFolder(at.home);
  const before = stateOf(store);
  const { session, prompt } = await longSession(at);
  const wanted = await contextOf(at, session, { at: prompt });
  const plan = drawn(await at.ask('plan.fork', { session, at: prompt }));
  expect(await at.ask('plan.apply', { plan: plan.id })).toMatchObject({ applied: true });
  await at.ask('index.run', {});
  expect(await contextOf(at, plan.result ?? '')).toEqual(wanted);
  await at.ask('plan.apply', { plan: drawn(await at.undo(plan.id)).id });
  expect(stateOf(store)).toEqual(before);
});
