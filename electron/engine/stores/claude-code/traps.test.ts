import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { type Fixture, openFixture } from '../../../../e2e/fixtures';
import { drive, type DrivenSession, type DrivenStore } from './drive.test-support';
import { claudeCode } from './index';

/** The things a reader of these files gets wrong first. Each is a test on files that the program wrote itself. */
const opened: Fixture[] = [];
afterAll(() => opened.forEach((fixture) => fixture.dispose()));

function open(name: string, change?: (home: string) => void): DrivenStore {
  const fixture = openFixture('claude-code', name);
  opened.push(fixture);
  change?.(fixture.home);
  return drive(claudeCode, fixture.home);
}

const sessionOf = (store: DrivenStore, native: string): DrivenSession => {
  const session = store.sessions.get(native);
  if (!session) throw new Error(`no session ${native}`);
  return session;
};

/** The only session of a store that is none of a subagent's. */
function only(store: DrivenStore): DrivenSession {
  const [session, ...others] = [...store.sessions.values()].filter(({ facts }) => facts.kind === 'session' && !facts.ignored);
  if (!session || others.length > 0) throw new Error('not one session');
  return session;
}

const current = (session: DrivenSession): number[] => session.settled.branches.find((branch) => branch.current)?.path ?? [];
const indexOf = (session: DrivenSession, key: string): number => session.records.findIndex((record) => record.key === key);
const prompts = (session: DrivenSession, path: number[]): (string | null)[] =>
  path.flatMap((index) => (session.records[index]?.message?.prompt ? (session.records[index]?.parts ?? []).map((part) => part.text) : []));
const answered = (session: DrivenSession): number => [...session.messages.values()].filter((message) => message.role === 'assistant' && message.counted).length;
const entryAt = (store: DrivenStore, session: DrivenSession, index: number) => {
  const record = session.records[index];
  return JSON.parse(store.bytesOf(record?.source ?? '').subarray(record?.at, (record?.at ?? 0) + (record?.bytes ?? 0)).toString('utf8'));
};

function transcript(home: string, session: string): string {
  const root = join(home, '.claude/projects');
  const found = readdirSync(root, { recursive: true, encoding: 'utf8' }).find((name) => name.endsWith(`${session}.jsonl`));
  return join(root, found ?? '');
}

const changeLines = (session: string, change: (lines: string[]) => string[]) => (home: string) => {
  const path = transcript(home, session);
  writeFileSync(path, `${change(readFileSync(path, 'utf8').split('\n').filter(Boolean)).join('\n')}\n`);
};

const rewind = '668bfb69-92c3-4453-af88-82ab42de9ae5';

test('1. one API message is several lines with the same usage: it is one message, counted once', () => {
  const session = only(open('compact'));
  const lines = session.records.filter((record) => record.message?.key === 'msg_01AAAAAAAAAAAfzjybp30002');
  expect(lines.map((record) => record.parts[0]?.kind)).toEqual(['reasoning', 'text', 'tool']);
  expect(session.messages.get('msg_01AAAAAAAAAAAfzjybp30002')?.tokens).toEqual({ input: 11, cacheWrite: 282, cacheRead: 1409, output: 89, reasoning: 0 });
});

test('2. copies keep the ids of answers, with the same record ids or with new ones: a request belongs to one session', () => {
  for (const name of ['fork', 'fork-1.0.16', 'fork-1.0.128', 'fork-2.0.77', 'fork-2.1.59', 'bgfork', 'titles']) {
    const store = open(name);
    const owners = new Map<string, string[]>();
    for (const session of store.sessions.values()) {
      const inherited = new Set(session.edges.flatMap((edge) => edge.inherited));
      for (const [key, message] of session.messages) if (message.tokens && !inherited.has(key)) owners.set(key, [...(owners.get(key) ?? []), session.native]);
    }
    expect([...owners.values()].filter((sessions) => sessions.length !== 1), name).toEqual([]);
  }
});

test('3. results of parallel calls are no branch, and stand where they were written', () => {
  const session = only(open('rewind-root'));
  const [left, active] = session.settled.branches;
  expect(session.settled.branches).toHaveLength(2);
  expect(active?.current).toBe(true);
  expect(session.records.filter((record) => record.parts[0]?.tool?.name === 'Edit')).toHaveLength(2);
  const path = left?.path ?? [];
  const results = session.records.flatMap((record, index) => (record.results.length > 0 && path.includes(index) ? [index] : []));
  // Both results of the two edits are on the branch, in the order of the file.
  expect(results).toEqual(results.toSorted((a, b) => a - b));
  expect(session.parts.filter((part) => part.fact.tool?.name === 'Edit').every((part) => part.result && path.includes(session.records.indexOf(part.result.record as never)))).toBe(true);
});

test('3b. parallel results in the order in which they ended (2.1.59) make no branch either', () => {
  const session = only(open('legacy-2.1.59'));
  const calls = session.parts.filter((part) => part.fact.tool?.name === 'TaskUpdate');
  expect(calls.map((part) => part.result?.fact.callId)).toEqual(calls.map((part) => part.fact.tool?.callId));
  const at = (part: (typeof calls)[number]) => session.records.findIndex((record) => record.key === part.result?.record.key);
  // The result of the second call was written first.
  expect(at(calls[0] as never)).toBeGreaterThan(at(calls[1] as never));
  expect(session.settled.branches).toHaveLength(2);
});

test('4. attachments, system and progress lines stand inside the chain, and the tree is walked through them', () => {
  const session = only(open('legacy-2.1.59'));
  const progress = session.records.filter((record) => record.type.startsWith('progress/'));
  expect(progress.length).toBe(8);
  expect(progress.every((record) => record.parts.length === 0 && record.message === null)).toBe(true);
  const behind = session.records.find((record) => record.parent === progress[0]?.key);
  expect(behind?.message?.role).toBe('assistant');
  expect(current(session)).toContain(session.records.indexOf(behind as never));
});

test('5. the current branch ends in the last line of the file, whatever the times say, unless a pointer is explicit', () => {
  const salute = '15cc8914-3259-4077-9e9f-466f5ac67c41';
  const lastOf = (store: DrivenStore) => prompts(sessionOf(store, rewind), current(sessionOf(store, rewind))).at(-1);
  const edited = (change: (lines: string[]) => string[]) => lastOf(open('rewind', changeLines(rewind, change)));
  const pointer = (explicit: boolean) => JSON.stringify({ type: 'last-prompt', leafUuid: salute, sessionId: rewind, ...(explicit ? { explicit: true } : {}) });
  expect(edited((lines) => lines)).toBe('Please tell me the final state');
  // An abandoned branch with a newer time.
  expect(edited((lines) => lines.map((line) => (line.includes(`"uuid":"${salute}"`) ? line.replace(/"timestamp":"[^"]+"/, '"timestamp":"2030-01-01T00:00:00.000Z"') : line)))).toBe('Please tell me the final state');
  // The abandoned branch moved to the end of the file.
  expect(edited((lines) => [...lines.filter((line) => !line.includes(`"uuid":"${salute}"`)), lines.find((line) => line.includes(`"uuid":"${salute}"`)) ?? ''])).toBe('Please rename greet to salute');
  expect(edited((lines) => lines.filter((line) => !line.includes('"type":"last-prompt"')))).toBe('Please tell me the final state');
  expect(edited((lines) => [...lines, pointer(false)])).toBe('Please tell me the final state');
  expect(edited((lines) => [...lines, pointer(true)])).toBe('Please rename greet to salute');
  // "No pointer" takes an earlier one back.
  expect(edited((lines) => [...lines, pointer(true), pointer(true).replace(salute, '00000000-0000-0000-0000-000000000000')])).toBe('Please tell me the final state');
});

test('6. a rewind shows only as a second child of an old record; rewind and quit leaves the full branch', () => {
  const session = only(open('rewind-quit'));
  expect(prompts(session, current(session)).at(-1)).toBe('Please tell me the final state');
  const resent = only(open('rewind-resend'));
  const twice = resent.records.filter((record) => record.parts[0]?.text === 'Next, record the build with a shell command');
  expect(twice.map((record) => record.parent)).toEqual([twice[0]?.parent, twice[0]?.parent]);
  expect(twice.map((record) => resent.settled.records[resent.records.indexOf(record)]?.state)).toEqual(['off-branch', 'live']);
});

describe('7. after a compaction the tree has several roots, and what is kept is not written again', () => {
  const session = only(open('compact'));
  const state = (key: string) => session.settled.records[indexOf(session, key)];

  test('the branch goes through both boundaries, in the order of the file', () => {
    const path = current(session);
    expect(session.settled.branches).toHaveLength(1);
    expect(path).toEqual(path.toSorted((a, b) => a - b));
    expect(session.records.filter((record) => record.parent === null).map((record) => record.type)).toEqual(['user', 'system/compact_boundary', 'system/compact_boundary']);
    expect(path.filter((index) => session.records[index]?.parent === null)).toHaveLength(3);
  });

  test('kept records stay live, the others are compacted by the first boundary that did not keep them', () => {
    expect(state('39237b09-d477-41bf-8ab5-d697e913cb8f')).toEqual({
      state: 'compacted', seen: false, cause: indexOf(session, 'a92c47be-e791-407b-a53f-d1cbd7392b78'),
      reason: 'Compacted by command at 2,621 tokens by record a92c47be-e791-407b-a53f-d1cbd7392b78; the summary in record 41a95bde-d67d-4e2c-900c-ec55114f0ee5 stands for it.',
    });
    // Kept by the first compaction, not by the second.
    expect(state('89155662-7b89-4512-bd7b-dbe0e623c70c')).toMatchObject({ state: 'compacted', cause: indexOf(session, '3a759b01-b797-4593-995e-11bc64e48be5') });
    // The answer before and the prompt that was waiting are kept by the second one.
    for (const key of ['427d9c7c-d2b5-49d2-bd4d-272943e81a90', '9c94b858-690f-4f80-83cf-e412ba8201da']) expect(state(key)).toMatchObject({ state: 'live', seen: true });
    expect(state('339077cc-484e-40e7-89a3-4940cd3a17f5')).toMatchObject({ state: 'summary', seen: true });
    expect(state('41a95bde-d67d-4e2c-900c-ec55114f0ee5')).toMatchObject({ state: 'compacted' });
  });

  test('a part summarised from a point on stays what it is: left', () => {
    const partial = only(open('rewind-summarize'));
    const boundary = indexOf(partial, '8a96ac68-1ee9-4585-bcc9-5803f4933eed');
    const before = current(partial).slice(0, current(partial).indexOf(boundary));
    expect(prompts(partial, before)).toEqual(['Please add a greeting module', 'Now make the greeting louder']);
    expect(before.map((index) => partial.settled.records[index]?.state).filter((word) => word !== 'live' && word !== 'hidden')).toEqual([]);
    expect(partial.settled.records[indexOf(partial, 'bed1cf3c-ff45-458f-8d54-1b3be4441b92')]).toMatchObject({ state: 'off-branch', cause: boundary });
  });

  test('a rewind right before a compaction leaves the old branch (2.0.77, 2.1.59)', () => {
    for (const name of ['legacy-2.0.77', 'legacy-2.1.59']) {
      const legacy = only(open(name));
      const left = legacy.records.findIndex((record) => record.parts[0]?.text === 'And change the store');
      expect(legacy.settled.records[left]?.state).toBe('off-branch');
      expect(prompts(legacy, current(legacy))).not.toContain('And change the store');
    }
  });
});

test('8. the file name is the identity: session_id and sessionId in lines can be those of another session', () => {
  const store = open('fork-2.1.59');
  const child = sessionOf(store, '60fa705e-c8fb-4fad-a6e9-1e1f0f789fa8');
  const named = new Set(child.records.map((_, index) => entryAt(store, child, index).sessionId));
  expect([...named].toSorted()).toEqual(['60fa705e-c8fb-4fad-a6e9-1e1f0f789fa8', '662a6282-e6e7-404b-9af7-dc8420729cc0']);
  expect(child.edges).toMatchObject([{ parent: '662a6282-e6e7-404b-9af7-dc8420729cc0', certainty: 'recorded' }]);
  const titles = open('titles');
  const cleared = sessionOf(titles, 'd466ccb8-1adf-4de6-9efa-17fda96b0355');
  const process = cleared.records.map((_, index) => entryAt(titles, cleared, index).session_id).filter((id) => id !== undefined);
  expect(new Set(process)).toEqual(new Set(['064e8fae-8098-4d8d-95be-e3246addad11']));
  expect(cleared.edges).toEqual([]);
});

test('9. folders that share one encoded name are told apart by the records', () => {
  const store = open('cwd');
  const together = [...store.sessions.values()].filter((session) => session.records[0]?.source.startsWith('projects/-home-dev-projects-my-app/'));
  expect(together.map((session) => session.facts.directory).toSorted()).toEqual(['/home/dev/projects/my app', '/home/dev/projects/my-app', '/home/dev/projects/my.app', '/home/dev/projects/my_app']);
});

test('10. worktree sessions belong to the main checkout; folder and branch may change in mid-session', () => {
  const store = open('worktree');
  const started = sessionOf(store, 'bba5c022-dcfe-4065-8951-850211f2a866');
  expect(new Set(started.records.filter((record) => record.key).map((_, index) => entryAt(store, started, index).cwd))).toEqual(new Set(['/home/dev/projects/demo/.claude/worktrees/feature-x']));
  expect(started.facts).toMatchObject({ directory: '/home/dev/projects/demo', gitBranch: 'worktree-feature-x' });
  expect(claudeCode.resumeCommand(started.native, started.facts)).toEqual({ argv: ['claude', '--worktree', 'feature-x', '--resume', started.native], cwd: '/home/dev/projects/demo' });
  const visited = sessionOf(store, 'ce851e42-2124-475a-bbe9-ed3737ed7956');
  expect(visited.facts).toMatchObject({ directory: '/home/dev/projects/demo', gitBranch: 'main', worktree: { name: 'fresh' } });
  expect(claudeCode.resumeCommand(visited.native, visited.facts)).toEqual({ argv: ['claude', '--resume', visited.native], cwd: '/home/dev/projects/demo' });
  expect(visited.facts.notices).toEqual([{ kind: 'other', text: 'The worktree fresh was left at the end.' }]);
});

test('11. a prompt typed while the model works is no user line: it is still a prompt, once', () => {
  const session = only(open('features'));
  const queued = session.parts.filter((part) => part.fact.text === 'A queued remark for you');
  expect(queued.map((part) => ({ type: part.record.type, role: part.record.message?.role, counted: part.record.message?.counted, prompt: part.record.message?.prompt, injected: part.fact.injected }))).toEqual([
    { type: 'attachment/queued_command', role: 'user', counted: true, prompt: true, injected: false },
  ]);
  expect(session.facts.notices).toEqual([]);
});

test('12. many user lines are not the person', () => {
  const agents = only(open('agents'));
  const reports = agents.parts.filter((part) => part.fact.text?.startsWith('<task-notification>'));
  expect(reports.length).toBe(4);
  expect(reports.every((part) => part.fact.kind === 'notice' && part.fact.injected && part.record.message?.counted === false && part.record.message.prompt === false)).toBe(true);
  const features = only(open('features'));
  const kinds = features.parts.filter((part) => part.record.type === 'user').map((part) => [part.fact.kind, part.fact.title ?? part.fact.text, part.fact.injected]);
  expect(kinds.slice(0, 4)).toEqual([
    ['command', '!echo from the shell', false], ['notice', 'from the shell', true], ['command', '/hello you', false], ['text', 'Please greet in the house style, you\n', true],
  ]);
  const compact = only(open('compact'));
  expect(compact.parts.filter((part) => part.fact.kind === 'summary')).toHaveLength(2);
  expect(compact.parts.filter((part) => part.fact.kind === 'command').map((part) => part.fact.text)).toEqual(['/compact keep the parser decisions']);
  const errors = only(open('errors'));
  expect(errors.parts.filter((part) => part.fact.title === 'Interrupted by the person').map((part) => part.record.message?.counted)).toEqual([false, false, false]);
});

test('13. some assistant lines are not the model: they count nothing', () => {
  const session = only(open('errors'));
  const synthetic = session.parts.filter((part) => part.record.note?.['synthetic'] === true);
  expect(synthetic.map((part) => [part.fact.kind, part.fact.title, part.fact.injected])).toEqual([
    ['notice', 'API Error: 400 messages: text content blocks must be non-empty', false],
    ['notice', 'API Error: Request rejected (429) · This request would exceed your rate limit.', false],
    ['notice', 'No response requested.', true],
    ['notice', 'Invalid API key · Fix external API key', false],
  ]);
  expect(synthetic.every((part) => part.record.message?.tokens === null && !part.record.message.counted && part.record.message.model === null)).toBe(true);
  expect(session.facts.model).toBe('claude-opus-5-5');
});

test('14. logs of the wire request are never shown or searched', () => {
  const fixture = openFixture('claude-code', 'compact');
  opened.push(fixture);
  const blobs = readFileSync(transcript(fixture.home, '2b529454-02c3-408a-8984-b703e760cbf9'), 'utf8').split('\n').filter((line) => line.startsWith('{"type":"api-request'));
  expect(blobs.length).toBeGreaterThan(10);
  const session = only(drive(claudeCode, fixture.home));
  expect(session.records.filter((record) => record.type.startsWith('api-request'))).toEqual([]);
  const found = session.parts.filter((part) => part.fact.text?.includes('Please sketch a bracket parser') || part.result?.fact.text?.includes('Please sketch a bracket parser'));
  // The prompt itself, and the program's own word of it in the first summary's request are in no part but this.
  expect(found.map((part) => part.record.key)).toEqual(['39237b09-d477-41bf-8ab5-d697e913cb8f']);
});

test('15. the last snapshot line for a prompt wins, by the id inside the snapshot; deltas add to it', () => {
  const older = only(open('legacy-2.1.59'));
  const first = older.facts.checkpoints.find((checkpoint) => checkpoint.id === '4d69d2ab-4f0d-4ed8-9470-998be8e2abde');
  // The update's outer id is an answer's.
  expect(first?.files).toEqual([{ path: '/home/dev/projects/demo/store.js', content: null }]);
  const newer = only(open('rewind'));
  const second = newer.facts.checkpoints.find((checkpoint) => checkpoint.id === '6e00f263-0101-4d6c-a34c-fd07365ef7cf');
  expect(second?.files.map((file) => file.path)).toEqual(['/home/dev/projects/demo/greet.js', '/home/dev/projects/demo/app.js']);
});

test('16. a backup without a name means that the file did not exist', () => {
  const [first] = only(open('rewind')).facts.checkpoints;
  expect(first?.files.find((file) => file.path.endsWith('greet.js'))).toEqual({ path: '/home/dev/projects/demo/greet.js', content: null });
});

test('17. a file first edited after a checkpoint is restored from its earliest backup', () => {
  const session = only(open('rewind'));
  const [first] = session.facts.checkpoints;
  const app = first?.files.find((file) => file.path.endsWith('app.js'));
  expect(app?.content).toMatch(new RegExp(`^file-history/${rewind}/[0-9a-f]{16}@v1$`));
});

test('18. a missing backup is still named, so that a restore can be refused', () => {
  const fixture = openFixture('claude-code', 'rewind');
  opened.push(fixture);
  rmSync(join(fixture.home, '.claude/file-history'), { recursive: true });
  const session = only(drive(claudeCode, fixture.home));
  const named = session.facts.checkpoints.flatMap((checkpoint) => checkpoint.files).map((file) => file.content).filter((content) => content !== null);
  expect(named.length).toBeGreaterThan(5);
  expect(named.some((content) => existsSync(join(fixture.home, '.claude', content)))).toBe(false);
});

test('19. headless sessions are listed, and have no checkpoints', () => {
  const store = open('fork');
  const listed = [...store.sessions.values()].filter(({ facts }) => !facts.ignored);
  expect(listed.map((session) => session.facts.checkpoints)).toEqual([[], []]);
  expect(store.survey.heads).toHaveLength(2);
});

test('20. progress lines that repeat a subagent are neither counted nor searched', () => {
  const store = open('legacy-2.1.59');
  const session = sessionOf(store, '04406e2f-f32b-47eb-918a-9964d5116d3b');
  const repeated = session.records.filter((record) => record.type === 'progress/agent_progress');
  expect(repeated).toHaveLength(3);
  expect(answered(session)).toBe(14);
  const child = sessionOf(store, '04406e2f-f32b-47eb-918a-9964d5116d3b.agent-a1a77d9d08bceeda3');
  expect([...child.messages.keys()].filter((key) => session.messages.has(key))).toEqual([]);
  expect(session.parts.filter((part) => part.fact.text === 'Helper job: look at the store')).toEqual([]);
});
