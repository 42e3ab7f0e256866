import { appendFileSync, chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { Checked } from '@shared/contract';
import { changes, creates, PlanHome, present, stateOf, text } from './home.test-support';

const opened: PlanHome[] = [];
afterEach(async () => {
  for (const each of opened.splice(0)) await each.close();
});

async function home(): Promise<PlanHome> {
  const made = await PlanHome.open();
  opened.push(made);
  mkdirSync(made.project, { recursive: true });
  writeFileSync(join(made.project, 'a.txt'), 'one\ntwo\n');
  chmodSync(join(made.project, 'a.txt'), 0o640);
  utimesSync(join(made.project, 'a.txt'), 1_700_000_000, 1_700_000_000);
  return made;
}

test('a plan is shown, applied once, journaled and taken back byte for byte', async () => {
  const at = await home();
  const before = stateOf(at.project);
  const path = join(at.project, 'a.txt');
  const made = join(at.project, 'new/deep/b.txt');
  const plan = await at.plan([changes(at.project, path, 'one\n2\n'), creates(at.project, made, 'new\n')]);
  expect(plan).toMatchObject({
    kind: 'fork', refused: null, stepsTotal: 2, title: expect.stringMatching(/^Fork .* as it is now$/),
    steps: [
      { kind: 'file', act: 'change', path, before: 8, after: 6, added: 1, removed: 1 },
      { kind: 'file', act: 'create', path: made, before: null, after: 4, added: 1, removed: 0 },
    ],
  });
  expect(stateOf(at.project)).toEqual(before);
  expect((await at.ask('plan.file', { plan: plan.id, index: 0 }))?.hunks?.[0]?.lines).toEqual([' one', '-two', '+2']);
  const outcome = await at.ask('plan.apply', { plan: plan.id });
  expect(outcome).toMatchObject({ applied: true, entry: { id: plan.id, state: 'applied', written: [path, made], noUndo: null, backups: 8 } });
  expect(readFileSync(path, 'utf8')).toBe('one\n2\n');
  expect(statSync(path).mode & 0o777).toBe(0o640);
  expect(readFileSync(made, 'utf8')).toBe('new\n');
  expect(readdirSync(at.project).filter((name) => name.includes('.retrace-'))).toEqual([]);
  expect(await at.ask('plan.apply', { plan: plan.id })).toMatchObject({ applied: false, refused: 'It was applied already.' });
  expect((await at.ask('plan.file', { plan: plan.id, index: 0 }))?.hunks?.[0]?.lines).toEqual([' one', '-two', '+2']);

  const undo = await at.undo(plan.id);
  expect(undo).toMatchObject({ kind: 'undo', refused: null, steps: [{ act: 'delete', path: made }, { act: 'change', path }] });
  expect(await at.ask('plan.apply', { plan: undo.id })).toMatchObject({ applied: true, entry: { undoes: plan.id } });
  expect(stateOf(at.project)).toEqual(before);
  expect(await at.ask('journal.entry', { id: plan.id })).toMatchObject({ state: 'undone', undoneBy: undo.id });

  const again = await at.undo(undo.id);
  expect(await at.ask('plan.apply', { plan: again.id })).toMatchObject({ applied: true });
  expect(readFileSync(path, 'utf8')).toBe('one\n2\n');
  expect(readFileSync(made, 'utf8')).toBe('new\n');
  expect(await at.ask('journal.entry', { id: plan.id })).toMatchObject({ state: 'applied', undoneBy: null, noUndo: null });
  const listed = async (filter: Partial<Checked<'journal.list'>>) => {
    const { total, entries } = await at.ask('journal.list', { from: 0, count: 10, ...filter });
    return { total, listed: entries.map(({ kind, state }) => `${kind} ${state}`) };
  };
  expect(await listed({})).toEqual({ total: 3, listed: ['undo applied', 'undo undone', 'fork applied'] });
  expect(await listed({ states: ['undone', 'failed'] })).toEqual({ total: 1, listed: ['undo undone'] });
  expect(await listed({ states: ['applied'], kinds: ['fork'] })).toEqual({ total: 1, listed: ['fork applied'] });
  expect(await listed({ kinds: ['trash'] })).toEqual({ total: 0, listed: [] });
  expect((await at.ask('journal.list', { from: 1, count: 1, states: ['applied'] })).entries.map(({ kind }) => kind)).toEqual(['fork']);
});

test('what is added to a file keeps the file, and goes again', async () => {
  const at = await home();
  const path = join(at.project, 'a.txt');
  const before = stateOf(at.project);
  const { ino } = statSync(path);
  const plan = await at.plan([{ kind: 'file', path, within: at.project, before: present(path), after: { append: Buffer.from('three\n') }, why: 'A line.' }]);
  expect(plan.steps[0]).toMatchObject({ act: 'append', before: 8, after: 14, added: 1, removed: 0 });
  expect(await at.ask('plan.apply', { plan: plan.id })).toMatchObject({ applied: true });
  expect(readFileSync(path, 'utf8')).toBe('one\ntwo\nthree\n');
  expect(statSync(path).ino).toBe(ino);
  await at.ask('plan.apply', { plan: (await at.undo(plan.id)).id });
  expect(stateOf(at.project)).toEqual(before);
});

describe('what moved on is refused and left as it is', () => {
  test('between plan and apply', async () => {
    const at = await home();
    const path = join(at.project, 'a.txt');
    const plan = await at.plan([creates(at.project, join(at.project, 'b.txt'), 'b'), changes(at.project, path, 'x')]);
    appendFileSync(path, 'mine\n');
    expect(await at.ask('plan.apply', { plan: plan.id })).toEqual({ applied: false, refused: `${path} changed since the plan was made.`, stale: true, entry: null });
    expect(readFileSync(path, 'utf8')).toBe('one\ntwo\nmine\n');
    expect(existsSync(join(at.project, 'b.txt'))).toBe(false);
    expect((await at.ask('journal.list', { from: 0, count: 10 })).total).toBe(0);
  });

  test('between apply and undo', async () => {
    const at = await home();
    const path = join(at.project, 'a.txt');
    const plan = await at.plan([changes(at.project, path, 'x\n')]);
    await at.ask('plan.apply', { plan: plan.id });
    appendFileSync(path, 'mine\n');
    const undo = await at.undo(plan.id);
    expect(undo.refused).toBe(`${path} is not as the write left it: it was changed since.`);
    expect(await at.ask('plan.apply', { plan: undo.id })).toMatchObject({ applied: false, stale: true, entry: null });
    expect(readFileSync(path, 'utf8')).toBe('x\nmine\n');
  });
});

test('a deleted file comes back from the trash as it was', async () => {
  const at = await home();
  const path = join(at.project, 'a.txt');
  const before = stateOf(at.project);
  at.writer = { ...at.writer, planAct: () => ({ way: 'The file goes to the trash.', limits: [], session: null, steps: [{ kind: 'file', path, within: at.project, before: present(path), after: null, why: 'The session.' }] }) };
  const plan = await at.ask('plan.act', { session: at.session, act: 'trash' });
  if (plan === null || !('steps' in plan)) throw new Error('no plan');
  expect(await at.ask('plan.apply', { plan: plan.id })).toMatchObject({ applied: true, entry: { kind: 'trash', backups: 8, noUndo: null } });
  expect(existsSync(path)).toBe(false);
  const restore = await at.undo(plan.id);
  expect(restore).toMatchObject({ kind: 'restore', title: 'Bring back from the trash: "Please add a greeting module"' });
  expect(await at.ask('plan.apply', { plan: restore.id })).toMatchObject({ applied: true });
  expect(stateOf(at.project)).toEqual(before);
  // Back into the trash, and out of it again: the first bringing back stands, and the trash is empty.
  const away = await at.undo(restore.id);
  expect(away.title).toBe('Undo: Bring back from the trash: "Please add a greeting module"');
  await at.ask('plan.apply', { plan: away.id });
  expect(await at.ask('plan.restore', { session: at.session })).toMatchObject({ refused: expect.stringContaining('It lies in the trash of Retrace') });
  const again = await at.undo(away.id);
  expect(again.title).toBe('Do again: Bring back from the trash: "Please add a greeting module"');
  await at.ask('plan.apply', { plan: again.id });
  expect(stateOf(at.project)).toEqual(before);
  expect(await at.ask('plan.restore', { session: at.session })).toEqual({ refused: 'Claude Code still has it.', instead: [] });
});

test('of two who confirm one plan one applies it', async () => {
  const at = await home();
  const plan = await at.plan([creates(at.project, join(at.project, 'b.txt'), 'b')]);
  const outcomes = await Promise.all([at.ask('plan.apply', { plan: plan.id }), at.ask('plan.apply', { plan: plan.id })]);
  expect(outcomes.map((outcome) => outcome?.applied)).toEqual([true, false]);
  expect(outcomes[1]).toMatchObject({ refused: 'It is being applied.' });
});

test('a program does its part, what it gives is kept, and its inverse is given that', async () => {
  const at = await home();
  const asked: unknown[] = [];
  at.writer = { ...at.writer, perform: async (_location, call, given) => (asked.push({ call, given }), { session: 'made', count: asked.length }) };
  const plan = await at.plan([
    { kind: 'program', program: 'claude-code', call: { do: 'fork' }, shown: 'claude fork', does: 'Forks.', remains: ['A log line.'], inverse: { call: { do: 'delete' }, shown: 'claude delete', does: 'Deletes it.' } },
  ]);
  expect(await at.ask('plan.apply', { plan: plan.id })).toMatchObject({ applied: true, entry: { result: 'claude-code/made' } });
  await at.ask('plan.apply', { plan: (await at.undo(plan.id)).id });
  expect(asked).toEqual([{ call: { do: 'fork' }, given: null }, { call: { do: 'delete' }, given: { session: 'made', count: 1 } }]);
});

test('when a program fails, files written before it are put back', async () => {
  const at = await home();
  const path = join(at.project, 'a.txt');
  const before = stateOf(at.project);
  at.writer = { ...at.writer, perform: () => Promise.reject(new Error('no server')) };
  const plan = await at.plan([changes(at.project, path, 'x'), creates(at.project, join(at.project, 'n/b.txt'), 'b'), { kind: 'program', program: 'claude-code', call: {}, shown: 'claude', does: 'Does.', remains: [], inverse: null }]);
  const outcome = await at.ask('plan.apply', { plan: plan.id });
  expect(outcome).toMatchObject({ applied: false, refused: 'no server.', entry: { state: 'unsettled', because: ['no server.', 'claude-code was asked to do its part (claude), and it is not known whether it did.'] } });
  expect(stateOf(at.project)).toEqual(before);
});

test('content of unknown size is counted and written', async () => {
  const at = await home();
  const path = join(at.project, 'big.txt');
  const plan = await at.plan([{ ...creates(at.project, path, ''), after: { content: { ...text('abc'), size: null } } }]);
  expect(plan.room[0]?.needed).toBe(3);
  await at.ask('plan.apply', { plan: plan.id });
  expect(readFileSync(path, 'utf8')).toBe('abc');
});
