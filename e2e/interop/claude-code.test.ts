import { appendFileSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stateOf } from '../../electron/engine/plans/home.test-support';
import { ClaudeCode } from './claude-code';
import { Retrace } from './retrace';
import { expectSent } from './sent';

let claude: ClaudeCode;
let retrace: Retrace;
let native = '';
let session = '';

beforeAll(async () => {
  claude = await ClaudeCode.open((project) => [
    {
      when: 'edit',
      steps: [
        { reasoning: 'The high water first.', text: 'Looking.', calls: [{ name: 'Read', input: { file_path: `${project}/tide.txt` } }] },
        { calls: [{ name: 'Edit', input: { file_path: `${project}/tide.txt`, old_string: 'high', new_string: 'HIGH' } }] },
        { text: 'Edited.' },
      ],
    },
    { when: 'run', steps: [{ calls: [{ name: 'Bash', input: { command: 'cat tide.txt', description: 'Show the table' } }] }, { text: 'Ran.' }] },
    { when: 'make', steps: [{ text: 'Making.', calls: [{ name: 'Write', input: { file_path: `${project}/made.txt`, content: 'made\n' } }] }, { text: 'Made.' }] },
  ]);
  retrace = new Retrace(claude.place);
  native = await claude.say('greet');
  for (const prompt of ['edit', 'run', 'make']) await claude.say(prompt, '--resume', native);
  session = (await retrace.only('claude-code')).id;
});

afterAll(() => claude?.close());

const projects = (): Record<string, string> => stateOf(join(claude.place.home, '.claude/projects'));
const promptsIn = (pieces: string[]): string[] => pieces.filter((piece) => piece.startsWith('user ') && !piece.startsWith('user <'));

describe.each([
  { at: null, kept: ['user greet', 'user edit', 'user run', 'user make'] },
  { at: 'make', kept: ['user greet', 'user edit', 'user run'] },
  { at: 'edit', kept: ['user greet'] },
])('a fork before $at', ({ at, kept }) => {
  const forked = async () => retrace.fork(session, at === null ? {} : { at: await retrace.promptThatSays(session, at) });

  test('is gone on with by Claude Code; the original keeps every byte', async () => {
    const transcript = claude.transcripts().find((path) => path.includes(native)) ?? '';
    const before = readFileSync(transcript);
    const fork = await forked();
    expect(await retrace.list()).toContainEqual(expect.objectContaining({ id: fork.session, parent: expect.objectContaining({ id: session, kind: 'fork', certainty: 'recorded' }) }));
    const said = await retrace.context(fork.session);
    expect(promptsIn(said)).toEqual(kept);
    expectSent(await claude.continue(fork.native, 'onwards'), said, 'onwards');
    expect((await retrace.context(fork.session)).slice(-2)).toEqual(['user onwards', 'assistant Understood.']);
    expect(readFileSync(transcript).equals(before)).toBe(true);
    expect(claude.model.unknown).toEqual([]);
  });

  test('goes again, and leaves the store as it was, byte for byte', async () => {
    const before = projects();
    const fork = await forked();
    expect(Object.keys(projects()).some((path) => path.endsWith(`${fork.native}.jsonl`))).toBe(true);
    await retrace.undo(fork.undo);
    expect(projects()).toEqual(before);
  });
});

test('the newest session of the folder is the fork, for Claude Code too', async () => {
  const fork = await retrace.fork(session);
  const said = await retrace.context(fork.session);
  const went: string[] = [];
  expectSent(await claude.model.turnsDuring(async () => void went.push(await claude.say('onwards', '--continue'))), said, 'onwards');
  expect(went).toEqual([fork.native]);
});

test('a renamed session is gone on with; one in the trash is not there for Claude Code until it is taken out', async () => {
  const fork = await retrace.fork(session, { at: await retrace.promptThatSays(session, 'run') });
  await retrace.rename(fork.session, 'Neap tides');
  const said = await retrace.context(fork.session);
  const trashed = await retrace.act('trash', fork.session);
  await expect(claude.say('onwards', '--resume', fork.native)).rejects.toThrow('No conversation found');
  await retrace.undo(trashed.undo);
  expectSent(await claude.continue(fork.native, 'onwards'), said, 'onwards');
  expect((await retrace.list()).find(({ id }) => id === fork.session)?.title).toBe('Neap tides');
});

test('what was deleted from the store is written back and gone on with', async () => {
  const fork = await retrace.fork(session, { at: await retrace.promptThatSays(session, 'make') });
  const said = await retrace.context(fork.session);
  for (const path of claude.transcripts().filter((each) => each.includes(fork.native))) rmSync(path);
  await retrace.act('restore', fork.session);
  expect(await retrace.context(fork.session)).toEqual(said);
  expectSent(await claude.continue(fork.native, 'onwards'), said, 'onwards');
});

test('a fork in a worktree is gone on with there, with the files of that point', async () => {
  const folder = join(claude.place.home, 'projects/tide-then');
  const fork = await retrace.fork(session, { at: await retrace.promptThatSays(session, 'make'), worktree: folder });
  expect(readFileSync(join(folder, 'tide.txt'), 'utf8')).toBe('low\nHIGH\n');
  expect(existsSync(join(folder, 'made.txt'))).toBe(false);
  const said = await retrace.context(fork.session);
  expectSent(await claude.in(folder).continue(fork.native, 'onwards'), said, 'onwards');
});

test('a conversation taken back by a line is what Claude Code goes on from; the line goes again', async () => {
  const { native: id, session: fork } = await retrace.fork(session);
  appendFileSync(join(claude.place.project, 'tide.txt'), 'by hand\n');
  const files = claude.place.projectFiles();
  const [store, whole] = [projects(), await retrace.context(fork)];
  const before = await retrace.promptThatSays(fork, 'run');
  const once = await retrace.revert(fork, before);
  expect(promptsIn(await retrace.context(fork))).toEqual(['user greet', 'user edit']);
  await retrace.undo(once.undo);
  expect(projects()).toEqual(store);
  expect(await retrace.context(fork)).toEqual(whole);

  await retrace.revert(fork, before);
  const said = await retrace.context(fork);
  expectSent(await claude.continue(id, 'onwards'), said, 'onwards');
  expect(promptsIn(await retrace.context(fork))).toEqual(['user greet', 'user edit', 'user onwards']);
  expect(claude.place.projectFiles()).toEqual(files);
});

test('files are taken back one by one; what was written by hand beside them stays, and undo brings them again', async () => {
  const { project } = claude.place;
  appendFileSync(join(project, 'notes.txt'), 'more by hand\n');
  const files = claude.place.projectFiles();
  const back = await retrace.revert(session, await retrace.promptThatSays(session, 'make'), { scope: 'files' });
  expect(existsSync(join(project, 'made.txt'))).toBe(false);
  expect(readFileSync(join(project, 'notes.txt'), 'utf8')).toBe('by hand\nmore by hand\n');
  await retrace.undo(back.undo);
  expect(Object.keys(claude.place.projectFiles())).toEqual(Object.keys(files));
  expect(readFileSync(join(project, 'made.txt'), 'utf8')).toBe('made\n');
});

test('Claude Code takes files of a fork back by the checkpoints that went along', async () => {
  const fork = await retrace.fork(session);
  const made = join(claude.place.project, 'made.txt');
  const prompt = (await retrace.promptThatSays(fork.session, 'make')).split('#')[1] ?? '';
  expect(existsSync(made)).toBe(true);
  await claude.rewindFiles(fork.native, prompt);
  expect(existsSync(made)).toBe(false);
});
