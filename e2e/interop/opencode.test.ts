import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OpenCode, type OpenCodeServer } from './opencode';
import { type Done, Retrace } from './retrace';
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
  native = await opencode.withServer(async (server) => {
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

const forked = async (way: string, at: string | null): Promise<Done> => retrace.fork(session, { way, ...(at !== null && { at: await retrace.promptThatSays(session, at) }) });
const promptsIn = (pieces: string[]): string[] => pieces.filter((piece) => piece.startsWith('user '));

/** OpenCode lists a fork and goes on with it, by the server that is given or by its command line; the original keeps every row. */
async function expectGoesOn(fork: Done, kept: readonly string[], server: OpenCodeServer | null): Promise<void> {
  const original = rowsOf(opencode.database, native);
  expect(await retrace.list()).toContainEqual(expect.objectContaining({ id: fork.session, parent: expect.objectContaining({ id: session, kind: 'fork', certainty: 'recorded' }) }));
  const said = await retrace.context(fork.session);
  expect(promptsIn(said)).toEqual(kept);
  expect((await (server ?? opencode).list()).map(({ id }) => id)).toContain(fork.native);
  expectSent(await opencode.continue(fork.native, 'onwards', server), said, 'onwards');
  expect((await retrace.context(fork.session)).slice(-2)).toEqual(['user onwards', 'assistant Understood.']);
  expect(rowsOf(opencode.database, native)).toEqual(original);
  expect(checked(opencode.database)).toEqual(['ok', []]);
}

/** A conversation is taken back, brought back, and taken back again, while the files are worked on by hand. */
async function revertTwice(fork: Done, way: string): Promise<void> {
  appendFileSync(join(opencode.place.project, 'tide.txt'), `by hand, ${way}\n`);
  const files = opencode.place.projectFiles();
  const whole = await retrace.context(fork.session);
  const before = await retrace.promptThatSays(fork.session, 'list');
  const once = await retrace.revert(fork.session, before, { way });
  expect(opencode.place.projectFiles()).toEqual(files);
  expect(promptsIn(await retrace.context(fork.session))).toEqual(['user greet', 'user edit']);
  await retrace.undo(once.undo);
  expect(await retrace.context(fork.session)).toEqual(whole);
  await retrace.revert(fork.session, before, { way });
  expect(opencode.place.projectFiles()).toEqual(files);
}

/** What was taken back is not sent, and going on touches no file; returns the prompts after that. */
async function goneOnFromThere(fork: Done, server: OpenCodeServer | null): Promise<string[]> {
  const files = opencode.place.projectFiles();
  const said = await retrace.context(fork.session);
  expectSent(await opencode.continue(fork.native, 'onwards', server), said, 'onwards');
  expect(opencode.place.projectFiles()).toEqual(files);
  return promptsIn(await retrace.context(fork.session));
}

describe('while no OpenCode runs', () => {
  test('a fork by rows is listed, read and gone on with by the command line', async () => {
    const original = rowsOf(opencode.database, native);
    const fork = await forked('rows', null);
    expect(rowsOf(opencode.database, native)).toEqual(original);
    await expectGoesOn(fork, ['user greet', 'user edit', 'user list', 'user make'], null);
  });

  test.each([
    { way: 'rows', at: 'make', kept: ['user greet', 'user edit', 'user list'] },
    { way: 'start', at: 'list', kept: ['user greet', 'user edit'] },
  ])('a fork by $way before $at goes again and leaves the rows as they were; another one is gone on with', async ({ way, at, kept }) => {
    const before = rowsOf(opencode.database);
    const original = rowsOf(opencode.database, native);
    const gone = await forked(way, at);
    expect(rowsOf(opencode.database)).not.toEqual(before);
    await retrace.undo(gone.undo);
    expect(rowsOf(opencode.database)).toEqual(before);
    const fork = await forked(way, at);
    expect(rowsOf(opencode.database, native)).toEqual(original);
    await opencode.withServer((server) => expectGoesOn(fork, kept, server));
  });

  test('a conversation taken back leaves every file alone, comes back, and is what OpenCode goes on from', async () => {
    const fork = await forked('rows', null);
    await revertTwice(fork, 'start');
    expect(await goneOnFromThere(fork, null)).toEqual(['user greet', 'user edit', 'user onwards']);
  });

  test('a fork in a worktree is gone on with there, with the files of that point', async () => {
    const folder = join(opencode.place.home, 'projects/tide-then');
    const fork = await retrace.fork(session, { way: 'rows', at: await retrace.promptThatSays(session, 'list'), worktree: folder });
    expect(readFileSync(join(folder, 'tide.txt'), 'utf8')).toBe('low\nHIGH\n');
    expect(existsSync(join(folder, 'made.txt'))).toBe(false);
    const said = await retrace.context(fork.session);
    expectSent(await opencode.in(folder).continue(fork.native, 'onwards'), said, 'onwards');
    expect(readFileSync(join(folder, 'tide.txt'), 'utf8')).toBe('low\nHIGH\n');
  });

  test('what OpenCode deleted is not put back under its id; a fork of what the library kept is listed and gone on with', async () => {
    const gone = await forked('rows', 'make');
    const said = await retrace.context(gone.session);
    await opencode.withServer((server) => server.delete(gone.native));
    expect(rowsOf(opencode.database, gone.native)['session']).toEqual([]);
    await expect(retrace.act('restore', gone.session)).rejects.toThrow('Instead (fork)');
    const fork = await retrace.fork(gone.session, { way: 'rows' });
    expect(await retrace.context(fork.session)).toEqual(said);
    await opencode.withServer(async (server) => {
      expect((await server.list()).map(({ id }) => id)).toContain(fork.native);
      expectSent(await opencode.continue(fork.native, 'onwards', server), said, 'onwards');
    });
  });
});

describe('beside a running OpenCode', () => {
  let server: OpenCodeServer;
  beforeAll(async () => {
    server = await opencode.serve(usualPort);
  });
  afterAll(() => server?.close());

  test.each([
    { at: 'make', kept: ['user greet', 'user edit', 'user list'] },
    { at: null, kept: ['user greet', 'user edit', 'user list', 'user make'] },
  ])('a fork before $at goes again and leaves the rows as they were; another one is gone on with', async ({ at, kept }) => {
    const before = rowsOf(opencode.database);
    const gone = await forked('server', at);
    expect(rowsOf(opencode.database)).not.toEqual(before);
    await retrace.undo(gone.undo);
    expect(rowsOf(opencode.database)).toEqual(before);
    await expectGoesOn(await forked('server', at), kept, server);
  });

  test('OpenCode forks a fork of Retrace, and Retrace knows what from', async () => {
    const fork = await retrace.fork(session, { way: 'server', title: 'Tides at night' });
    const made = await server.fork(fork.native);
    expect((await retrace.list()).find(({ nativeId }) => nativeId === made)).toMatchObject({ title: 'Tides at night (fork #1)', parent: { id: fork.session, kind: 'fork', certainty: 'inferred' } });
  });

  test('a conversation taken back leaves every file alone, comes back, and is what OpenCode goes on from', async () => {
    const fork = await forked('server', null);
    await revertTwice(fork, 'server');
    expect(await goneOnFromThere(fork, server)).toEqual(['user greet', 'user edit', 'user onwards']);
  });

  test('a session is renamed, archived and brought back as OpenCode lists it', async () => {
    const fork = await forked('server', 'make');
    const listed = async () => (await server.list()).find(({ id }) => id === fork.native);
    await retrace.rename(fork.session, 'Neap tides');
    expect(await listed()).toEqual({ id: fork.native, title: 'Neap tides', archived: false });
    await retrace.act('archive', fork.session);
    expect((await listed())?.archived ?? true).toBe(true);
    await retrace.act('unarchive', fork.session);
    expect(await listed()).toEqual({ id: fork.native, title: 'Neap tides', archived: false });
  });

  test('a session in the trash is listed no more; when the server has ended, undo brings it back with every row', async () => {
    const fork = await forked('server', 'make');
    const said = await retrace.context(fork.session);
    const rows = rowsOf(opencode.database, fork.native);
    const trashed = await retrace.act('trash', fork.session);
    expect((await server.list()).map(({ id }) => id)).not.toContain(fork.native);
    await server.close();
    await retrace.undo(trashed.undo);
    expect(rowsOf(opencode.database, fork.native)).toEqual(rows);
    expect(await retrace.context(fork.session)).toEqual(said);
    expect((await opencode.list()).map(({ id }) => id)).toContain(fork.native);
  });
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
