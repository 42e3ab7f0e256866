import { appendFileSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stateOf } from '../../electron/engine/plans/home.test-support';
import { Codex } from './codex';
import type { Rule } from './mock/script';
import { Retrace } from './retrace';
import { expectSent } from './sent';

const patch = (...lines: string[]): string => ['*** Begin Patch', ...lines, '*** End Patch'].join('\n');

const rules = (): Rule[] => [
  {
    when: 'edit',
    steps: [
      { reasoning: 'The high water first.', text: 'Looking.', calls: [{ name: 'exec_command', input: { cmd: 'cat tide.txt' } }] },
      { calls: [{ name: 'apply_patch', input: patch('*** Update File: tide.txt', '@@', ' low', '-high', '+HIGH') }] },
      { text: 'Edited.' },
    ],
  },
  { when: 'run', steps: [{ calls: [{ name: 'exec_command', input: { cmd: 'echo one; exit 3' } }] }, { text: 'Ran.' }] },
  { when: 'make', steps: [{ text: 'Making.', calls: [{ name: 'apply_patch', input: patch('*** Add File: made.txt', '+made') }] }, { text: 'Made.' }] },
];

const promptsIn = (pieces: string[]): string[] => pieces.filter((piece) => piece.startsWith('user ') && !piece.startsWith('user <'));

let codex: Codex;
let retrace: Retrace;
let native = '';
let session = '';

beforeAll(async () => {
  codex = await Codex.open(rules);
  retrace = new Retrace(codex.place);
  native = await codex.say('greet');
  for (const prompt of ['edit', 'run', 'make']) await codex.say(prompt, 'resume', native);
  session = (await retrace.only('codex')).id;
});

afterAll(() => codex?.close());

const sessions = (): Record<string, string> => stateOf(join(codex.folder, 'sessions'));

describe.each([
  { way: 'by-reference', at: null, kept: ['user greet', 'user edit', 'user run', 'user make'] },
  { way: 'by-reference', at: 'make', kept: ['user greet', 'user edit', 'user run'] },
  { way: 'self-contained', at: null, kept: ['user greet', 'user edit', 'user run', 'user make'] },
  { way: 'self-contained', at: 'run', kept: ['user greet', 'user edit'] },
  { way: 'app-server', at: null, kept: ['user greet', 'user edit', 'user run', 'user make'] },
  { way: 'app-server', at: 'make', kept: ['user greet', 'user edit', 'user run'] },
])('a fork $way before $at', ({ way, at, kept }) => {
  const forked = async () => retrace.fork(session, { way, ...(at !== null && { at: await retrace.promptThatSays(session, at) }) });

  test('is gone on with, listed and read by Codex; the original keeps every byte', async () => {
    const before = sessions();
    const fork = await forked();
    expect(await retrace.list()).toContainEqual(expect.objectContaining({ id: fork.session, parent: expect.objectContaining({ id: session, kind: 'fork', certainty: 'recorded' }) }));
    const said = await retrace.context(fork.session);
    expect(promptsIn(said)).toEqual(kept);
    expectSent(await codex.continue(fork.native, 'onwards'), said, 'onwards');
    expect((await retrace.context(fork.session)).slice(-2)).toEqual(['user onwards', 'assistant Understood.']);
    expect(await codex.list()).toContainEqual({ id: fork.native, forkedFrom: native, turns: kept.length + 1 });
    expect(sessions()).toMatchObject(before);
    expect(codex.model.unknown).toEqual([]);
  });

  test('goes again, and leaves the rollouts as they were, byte for byte', async () => {
    const before = sessions();
    const fork = await forked();
    expect(Object.keys(sessions()).some((path) => path.includes(fork.native))).toBe(true);
    await retrace.undo(fork.undo);
    expect(sessions()).toEqual(before);
  });
});

test('a self-contained fork survives its original, which comes back from the library and is gone on with', async () => {
  const other = await codex.say('greet');
  const fork = await retrace.fork(`codex/${other}`, { way: 'self-contained' });
  const said = await retrace.context(fork.session);
  for (const path of Object.keys(sessions()).filter((name) => name.includes(other))) rmSync(join(codex.folder, 'sessions', path));
  expect(Object.keys(sessions()).filter((name) => name.includes(other))).toEqual([]);
  expectSent(await codex.continue(fork.native, 'onwards'), said, 'onwards');

  const kept = await retrace.context(`codex/${other}`);
  await retrace.act('restore', `codex/${other}`);
  expect(await retrace.context(`codex/${other}`)).toEqual(kept);
  expectSent(await codex.continue(other, 'onwards'), kept, 'onwards');
});

test('a thread is renamed, archived, brought back, and taken away as Codex lists it', async () => {
  const fork = await retrace.fork(session, { way: 'self-contained', at: await retrace.promptThatSays(session, 'run') });
  const said = await retrace.context(fork.session);
  await retrace.rename(fork.session, 'Neap tides');
  expect(await codex.names()).toContainEqual({ id: fork.native, name: 'Neap tides' });
  await retrace.act('archive', fork.session);
  expect((await codex.names()).map(({ id }) => id)).not.toContain(fork.native);
  expect(await codex.names(true)).toEqual([{ id: fork.native, name: 'Neap tides' }]);
  await retrace.act('unarchive', fork.session);
  const trashed = await retrace.act('trash', fork.session);
  expect((await codex.names()).map(({ id }) => id)).not.toContain(fork.native);
  await retrace.undo(trashed.undo);
  expect(await codex.names()).toContainEqual({ id: fork.native, name: 'Neap tides' });
  expectSent(await codex.continue(fork.native, 'onwards'), said, 'onwards');
});

test('a fork in a worktree is gone on with there; of files that Codex keeps no whole text of the plan says that they are as committed', async () => {
  const folder = join(codex.place.home, 'projects/tide-then');
  const fork = await retrace.fork(session, { way: 'self-contained', worktree: folder });
  expect(readFileSync(join(folder, 'made.txt'), 'utf8')).toBe('made\n');
  expect(readFileSync(join(folder, 'tide.txt'), 'utf8')).toBe('low\nhigh\n');
  expect(fork.plan.limits).toContainEqual(expect.stringContaining('tide.txt is as committed'));
  const said = await retrace.context(fork.session);
  expectSent(await codex.in(folder).continue(fork.native, 'onwards'), said, 'onwards');
});

test('a conversation taken back by Codex itself is what it goes on from, and comes back', async () => {
  const { native: id, session: fork } = await retrace.fork(session, { way: 'self-contained' });
  await codex.continue(id, 'first of its own');
  appendFileSync(join(codex.place.project, 'tide.txt'), 'by hand\n');
  const files = codex.place.projectFiles();
  const [store, whole] = [sessions(), await retrace.context(fork)];
  const before = await retrace.promptThatSays(fork, 'run');
  const once = await retrace.revert(fork, before, { way: 'app-server' });
  expect(promptsIn(await retrace.context(fork))).toEqual(['user greet', 'user edit']);
  await retrace.undo(once.undo);
  expect(sessions()).toEqual(store);
  expect(await retrace.context(fork)).toEqual(whole);

  await retrace.revert(fork, before, { way: 'app-server' });
  const said = await retrace.context(fork);
  expectSent(await codex.continue(id, 'onwards'), said, 'onwards');
  expect(promptsIn(await retrace.context(fork))).toEqual(['user greet', 'user edit', 'user onwards']);
  expect(codex.place.projectFiles()).toEqual(files);
});

describe('a thread in the older form', () => {
  let old = '';

  beforeAll(async () => {
    old = await codex.startOlderForm(['greet', 'run', 'ask']);
  });

  test('a copy of it is gone on with by Codex', async () => {
    const before = sessions();
    const fork = await retrace.fork(`codex/${old}`, { way: 'self-contained', at: await retrace.promptThatSays(`codex/${old}`, 'ask') });
    const said = await retrace.context(fork.session);
    expect(promptsIn(said)).toEqual(['user greet', 'user run']);
    expectSent(await codex.continue(fork.native, 'onwards'), said, 'onwards');
    expect(await codex.list()).toContainEqual({ id: fork.native, forkedFrom: old, turns: 3 });
    expect(sessions()).toMatchObject(before);
  });

  test('its conversation is taken back by a line, which goes again', async () => {
    const [store, whole] = [sessions(), await retrace.context(`codex/${old}`)];
    const before = await retrace.promptThatSays(`codex/${old}`, 'run');
    const once = await retrace.revert(`codex/${old}`, before, { way: 'rollback-line' });
    expect(promptsIn(await retrace.context(`codex/${old}`))).toEqual(['user greet']);
    await retrace.undo(once.undo);
    expect(sessions()).toEqual(store);
    expect(await retrace.context(`codex/${old}`)).toEqual(whole);

    await retrace.revert(`codex/${old}`, before, { way: 'rollback-line' });
    const said = await retrace.context(`codex/${old}`);
    expectSent(await codex.continue(old, 'onwards'), said, 'onwards');
    expect(promptsIn(await retrace.context(`codex/${old}`))).toEqual(['user greet', 'user onwards']);
  });
});

test('files are taken back one by one; what was written by hand beside them stays, and undo brings them again', async () => {
  const { project } = codex.place;
  appendFileSync(join(project, 'notes.txt'), 'more by hand\n');
  const back = await retrace.revert(session, await retrace.promptThatSays(session, 'make'), { scope: 'files' });
  expect(existsSync(join(project, 'made.txt'))).toBe(false);
  expect(readFileSync(join(project, 'notes.txt'), 'utf8')).toBe('by hand\nmore by hand\n');
  await retrace.undo(back.undo);
  expect(readFileSync(join(project, 'made.txt'), 'utf8')).toBe('made\n');
});
