import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openFixture } from '../../../../../e2e/fixtures';
import type { Draft, ForkChoices, RevertChoices, SessionAct, WriteRefusal } from '../../store';
import { drive, type DrivenSession, type Driver } from '../drive.test-support';
import { contextOf, requestOf } from '../sent.test-support';
import { applyFiles, drawn, making, pointOf, textOfStep, toWrite } from './draft.test-support';
import { writer } from '.';

const now = Date.UTC(2026, 11, 24, 12);
const id = '01a2a7ec-2200-7000-8000-000000000000';
const usualPath = process.env['PATH'];
const usualZone = process.env['TZ'];

/** A folder with a `codex` that would do nothing, so that its ways are open. */
let programs = '';
beforeEach(() => {
  process.env['TZ'] = 'Pacific/Auckland';
  programs = mkdtempSync(join(tmpdir(), 'retrace-codex-'));
  writeFileSync(join(programs, 'codex'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
});
afterEach(() => {
  process.env['PATH'] = usualPath;
  if (usualZone === undefined) delete process.env['TZ'];
  else process.env['TZ'] = usualZone;
  rmSync(programs, { recursive: true, force: true });
});

interface Opened {
  driver: Driver;
  home: string;
  session(part: string): DrivenSession;
  fork(part: string, said: string | null, choices?: ForkChoices): Draft | WriteRefusal;
  revert(part: string, said: string, choices?: RevertChoices): Draft | WriteRefusal;
  act(part: string, act: SessionAct): Draft | WriteRefusal;
  ways(part: string, said: string | null): Record<string, string | null>;
}

function withHome(name: string, use: (opened: Opened) => void | Promise<void>): void | Promise<void> {
  process.env['PATH'] = usualPath;
  const fixture = openFixture('codex', name);
  process.env['PATH'] = '/nowhere';
  const { driver, sessions } = drive(fixture.home);
  const session = (part: string): DrivenSession => {
    const found = [...sessions.values()].find(({ native }) => native.includes(part));
    if (!found) throw new Error(`no thread ${part}`);
    return found;
  };
  const place = (part: string, said: string | null): [ReturnType<typeof toWrite>, ReturnType<typeof pointOf>] => {
    const thread = session(part);
    const record = said === null ? null : thread.records.findIndex((each) => thread.parts.some((shown) => shown.record === each && shown.body.text?.startsWith(said)));
    if (record === -1) throw new Error(`nobody said ${said}`);
    return [toWrite(thread, driver), pointOf(thread, record)];
  };
  const opened: Opened = {
    driver, home: driver.location.folder, session,
    fork: (part, said, choices = {}) => writer.planFork(...place(part, said), choices, making(now)) as Draft | WriteRefusal,
    revert: (part, said, choices = {}) => writer.planRevert?.(...place(part, said), choices, making(now)) as Draft | WriteRefusal,
    act: (part, act) => writer.planAct?.(toWrite(session(part), driver), act, making(now)) as Draft | WriteRefusal,
    ways: (part, said) => Object.fromEntries(writer.forkWays(...place(part, said)).map(({ id: way, refused }) => [way, refused])),
  };
  const done = use(opened);
  if (done instanceof Promise) return done.finally(() => fixture.dispose());
  fixture.dispose();
}

const root = '93eb-7702';

test('by reference: one line that continues the file which holds the turn, in a folder of the local day', () =>
  withHome('fork-tree', ({ home, fork }) => {
    const draft = drawn(fork(root, 'What does heightAt'));
    expect(draft.session).toBe(id);
    const [step] = draft.steps;
    expect(step).toMatchObject({ kind: 'file', within: home, before: { state: 'absent' } });
    expect(step?.kind === 'file' && relative(home, step.path)).toBe(`sessions/2026/12/25/rollout-2026-12-25T01-00-00-${id}.jsonl`);
    expect(textOfStep(step)).toBe(
      `{"timestamp":"2026-12-24T12:00:00.000Z","ordinal":43,"type":"session_meta","payload":{"session_id":"${id}","id":"${id}","forked_from_id":"01a22802-93eb-7702-8562-6597124c7eff",` +
        '"forked_from_ordinal_exclusive":43,"timestamp":"2026-12-24T12:00:00.000Z","account_scoped":true,"cwd":"/home/dev/projects/tidepool","runtime_workspace_roots":["/home/dev/projects/tidepool"],' +
        '"originator":"driver","cli_version":"0.171.0","source":"vscode","model_provider":"mock","base_instructions":{"text":"You are a coding agent. Keep answers short.","provenance":{"type":"custom"}},' +
        '"history_mode":"paginated","git":{"commit_hash":"4b64fe5ca89c3fe0e3e86a36d53ade6261d066b5","branch":"main","repository_url":"https://github.com/example/tidepool.git"},' +
        '"history_base":{"thread_id":"01a22802-93eb-7702-8562-6597124c7eff","end_ordinal_exclusive":43,"end_byte_offset":39230},"context_window":{"window_id":"01a2a7ec-2200-7000-8000-000000000001"}}}\n',
    );
    expect(draft.expects).toEqual([
      { path: join(home, 'sessions/2026/11/29/rollout-2026-11-29T15-53-07-01a22802-93eb-7702-8562-6597124c7eff.jsonl'), within: home, bytes: 39230, sha256: draft.expects?.[0]?.sha256 },
    ]);
    expect(draft.limits).toEqual([
      'It needs sessions/2026/11/29/rollout-2026-11-29T15-53-07-01a22802-93eb-7702-8562-6597124c7eff.jsonl: should that go, the fork cannot be opened any more. Neither Codex nor Retrace deletes a thread that a fork needs.',
      `Codex lists the fork once it has a message of its own; until then \`codex resume ${id}\` opens it.`,
      'Codex’s thread table (state_*.sqlite) needs nothing: Codex finds the file and adds its row.',
    ]);
  }));

test('a fork of a fork, cut in what it inherited, continues the file that holds the turn, as Codex does', () =>
  withHome('fork-tree', ({ fork }) => {
    const text = textOfStep(drawn(fork('9caf-7260', 'Say beta')).steps[0]);
    expect(text).toContain('"forked_from_id":"01a22802-9caf-7260-abd6-9a91ec9221ef","forked_from_ordinal_exclusive":43');
    expect(text).toContain('"history_base":{"thread_id":"01a22802-93eb-7702-8562-6597124c7eff","end_ordinal_exclusive":43,"end_byte_offset":39230}');
  }));

test('self-contained: the lines of all files as they are, without the first line of each', () =>
  withHome('fork-tree', ({ home, fork, session }) => {
    const draft = drawn(fork('9caf-7260', null, { way: 'self-contained', directory: '/home/dev/projects/tidepool-fork' }));
    const lines = textOfStep(draft.steps[0]).split('\n');
    const file = (name: string) => readFileSync(join(home, 'sessions/2026/11/29', name), 'utf8').split('\n');
    const own = file('rollout-2026-11-29T15-53-09-01a22802-9caf-7260-abd6-9a91ec9221ef.jsonl');
    const between = file('rollout-2026-11-29T15-53-09-01a22802-9b70-7672-bdec-cb4616154e1e.jsonl');
    expect(lines.slice(1)).toEqual([...file('rollout-2026-11-29T15-53-07-01a22802-93eb-7702-8562-6597124c7eff.jsonl').slice(1, 43), ...between.slice(1, 11), ...own.slice(1)]);
    expect(lines[0]).toContain('"ordinal":0,');
    expect(lines[0]).not.toContain('history_base');
    expect(lines[0]).toContain('"cwd":"/home/dev/projects/tidepool-fork","runtime_workspace_roots":["/home/dev/projects/tidepool-fork"]');
    expect(lines[0]).not.toContain('"git"');
    expect(draft.expects?.map(({ bytes }) => bytes)).toEqual([39230, 7017, own.join('\n').length]);
    expect(session('9caf-7260').native).toBe('01a22802-9caf-7260-abd6-9a91ec9221ef');
  }));

test('a thread whose files are gone is forked from the library, by a copy', () =>
  withHome('fork-tree', ({ driver, home, session }) => {
    const thread = session('9caf-7260');
    const { items } = requestOf(thread, driver, contextOf(thread));
    rmSync(join(home, 'sessions'), { recursive: true });
    const gone = toWrite(thread, driver, false);
    expect(writer.forkWays(gone, pointOf(thread, null)).map(({ refused }) => refused)).toEqual([
      'The original’s file is not there any more: only a copy can be made, from the library.', null, 'Codex itself does this, and no `codex` was found on the PATH.',
    ]);
    const draft = drawn(writer.planFork(gone, pointOf(thread, null), {}, making(now)) as Draft);
    expect(draft.expects).toEqual([]);
    applyFiles(draft);
    const again = drive(join(home, '..'));
    const fork = again.sessions.get(id);
    expect(fork && requestOf(fork, again.driver, contextOf(fork)).items).toEqual(items);
  }));

test('a point inside a turn stands for the turn; before the first turn nothing would be kept', () =>
  withHome('fork-tree', ({ fork }) => {
    const inside = drawn(fork(root, 'It returns 0'));
    expect(inside.limits[0]).toBe('Codex can only be cut between turns: the turn this message is in is left out whole.');
    expect(textOfStep(inside.steps[0])).toContain('"end_ordinal_exclusive":43');
    expect(fork(root, 'Add a tide height')).toEqual({ refused: 'No whole turn stands before this point: nothing would be kept. A new thread is begun with `codex`.' });
  }));

test('threads of the older form are copied with their first line, and named in the list', () =>
  withHome('legacy-0125', ({ home, fork, ways }) => {
    expect(ways('fdc2-7220', 'Say two')).toEqual({
      'by-reference': 'Files of this form cannot be continued by another one; a copy can be made.', 'self-contained': null, 'app-server': 'Codex itself does this, and no `codex` was found on the PATH.',
    });
    const draft = drawn(fork('fdc2-7220', 'Say two', { title: 'A second try' }));
    const lines = textOfStep(draft.steps[0]).split('\n');
    const original = readFileSync(join(home, 'sessions/2026/11/29/rollout-2026-11-29T15-54-39-01a22803-fdc2-7220-b580-0d46e579cdfe.jsonl'), 'utf8').split('\n');
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ type: 'session_meta', payload: { id, forked_from_id: '01a22803-fdc2-7220-b580-0d46e579cdfe', cwd: '/home/dev/projects/harbor' } });
    expect(lines.slice(1, -1)).toEqual(original.slice(0, lines.length - 2));
    expect(lines.at(-2)).toContain('"type":"task_complete"');
    expect(draft.steps[1]).toMatchObject({ kind: 'file', path: join(home, 'session_index.jsonl'), before: { state: 'present', bytes: 123 } });
    expect(textOfStep(draft.steps[1])).toBe(`{"id":"${id}","thread_name":"A second try","updated_at":"2026-12-24T12:00:00.000Z"}\n`);
  }));

test('the oldest forms become lines that current releases go on with', () =>
  withHome('ts-cli', ({ fork }) => {
    const lines = textOfStep(drawn(fork('9d91565c', 'Run something')).steps[0]).trimEnd().split('\n').map((line) => JSON.parse(line) as { type: string; payload: { type?: string } });
    expect(lines.map(({ type, payload }) => payload.type ?? type)).toEqual([
      'session_meta', 'message', 'user_message', 'reasoning', 'message', 'agent_message', 'local_shell_call', 'function_call_output', 'function_call', 'function_call_output', 'message', 'agent_message',
    ]);
  }));

test('Codex forks where its program is there, told the last turn that is kept', () =>
  withHome('fork-tree', ({ fork, ways }) => {
    process.env['PATH'] = programs;
    expect(ways(root, 'Say three')).toEqual({ 'by-reference': null, 'self-contained': null, 'app-server': null });
    const { steps, session } = drawn(fork(root, 'Say three', { way: 'app-server', title: 'Tide talk' }));
    expect(session).toBeNull();
    expect(steps).toMatchObject([
      {
        kind: 'program', call: { do: 'fork', thread: '01a22802-93eb-7702-8562-6597124c7eff', lastTurn: '01a22802-9995-7770-bfca-7b61ca13eb37', title: 'Tide talk' },
        shown: 'codex app-server: thread/fork {threadId: "01a22802-93eb-7702-8562-6597124c7eff", lastTurnId: "01a22802-9995-7770-bfca-7b61ca13eb37"}, then thread/name/set {name: "Tide talk"}',
        inverse: { call: { do: 'delete fork' } },
      },
    ]);
  }));

test('going back: Codex does it in its newer form, a line in its older one, and neither in what cannot be resumed', async () => {
  await withHome('fork-tree', ({ revert, home }) => {
    expect(revert(root, 'Say three')).toMatchObject({ refused: 'Codex itself does this, and no `codex` was found on the PATH. A fork before this point needs no program.' });
    process.env['PATH'] = programs;
    const from = join(home, 'sessions/2026/11/29/rollout-2026-11-29T15-53-07-01a22802-93eb-7702-8562-6597124c7eff.jsonl');
    const draft = drawn(revert(root, 'Say three'));
    expect(draft.steps).toMatchObject([
      {
        call: { do: 'revert', thread: '01a22802-93eb-7702-8562-6597124c7eff', beforeTurn: '01a22802-99de-7fc1-8096-254713caed28', from },
        does: 'Codex takes back 2 turns. The old file keeps every line.', inverse: { call: { do: 'take back revert', from } },
      },
    ]);
  });
  await withHome('legacy-0125', ({ revert }) => {
    const draft = drawn(revert('0266-78f2', 'Say six'));
    expect(draft.steps[0]).toMatchObject({ kind: 'file', before: { state: 'present' } });
    expect(textOfStep(draft.steps[0])).toBe('{"timestamp":"2026-12-24T12:00:00.000Z","type":"event_msg","payload":{"type":"thread_rolled_back","num_turns":2}}\n');
    expect(revert('0266-78f2', 'Say five')).toMatchObject({ refused: 'No turn of the thread as it is now stands behind this point: nothing would be taken back.' });
    expect(revert('0595-72a3', 'Say after')).toMatchObject({ refused: 'The turns that would be taken back hold a compaction: what stood before it would come back without the model’s answers.' });
    expect(revert('144e-7a31', 'Say stored')).toMatchObject({ refused: 'The thread is archived: it has to be brought back first.' });
  });
  await withHome('bare-020', ({ revert }) => expect(revert('51be91a3', 'Count')).toMatchObject({ refused: 'Current releases of Codex do not read files of this form.', instead: [{ way: 'fork' }] }));
});

test('names and the archive are Codex’s to change; a thread that forks need is not thrown away', () =>
  withHome('fork-tree', ({ act }) => {
    const title = { act: 'rename', title: 'Tides' } as const;
    expect(act(root, title)).toEqual({ refused: 'Codex itself does this, and no `codex` was found on the PATH.' });
    process.env['PATH'] = programs;
    expect(drawn(act(root, title)).steps).toMatchObject([{ call: { do: 'name', name: 'Tides' }, inverse: { call: { do: 'name', name: 'Add a tide height function' } } }]);
    expect(drawn(act(root, { act: 'archive' })).steps).toMatchObject([{ call: { do: 'archive' }, inverse: { call: { do: 'unarchive' } } }]);
    expect(act(root, { act: 'unarchive' })).toEqual({ refused: 'The thread is not archived.' });
    expect(act(root, { act: 'trash', children: [] })).toMatchObject({ refused: expect.stringMatching(/^5 threads that are a fork of it could not be opened without it: 01a22802-9abd-7720-8904-788c1a93df78, .*They would have to go first\.$/) });
    const gone = drawn(act('9fd5-7bd0', { act: 'trash', children: [] }));
    expect(gone.steps).toMatchObject([{ kind: 'file', before: { state: 'present' }, after: null }]);
  }));

test('archived threads: a fork of their files, and Codex only brings them back', () =>
  withHome('names-archive', ({ act, fork, ways }) => {
    process.env['PATH'] = programs;
    expect(ways('4c8e-7240', null)).toEqual({ 'by-reference': null, 'self-contained': null, 'app-server': 'Codex forks no archived thread: it would have to be brought back first.' });
    expect(drawn(fork('4c8e-7240', null)).limits[0]).toBe('What it is made of lies among the archived threads; the fork itself is not archived.');
    expect(act('4c8e-7240', { act: 'rename', title: 'x' })).toEqual({ refused: 'Codex renames no archived thread: it has to be brought back first.' });
    expect(drawn(act('4c8e-7240', { act: 'unarchive' })).steps).toMatchObject([{ call: { do: 'unarchive' } }]);
  }));

test('a thread is busy while its lock is held; a fork only reads', async () =>
  withHome('legacy-0125', async ({ driver, home, fork, revert, session }) => {
    const { native } = session('0266-78f2');
    const back = drawn(revert('0266-78f2', 'Say six'));
    const free = await writer.busy(driver.location, native, back);
    expect(free.busy).toBeNull();
    expect(free.checked[0]).toBe('Codex does not hold the thread’s lock.');
    expect(await writer.busy(driver.location, native, drawn(fork('0266-78f2', 'Say six')))).toEqual({
      busy: null, checked: ['The original is only read up to the end of a turn; Codex may go on in it meanwhile.'],
    });
    mkdirSync(join(home, 'thread-writer-locks'));
    // After a kill the file stays, without anybody who holds it.
    writeFileSync(join(home, 'thread-writer-locks', `${native}.lock`), '');
    expect((await writer.busy(driver.location, native, back)).busy).toBeNull();
  }));
