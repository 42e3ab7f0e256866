import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PlanView } from '@shared/model';
import { afterEach, expect, test } from 'vitest';
import { contextOf, drawn } from '../../../plans/drawn.test-support';
import { recordedHome } from '../../../../../e2e/fixtures';
import { PlanHome, stateOf } from '../../../plans/home.test-support';
import { writer } from '.';

const opened: PlanHome[] = [];
afterEach(async () => {
  for (const each of opened.splice(0)) await each.close();
});

async function home(name: string): Promise<PlanHome> {
  const made = await PlanHome.open('claude-code', name);
  made.writer = writer;
  opened.push(made);
  return made;
}

/** Draws, applies and reads; gives what takes it back. */
async function done(at: PlanHome, plan: PlanView): Promise<() => Promise<void>> {
  expect(await at.ask('plan.apply', { plan: plan.id })).toMatchObject({ applied: true, entry: { state: 'applied', noUndo: null } });
  await at.ask('index.run', {});
  return async () => {
    expect(await at.ask('plan.apply', { plan: drawn(await at.undo(plan.id)).id })).toMatchObject({ applied: true });
    await at.ask('index.run', {});
  };
}

const byTitle = async (at: PlanHome): Promise<Map<string | null, string>> => {
  const { sessions } = await at.ask('session.list', { filter: {}, sort: 'created', from: 0, count: 100 });
  return new Map(sessions.filter(({ source }) => source === 'present').map(({ title, id }) => [title, id]));
};

test('a fork is applied, read, and has the context of its point; undo leaves nothing of it', async () => {
  const at = await home('compact');
  const store = join(at.home, '.claude');
  const before = stateOf(store);
  for (const key of ['74701376-ae3d-405d-b8f1-a14ba65a3ef6', undefined]) {
    const point = key === undefined ? {} : { at: `${at.session}#${key}` };
    const wanted = await contextOf(at, at.session, point);
    const plan = drawn(await at.ask('plan.fork', { session: at.session, ...point }));
    const undo = await done(at, plan);
    expect(await contextOf(at, plan.result ?? '')).toEqual(wanted);
    expect(await at.ask('journal.entry', { id: plan.id })).toMatchObject({ resume: { argv: ['claude', '--resume', plan.result?.split('/').at(-1)], cwd: '/home/dev/projects/demo' } });
    const tree = await at.ask('session.get', { session: plan.result ?? '' });
    expect(tree?.edges.map(({ kind, parent, certainty }) => ({ kind, parent, certainty }))).toEqual([{ kind: 'fork', parent: at.session, certainty: 'recorded' }]);
    await undo();
    expect(stateOf(store)).toEqual(before);
  }
});

test('a conversation is taken back and given back, byte for byte', async () => {
  const at = await home('rewind');
  const store = join(at.home, '.claude');
  const before = stateOf(store);
  const now = await contextOf(at, at.session);
  const point = `${at.session}#c51f63ce-8d16-431c-930d-07c3f7434a54`;
  const wanted = await contextOf(at, at.session, { at: point });
  const undo = await done(at, drawn(await at.ask('plan.revert', { session: at.session, before: point, scope: 'conversation', takes: [] })));
  expect(await contextOf(at, at.session)).toEqual(wanted);
  await undo();
  expect(await contextOf(at, at.session)).toEqual(now);
  expect(stateOf(store)).toEqual(before);
});

test('a title and the trash, and both back', async () => {
  const at = await home('titles');
  const store = join(at.home, '.claude');
  const before = stateOf(store);
  const session = (await byTitle(at)).get('Todo app work') ?? '';
  const name = await done(at, drawn(await at.ask('plan.act', { session, act: 'rename', title: 'Another name' })));
  expect((await byTitle(at)).get('Another name')).toBe(session);
  await name();
  const trash = await done(at, drawn(await at.ask('plan.act', { session, act: 'trash' })));
  expect([...(await byTitle(at)).values()]).not.toContain(session);
  // What the library kept can still be forked.
  const wanted = await contextOf(at, session);
  const plan = drawn(await at.ask('plan.fork', { session, title: 'Out of the library' }));
  expect(plan.limits[0]).toBe('1 backup of a checkpoint is gone: Claude Code passes over those files when it rewinds.');
  const fork = await done(at, plan);
  expect(await contextOf(at, (await byTitle(at)).get('Out of the library') ?? '')).toEqual(wanted);
  await fork();
  await trash();
  expect((await byTitle(at)).get('Todo app work')).toBe(session);
  expect(stateOf(store)).toEqual(before);
});

test('a rename that is undone is gone from the list too, and undone, redone and undone again it is what it was', async () => {
  const at = await home('agents');
  const store = join(at.home, '.claude');
  const before = stateOf(store);
  const title = 'Please survey the repo with helpers';
  const session = (await byTitle(at)).get(title) ?? '';
  const listed = async () => [...(await byTitle(at))].find(([, id]) => id === session)?.[0];
  const states = async () => (await at.ask('journal.list', { from: 0, count: 10 })).entries.map(({ kind, state }) => `${kind} ${state}`);
  const rename = drawn(await at.ask('plan.act', { session, act: 'rename', title: 'New name' }));
  await (await done(at, rename))();
  expect(await listed()).toBe(title);
  expect(stateOf(store)).toEqual(before);
  expect(await states()).toEqual(['undo applied', 'rename undone']);
  const [undo] = (await at.ask('journal.list', { from: 0, count: 1 })).entries;
  const undoRedo = await done(at, drawn(await at.undo(undo?.id ?? '')));
  expect(await listed()).toBe('New name');
  expect(await states()).toEqual(['undo applied', 'undo undone', 'rename applied']);
  await undoRedo();
  expect(await listed()).toBe(title);
  expect(stateOf(store)).toEqual(before);
  // The first undo stands again, and so the rename is undone.
  expect(await states()).toEqual(['undo applied', 'undo undone', 'undo applied', 'rename undone']);
});

test('a worktree’s files come back when its undo is taken back, and go with it again', async () => {
  const at = await home('rewind');
  at.maps = [{ from: recordedHome, to: at.home }];
  await at.restart();
  const folder = join(at.home, 'projects/demo fork');
  const before = stateOf(join(at.home, '.claude'));
  const fork = drawn(await at.ask('plan.fork', { session: at.session, at: `${at.session}#b337a1ea-c572-4ee3-a024-ba021e86932e`, worktree: { path: folder } }));
  expect(fork.steps.slice(0, 1)).toMatchObject([{ kind: 'program', shown: expect.stringMatching(/^git -C \/\S+ worktree add --detach '\/.+\/projects\/demo fork' 1afa521af4$/) }]);
  const undo = await done(at, fork);
  const made = stateOf(folder);
  expect(Object.keys(made)).toEqual(['.git', 'README.md', 'app.js', 'greet.js', 'util.js']);
  const written = ['app.js', 'greet.js'].map((name) => made[name]);
  await undo();
  expect(stateOf(folder)).toEqual({});
  expect(stateOf(join(at.home, '.claude'))).toEqual(before);
  const [entry] = (await at.ask('journal.list', { from: 0, count: 1 })).entries;
  const again = drawn(await at.undo(entry?.id ?? ''));
  const undoAgain = await done(at, again);
  expect(Object.keys(stateOf(folder))).toEqual(['.git', 'README.md', 'app.js', 'greet.js', 'util.js']);
  expect(['app.js', 'greet.js'].map((name) => stateOf(folder)[name])).toEqual(written);
  // What somebody changed there since is named by the plan already.
  writeFileSync(join(folder, 'app.js'), 'mine\n');
  expect((await at.undo(again.id)).refused).toBe(`${join(folder, 'app.js')} is not as the write left it: it was changed since.`);
  writeFileSync(join(folder, 'app.js'), 'import { greet } from "./greet.js";\nconsole.log(greet("dev"));\nexport const version = 1;\n');
  await undoAgain();
  expect(stateOf(folder)).toEqual({});
  expect(stateOf(join(at.home, '.claude'))).toEqual(before);
});
