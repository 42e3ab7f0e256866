import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { OpenCode } from './opencode';
import { Retrace } from './retrace';
import { checked, rowsOf } from './rows';
import { expectSent } from './sent';

/** Retrace looks for a running server where OpenCode's own clients do. */
const usualPort = 4096;

let opencode: OpenCode;
let retrace: Retrace;
let native = '';
let session = '';

beforeAll(async () => {
  opencode = await OpenCode.open((project) => [
    { when: 'edit', steps: [{ reasoning: 'The high water first.', text: 'Editing.', calls: [{ name: 'edit', input: { filePath: `${project}/tide.txt`, oldString: 'high', newString: 'HIGH' } }] }, { text: 'Edited.' }] },
    { when: 'list', steps: [{ calls: [{ name: 'todowrite', input: { todos: [{ content: 'Print it', status: 'pending', priority: 'high' }] } }] }, { text: 'Listed.' }] },
    { when: 'make', steps: [{ text: 'Making.', calls: [{ name: 'write', input: { filePath: `${project}/made.txt`, content: 'made\n' } }] }, { text: 'Made.' }] },
  ]);
  retrace = new Retrace(opencode.place);
  native = await opencode.withServer(0, async (server) => {
    const id = await server.create();
    for (const prompt of ['greet', 'edit', 'list', 'make']) await server.say(id, prompt);
    return id;
  });
  session = (await retrace.only('opencode')).id;
});

afterAll(() => opencode?.close());

test('what OpenCode was sent of its own session is what Retrace says of it', async () => {
  expect(session).toBe(`opencode/${native}`);
  const fork = await retrace.context(session);
  expect(fork.filter((piece) => piece.startsWith('user '))).toEqual(['user greet', 'user edit', 'user list', 'user make']);
  expect(opencode.model.unknown).toEqual([]);
});

/** With a server of OpenCode running where Retrace looks for one, when that is the way. */
const beside = <T>(way: string, work: () => Promise<T>): Promise<T> => (way === 'server' ? opencode.withServer(usualPort, work) : work());
const forked = (way: string, at: string | null) => beside(way, async () => retrace.fork(session, { way, ...(at !== null && { at: await retrace.promptThatSays(session, at) }) }));

test.each([
  { way: 'rows', at: null, kept: ['user greet', 'user edit', 'user list', 'user make'] },
  { way: 'rows', at: 'make', kept: ['user greet', 'user edit', 'user list'] },
  { way: 'start', at: 'list', kept: ['user greet', 'user edit'] },
  { way: 'server', at: 'make', kept: ['user greet', 'user edit', 'user list'] },
  { way: 'server', at: null, kept: ['user greet', 'user edit', 'user list', 'user make'] },
])('a fork by $way before $at is listed, read and gone on with by OpenCode; the original keeps every row', async ({ way, at, kept }) => {
  const before = rowsOf(opencode.database, native);
  const fork = await forked(way, at);
  expect(await retrace.list()).toContainEqual(expect.objectContaining({ id: fork.session, parent: expect.objectContaining({ id: session, kind: 'fork', certainty: 'recorded' }) }));
  const said = await retrace.context(fork.session);
  expect(said.filter((piece) => piece.startsWith('user '))).toEqual(kept);
  expect((await opencode.list()).map(({ id }) => id)).toContain(fork.native);
  expectSent(await opencode.continue(fork.native, 'onwards'), said, 'onwards');
  expect((await retrace.context(fork.session)).slice(-2)).toEqual(['user onwards', 'assistant Understood.']);
  expect(rowsOf(opencode.database, native)).toEqual(before);
  expect(checked(opencode.database)).toEqual(['ok', []]);
});

test.each([{ way: 'rows', at: 'make' }, { way: 'start', at: 'list' }, { way: 'server', at: 'make' }])('a fork by $way goes again, and leaves the rows as they were', async ({ way, at }) => {
  const before = rowsOf(opencode.database);
  const fork = await forked(way, at);
  expect(rowsOf(opencode.database)).not.toEqual(before);
  await beside(way, () => retrace.undo(fork.undo));
  expect(rowsOf(opencode.database)).toEqual(before);
});

test('OpenCode forks a fork of Retrace, and Retrace knows what from', async () => {
  const fork = await retrace.fork(session, { way: 'rows', title: 'Tides at night' });
  const made = await opencode.withServer(0, (server) => server.fork(fork.native));
  expect((await retrace.list()).find(({ nativeId }) => nativeId === made)).toMatchObject({ title: 'Tides at night (fork #1)', parent: { id: fork.session, kind: 'fork', certainty: 'inferred' } });
});

test.each(['start', 'server'])('a conversation taken back by %s leaves every file alone, is what OpenCode goes on from, and comes back', async (way) => {
  const { native: id, session: fork } = await retrace.fork(session, { way: 'rows' });
  appendFileSync(join(opencode.place.project, 'tide.txt'), `by hand, ${way}\n`);
  const files = opencode.place.projectFiles();
  const whole = await retrace.context(fork);
  const before = await retrace.promptThatSays(fork, 'list');
  await beside(way, async () => {
    const once = await retrace.revert(fork, before, { way });
    expect(opencode.place.projectFiles()).toEqual(files);
    expect((await retrace.context(fork)).filter((piece) => piece.startsWith('user '))).toEqual(['user greet', 'user edit']);
    await retrace.undo(once.undo);
    expect(await retrace.context(fork)).toEqual(whole);
    expect(opencode.place.projectFiles()).toEqual(files);
    await retrace.revert(fork, before, { way });
  });
  const said = await retrace.context(fork);
  expectSent(await opencode.continue(id, 'onwards'), said, 'onwards');
  expect(opencode.place.projectFiles()).toEqual(files);
  expect((await retrace.context(fork)).filter((piece) => piece.startsWith('user '))).toEqual(['user greet', 'user edit', 'user onwards']);
});

test('files are taken back one by one; what was written by hand beside them stays, and undo brings them again', async () => {
  const { place } = opencode;
  appendFileSync(join(place.project, 'notes.txt'), 'more by hand\n');
  const [made, notes] = [join(place.project, 'made.txt'), join(place.project, 'notes.txt')];
  expect(readFileSync(made, 'utf8')).toBe('made\n');
  const back = await retrace.revert(session, await retrace.promptThatSays(session, 'make'), { scope: 'files' });
  expect(existsSync(made)).toBe(false);
  expect(readFileSync(notes, 'utf8')).toBe('by hand\nmore by hand\n');
  await retrace.undo(back.undo);
  expect(readFileSync(made, 'utf8')).toBe('made\n');
});
