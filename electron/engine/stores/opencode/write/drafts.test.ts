import Database from 'better-sqlite3';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { nativeId } from '@shared/model';
import { type Fixture, openFixture } from '../../../../../e2e/fixtures';
import type { Draft } from '../../store';
import { dataFolder, TestLibrary } from '../library.test-support';
import { OtherProgram } from '../programs.test-support';
import { planAct } from './acts';
import { busy } from './busy';
import { callJson, readCall } from './calls';
import { forkWays, planFork } from './fork';
import { perform } from './perform';
import { planRevert, revertWays } from './revert';
import { restoreRows, savedRows } from './saved-rows';
import { drawn, making, pointBefore, promptsOf, toWrite } from './writing.test-support';

const now = Date.UTC(2026, 11, 20, 12);

let fixture: Fixture;
let file: string;
let project: string;
let program: string;
const path = process.env['PATH'];

/** A store whose sessions lie in a folder that is there, and a program of the right name that is never run. */
beforeEach(() => {
  fixture = openFixture('opencode', 'v118-main');
  file = join(dataFolder(fixture.home), 'opencode.db');
  project = join(fixture.home, 'here');
  const bin = join(fixture.home, 'bin');
  program = join(bin, 'opencode');
  for (const folder of [project, bin]) mkdirSync(folder);
  writeFileSync(program, '#!/bin/sh\nexit 1\n');
  chmodSync(program, 0o755);
  process.env['PATH'] = bin;
  const db = new Database(file);
  db.prepare('UPDATE session SET directory = ?').run(project);
  db.close();
});

afterEach(() => {
  process.env['PATH'] = path;
  fixture.dispose();
});

function library(): TestLibrary {
  const read = TestLibrary.of(dataFolder(fixture.home));
  read.pass();
  return read;
}

/** The first session with at least three prompts and no revert. */
function sessionOf(read: TestLibrary) {
  const native = read.natives.find((id) => promptsOf(toWrite(read, id)).length > 2 && read.session(id).facts.revert === null && read.session(id).facts.kind === 'session');
  return toWrite(read, native ?? '');
}

const callOf = (draft: Draft, at = 0) => {
  const step = draft.steps[at];
  if (step?.kind !== 'program') throw new Error('no program step');
  return { call: readCall(step.call), inverse: step.inverse && readCall(step.inverse.call), shown: step.shown };
};

test('the conversation is taken back by an event of the session, never by the program’s own revert', async () => {
  const session = sessionOf(library());
  const prompts = promptsOf(session);
  const draft = drawn(await planRevert(session, pointBefore(session, prompts[1] ?? ''), { way: 'start' }));
  const { call, inverse, shown } = callOf(draft);
  const last = session.spine.records.filter(({ type }) => type.startsWith('message/')).sort((a, b) => (a.order ?? 0) - (b.order ?? 0)).at(-1);
  const where = { via: { by: 'own', program }, database: file, session: session.native, directory: project };
  expect(call).toEqual({ ...where, do: 'hide', message: prompts[1], expect: { last: last?.key, updated: session.facts.updated, revert: null } });
  expect(inverse).toEqual({ ...where, do: 'show', message: prompts[1] });
  expect(shown).toBe(`opencode serve --port 0 --hostname 127.0.0.1; POST /sync/replay session.updated {"revert":{"messageID":"${prompts[1]}"}}`);
  expect(draft.limits).toEqual([
    'A newer OpenCode than the one that wrote the database brings the database to its version when it starts; that stays.',
    'With the next prompt OpenCode deletes what is hidden; from then on only Retrace’s library has it, and this cannot be undone.',
  ]);
});

test('a point inside a turn goes back to its prompt, as OpenCode does, and says so', async () => {
  const session = sessionOf(library());
  const prompt = promptsOf(session)[1] ?? '';
  const reply = session.spine.records.find(({ type, note }) => type === 'message/assistant' && note?.['parent'] === prompt);
  const draft = drawn(await planRevert(session, pointBefore(session, reply?.key ?? ''), { way: 'start' }));
  expect(callOf(draft).call).toMatchObject({ message: prompt });
  expect(draft.limits).toContain('OpenCode goes back to a prompt: the reply’s whole turn is hidden.');
});

test('without a server and without a choice nothing is started: it is offered, and a fork', async () => {
  const session = sessionOf(library());
  const answer = await planRevert(session, pointBefore(session, promptsOf(session)[1] ?? ''), {});
  expect(answer).toMatchObject({ refused: expect.stringMatching(/4096/), instead: [{ way: 'start' }, { way: 'fork' }] });
  expect(revertWays(session, pointBefore(session, null)).map(({ id, refused }) => [id, refused])).toEqual([['server', 'There is nothing after this point.'], ['start', 'There is nothing after this point.']]);
});

test('a fork by the program copies what is before a message, and names what it does not take along', async () => {
  const session = sessionOf(library());
  const prompt = promptsOf(session)[2] ?? '';
  const draft = drawn(await planFork(session, pointBefore(session, prompt), { way: 'start', title: 'Mine' }, making(now)));
  expect(callOf(draft)).toMatchObject({ call: { do: 'fork', before: prompt, title: 'Mine' }, inverse: { do: 'unfork' } });
  expect([draft.session, draft.limits.at(-1)]).toEqual([null, 'OpenCode’s own fork does not take the list of todos along.']);
});

test('while another program has the database open, no rows are drawn and no second OpenCode is started', async () => {
  const session = sessionOf(library());
  const point = pointBefore(session, null);
  const draft = drawn(await planFork(session, point, {}, making(now)));
  expect(busy(session.location, session.native, draft).busy).toBeNull();
  const other = new OtherProgram(file, "say('open'); await told; db.close();");
  await other.answer();
  const held = `${other.name} (process ${other.pid}) has ${file} open.`;
  expect(busy(session.location, session.native, draft).busy).toBe(held);
  const elsewhere = `${held} It is not seen to be the OpenCode on the path: another one is not started beside it.`;
  expect(forkWays(session, point).map(({ refused }) => refused)).toEqual([`${held} Rows are added only when no program has it open.`, null, elsewhere]);
  expect(await planFork(session, point, { way: 'start' }, making(now))).toEqual({ refused: elsewhere });
  await other.finish();
});

test('a reply that is being written keeps the session from being written to', async () => {
  const db = new Database(file);
  const session = sessionOf(library());
  const draft = drawn(await planFork(session, pointBefore(session, null), {}, making(now)));
  const made = Date.now();
  db.prepare('INSERT INTO message (id, session_id, time_created, time_updated, data) VALUES (?, ?, ?, ?, ?)').run('msg_running', session.native, made, made, JSON.stringify({ role: 'assistant', time: { created: made } }));
  db.close();
  expect(busy(session.location, session.native, draft).busy).toBe('The last reply has no end, and something was written less than half an hour ago: OpenCode may still be at work on it.');
  // Files of its project are not taken back meanwhile either.
  expect(busy(session.location, session.native, { way: '', steps: [], limits: [], session: null }).busy).toBe('The last reply has no end, and something was written less than half an hour ago: OpenCode may still be at work on it.');
  // The library read it before: rows from there would leave the new reply out without a word.
  expect(await planFork(session, pointBefore(session, null), { way: 'rows' }, making(now))).toEqual({ refused: 'The session was changed since Retrace read it; it is read again at the next look, and then a fork can be planned.' });
});

test('a server is asked, and one of one’s own started, in the folder as it lies on this machine', async () => {
  const session = { ...sessionOf(library()), folder: join(fixture.home, 'moved') };
  const nowhere = `OpenCode does this only in the session’s folder, and ${session.folder} is not there.`;
  expect(await planFork(session, pointBefore(session, null), { way: 'start' }, making(now))).toEqual({ refused: nowhere });
  mkdirSync(session.folder);
  expect(session.facts.directory).toBe(project);
  expect(callOf(drawn(await planFork(session, pointBefore(session, null), { way: 'start' }, making(now))))).toMatchObject({ call: { directory: session.folder }, inverse: { directory: session.folder } });
  expect(callOf(drawn(await planRevert(session, pointBefore(session, promptsOf(session)[1] ?? ''), { way: 'start' }))).call).toMatchObject({ directory: session.folder });
  expect(callOf(drawn(await planAct(session, { act: 'archive' }, making(now)))).call).toMatchObject({ directory: session.folder });
});

test('a schema nobody knows is refused by name', async () => {
  const db = new Database(file);
  db.exec('ALTER TABLE part ADD COLUMN colour TEXT');
  db.close();
  const session = sessionOf(library());
  const answer = await planFork(session, pointBefore(session, null), { way: 'rows' }, making(now));
  expect(answer).toEqual({ refused: 'This database is of a generation that is not known (columns of part: colour, data, id, message_id, session_id, time_created, time_updated): nothing is written into it by hand.' });
});

test('a fork at the end takes the todos of now, an earlier one those of the last list before it', async () => {
  const read = library();
  const withTodos = read.natives.map((native) => toWrite(read, native)).filter(({ facts }) => facts.todos.length > 0);
  expect(withTodos.length).toBeGreaterThan(0);
  for (const session of withTodos) {
    const todos = (draft: Draft) => draft.steps.flatMap((step) => (step.kind === 'rows' ? step.inserts.filter(({ table }) => table === 'todo').flatMap(({ rows }) => [...rows()]) : []));
    const end = todos(drawn(await planFork(session, pointBefore(session, null), { way: 'rows' }, making(now))));
    expect(end.map(({ content, status, position }) => [content, status, position])).toEqual(session.facts.todos.map(({ content, status }, position) => [content, status, position]));
    expect(todos(drawn(await planFork(session, pointBefore(session, promptsOf(session)[0] ?? ''), { way: 'rows' }, making(now))))).toEqual([]);
  }
});

test('deleting saves all rows first, those of subagents too, and names these; they come back as they were', async () => {
  const read = library();
  const parent = read.sessions.find(({ facts }) => facts.kind === 'subagent')?.facts.edges[0]?.parent ?? '';
  const session = toWrite(read, parent);
  const children = read.sessions.filter(({ facts }) => facts.edges.some((edge) => edge.parent === parent)).map(({ native }) => native);
  const draft = drawn(await planAct(session, { act: 'trash', children }, making(now)));
  const save = callOf(draft).call;
  if (save?.do !== 'save') throw new Error('not saved first');
  expect([...save.sessions].sort()).toEqual([parent, ...children].sort());
  expect(callOf(draft, 1)).toMatchObject({ call: { do: 'delete', session: parent }, inverse: { do: 'deleted' } });
  expect(draft.limits).toEqual(['A newer OpenCode than the one that wrote the database brings the database to its version when it starts; that stays.']);
  expect(drawn(await planAct(session, { act: 'trash', children: [] }, making(now))).limits.at(-1)).toBe(`OpenCode deletes subagents with their caller; these go along, too: ${save.sessions.slice(1).join(', ')}.`);
  const db = new Database(file);
  const all = () => ['session', 'message', 'part', 'todo', 'event', 'event_sequence'].map((table) => JSON.stringify(db.prepare(`SELECT * FROM ${table} ORDER BY 1, 2`).all()));
  const before = all();
  const given = savedRows(file, save.sessions);
  db.pragma('foreign_keys = ON');
  for (const id of save.sessions) {
    db.prepare('DELETE FROM event WHERE aggregate_id = ?').run(id);
    db.prepare('DELETE FROM event_sequence WHERE aggregate_id = ?').run(id);
    db.prepare('DELETE FROM session WHERE id = ?').run(id);
  }
  expect(all()).not.toEqual(before);
  restoreRows(file, given);
  expect(all()).toEqual(before);
  expect([db.pragma('integrity_check', { simple: true }), db.pragma('foreign_key_check')]).toEqual(['ok', []]);
  db.close();
});

test('renaming and archiving name their way back', async () => {
  const session = sessionOf(library());
  const renamed = callOf(drawn(await planAct(session, { act: 'rename', title: 'New' }, making(now))));
  expect(renamed).toMatchObject({ call: { do: 'rename', from: session.facts.title, to: 'New' }, inverse: { do: 'rename', from: 'New', to: session.facts.title } });
  const archived = callOf(drawn(await planAct(session, { act: 'archive' }, making(now))));
  expect(archived).toMatchObject({ call: { do: 'archive', at: now }, inverse: { do: 'unarchive' } });
});

test('a program that does not start is an error with its words, and a call from elsewhere is none', async () => {
  const session = sessionOf(library());
  const draft = drawn(await planAct(session, { act: 'archive' }, making(now)));
  const step = draft.steps[0];
  const ask = (call: Parameters<typeof perform>[1]) => perform(session.location, call, null, () => undefined, new AbortController().signal);
  await expect(ask(step?.kind === 'program' ? step.call : {})).rejects.toThrow(/^OpenCode did not start as a server: /);
  await expect(ask({ do: 'archive', via: { by: 'running', url: 'http://192.168.0.1:4096' }, database: file, session: 's', directory: '/', at: 1 })).rejects.toThrow('This step is none that Retrace knows for OpenCode.');
  expect(readCall(callJson({ do: 'unarchive', via: { by: 'running', url: 'http://127.0.0.1:4096' }, database: file, session: nativeId('s'), directory: '/' }))).toMatchObject({ do: 'unarchive' });
});
