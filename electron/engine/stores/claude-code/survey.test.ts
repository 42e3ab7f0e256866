import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { KnownSource, SourceChange, StoreLocation } from '../store';
import { encodedFolder } from './encode';
import { claudeCode } from './index';
import { placeOf } from './places';

let root = '';
let location: StoreLocation;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'retrace-survey-'));
  location = { agent: 'claude-code', folder: root, origin: 'default' };
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const unknown = { get: () => undefined, keys: () => [] };

function put(key: string, content: string | object[], seconds = 1000): void {
  const path = join(root, key);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof content === 'string' ? content : content.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
  utimesSync(path, seconds, seconds);
}

/** Root may read everything: for a while the test is nobody. */
function asOrdinaryUser(action: () => void): void {
  if (process.getuid?.() !== 0) return action();
  process.seteuid?.(65534);
  try {
    action();
  } finally {
    process.seteuid?.(0);
  }
}

const id = (n: number) => `${String(n).padStart(8, '0')}-1111-4111-8111-111111111111`;
const envelope = { sessionId: 's', cwd: '/home/dev/app', gitBranch: 'main', version: '2.1.332' };
const said = (text: string, time: string) => ({ ...envelope, type: 'user', uuid: `u-${text}`, parentUuid: null, timestamp: time, message: { role: 'user', content: text } });
const heard = (text: string, time: string, model = 'opus') => ({
  ...envelope, type: 'assistant', uuid: `a-${text}`, parentUuid: null, timestamp: time, message: { id: 'm', role: 'assistant', model, content: [{ type: 'text', text }] },
});

describe('sources', () => {
  test('are found by their places, newest first; everything else is left alone', () => {
    put(`projects/-p/${id(1)}.jsonl`, [said('a', '2026-01-01T00:00:00.000Z')], 100);
    put(`projects/-p/${id(1)}/subagents/agent-x.jsonl`, [], 200);
    put(`projects/-p/${id(1)}/subagents/agent-x.meta.json`, '{}', 300);
    put(`projects/-p/${id(1)}/subagents/workflows/wf_1/agent-y.jsonl`, [], 400);
    put(`projects/-p/${id(1)}/tool-results/b1.txt`, 'out', 500);
    put(`projects/-p/${id(1)}/custom-title.json`, '{}', 600);
    put('projects/-p/agent-abc1234.jsonl', [], 700);
    put(`todos/${id(1)}-agent-${id(1)}.json`, '[]', 800);
    put(`tasks/${id(1)}/1.json`, '{}', 900);
    put('jobs/e12b2320/state.json', '{}', 1000);
    for (const other of ['history.jsonl', 'projects/-p/memory/x.jsonl', 'projects/-p/memory/note.txt', `projects/-p/${id(1)}/subagents/journal.jsonl`, `tasks/${id(1)}/.lock`, 'jobs/e12b2320/parent-transcript.jsonl', 'jobs/pins.json', `file-history/${id(1)}/x@v1`, 'settings.json', 'projects/stray.jsonl']) put(other, '{}');
    expect(claudeCode.survey(location, unknown).changes.map((change) => change.key)).toEqual([
      'jobs/e12b2320/state.json', `tasks/${id(1)}/1.json`, `todos/${id(1)}-agent-${id(1)}.json`, 'projects/-p/agent-abc1234.jsonl', `projects/-p/${id(1)}/custom-title.json`,
      `projects/-p/${id(1)}/tool-results/b1.txt`, `projects/-p/${id(1)}/subagents/workflows/wf_1/agent-y.jsonl`, `projects/-p/${id(1)}/subagents/agent-x.meta.json`,
      `projects/-p/${id(1)}/subagents/agent-x.jsonl`, `projects/-p/${id(1)}.jsonl`,
    ]);
  });

  test('that went away are told; those behind a closed door are not', () => {
    put(`projects/-p/${id(1)}.jsonl`, [said('a', '2026-01-01T00:00:00.000Z')]);
    // A link to itself cannot be looked at, whoever asks.
    symlinkSync(join(root, 'projects/-closed'), join(root, 'projects/-closed'));
    const keys = [`projects/-p/${id(1)}.jsonl`, `projects/-p/${id(2)}.jsonl`, `projects/-closed/${id(3)}.jsonl`];
    const survey = claudeCode.survey(location, { get: () => undefined, keys: () => keys });
    expect(survey.gone).toEqual([`projects/-p/${id(2)}.jsonl`]);
    expect(survey.damage).toEqual([{ place: 'projects/-closed', line: null, at: null, bytes: null, reason: 'cannot be looked at: its links go in a circle' }]);
    expect(survey.changes.map((change) => change.key)).toEqual([`projects/-p/${id(1)}.jsonl`]);
  });

  test('a linked project folder is followed, and two ways to one folder show it once', () => {
    put('elsewhere/x', '');
    put(`elsewhere/real/${id(1)}.jsonl`, [said('a', '2026-01-01T00:00:00.000Z')]);
    mkdirSync(join(root, 'projects'), { recursive: true });
    symlinkSync(join(root, 'elsewhere/real'), join(root, 'projects/-a'));
    symlinkSync(join(root, 'elsewhere/real'), join(root, 'projects/-b'));
    expect(claudeCode.survey(location, unknown).changes.map((change) => change.key)).toEqual([`projects/-a/${id(1)}.jsonl`]);
  });

  test('what may not be read is named once, by place; the others are shown', () => {
    put(`projects/-p/${id(1)}.jsonl`, [said('a', '2026-01-01T00:00:00.000Z')]);
    put(`projects/-q/${id(2)}.jsonl`, [said('a', '2026-01-01T00:00:00.000Z')]);
    put(`projects/-p/${id(3)}.jsonl`, [said('a', '2026-01-01T00:00:00.000Z')]);
    chmodSync(root, 0o755);
    chmodSync(join(root, 'projects/-q'), 0);
    chmodSync(join(root, `projects/-p/${id(3)}.jsonl`), 0);
    asOrdinaryUser(() => {
      const survey = claudeCode.survey(location, unknown);
      expect(survey.damage).toMatchObject([{ place: 'projects/-q', reason: 'cannot be looked at: permission denied' }]);
      expect(survey.heads.map((head) => head.native)).toEqual([id(1)]);
      const [refused, ...others] = survey.changes.filter((change) => change.key.includes(id(3)));
      const [batch] = [...claudeCode.read(location, refused as SourceChange, undefined)];
      expect(others).toEqual([]);
      expect(batch).toMatchObject({ at: 0, damage: [{ place: `projects/-p/${id(3)}.jsonl`, reason: 'cannot be opened: permission denied' }] });
      // It is not tried again until the file or its rights change.
      const known = { key: batch?.source ?? '', length: 0, cursor: batch?.cursor ?? null, carry: null };
      expect(claudeCode.survey(location, { get: (key) => (key === known.key ? known : undefined), keys: () => [known.key] }).changes.map((change) => change.key)).toEqual([`projects/-p/${id(1)}.jsonl`]);
    });
    chmodSync(join(root, 'projects/-q'), 0o700);
  });

  test.runIf(process.platform === 'linux')('names that are not UTF-8 are read by their bytes, and told without loss', () => {
    const folder = Buffer.concat([Buffer.from(join(root, 'projects/-caf')), Buffer.from([0xe9]), Buffer.from('-100%é')]);
    mkdirSync(folder, { recursive: true });
    writeFileSync(Buffer.concat([folder, Buffer.from(`/${id(1)}.jsonl`)]), `${JSON.stringify(said('Hello', '2026-01-01T00:00:00.000Z'))}\n`);
    writeFileSync(Buffer.concat([folder, Buffer.from('/na'), Buffer.from([0xef, 0xff]), Buffer.from('me.jsonl')]), `${JSON.stringify(said('There', '2026-01-02T00:00:00.000Z'))}\n`);
    const survey = claudeCode.survey(location, unknown);
    const keys = [`projects/-caf%E9-100%25é/${id(1)}.jsonl`, 'projects/-caf%E9-100%25é/na%EF%FFme.jsonl'];
    expect(survey.changes.map((change) => change.key).sort()).toEqual(keys);
    expect(survey.heads.map(({ native, title }) => `${native} ${title}`).sort()).toEqual([`${id(1)} Hello`, 'na%EF%FFme There']);
    expect(survey.damage).toEqual([]);
    const batches = survey.changes.flatMap((change) => [...claudeCode.read(location, change, undefined)]);
    expect(batches.map(({ source, bytes }) => `${source} ${bytes.length > 0}`).sort()).toEqual(keys.map((key) => `${key} true`));
    expect(claudeCode.survey(location, { get: () => undefined, keys: () => keys }).gone).toEqual([]);
  });

  test.runIf(process.platform === 'linux')('of two names that are told in the same way one is read and the other named', () => {
    put('projects/-p/a%FF.jsonl', [said('a', '2026-01-01T00:00:00.000Z')]);
    writeFileSync(Buffer.concat([Buffer.from(join(root, 'projects/-p/a')), Buffer.from([0xff]), Buffer.from('.jsonl')]), '{}');
    const survey = claudeCode.survey(location, unknown);
    expect(survey.changes.map((change) => change.key)).toEqual(['projects/-p/a%FF.jsonl']);
    expect(survey.damage.map(({ place, reason }) => `${place}: ${reason}`)).toEqual(['projects/-p/a%FF.jsonl: another file’s name is told in the same way: not read']);
  });

  test.runIf(process.platform === 'linux')('what is no file in the place of a transcript is named once and not opened', () => {
    put(`projects/-p/${id(1)}.jsonl`, [said('a', '2026-01-01T00:00:00.000Z')]);
    mkdirSync(join(root, 'projects/-p/folder.jsonl'));
    execFileSync('/usr/bin/env', ['mkfifo', join(root, 'projects/-p/fifo.jsonl'), join(root, 'projects/-p/fifo.txt')]);
    symlinkSync(join(root, 'nowhere'), join(root, 'projects/-p/dangling.jsonl'));
    symlinkSync('/dev/zero', join(root, 'projects/-p/zero.jsonl'));
    symlinkSync(root, join(root, 'projects/-p/linked.jsonl'));
    symlinkSync(join(root, 'nowhere'), join(root, 'projects/-unplugged'));
    const survey = claudeCode.survey(location, unknown);
    expect(survey.changes.map((change) => change.key)).toEqual([`projects/-p/${id(1)}.jsonl`]);
    expect(survey.damage.map(({ place, reason }) => `${place}: ${reason}`).sort()).toEqual([
      'projects/-p/dangling.jsonl: not a file: its link leads nowhere',
      'projects/-p/fifo.jsonl: not a file',
      'projects/-p/folder.jsonl: not a file: it is a folder',
      'projects/-p/linked.jsonl: not a file: it is a link to a folder',
      'projects/-p/zero.jsonl: not a file: its link leads to something else',
      'projects/-unplugged: not a file: its link leads nowhere',
    ]);
  });

  test('a folder that may not be looked into is one problem of the store, and nothing is gone', () => {
    put(`closed/projects/-p/${id(1)}.jsonl`, [said('a', '2026-01-01T00:00:00.000Z')]);
    const folder = join(root, 'closed');
    chmodSync(root, 0o755);
    chmodSync(folder, 0);
    asOrdinaryUser(() => {
      expect(claudeCode.survey({ ...location, folder }, { get: () => undefined, keys: () => ['projects/-p/x.jsonl'] })).toEqual({
        changes: [], heads: [], gone: [], damage: [], problem: `The folder ${folder} may not be looked into: permission denied.`,
      });
    });
    chmodSync(folder, 0o700);
  });

  test('a folder that is not there is a problem of the store, and nothing is gone', () => {
    const survey = claudeCode.survey({ ...location, folder: join(root, 'nowhere') }, { get: () => undefined, keys: () => ['projects/-p/x.jsonl'] });
    expect(survey).toMatchObject({ changes: [], heads: [], gone: [] });
    expect(survey.problem).toMatch(/is not there/);
  });
});

describe('heads', () => {
  test('come from both ends of a file, without reading what lies between', () => {
    const middle = { ...envelope, type: 'user', uuid: 'x', parentUuid: null, timestamp: '2026-01-01T05:00:00.000Z', cwd: '/elsewhere', message: { role: 'user', content: 'p'.repeat(200_000) } };
    put(`projects/-p/${id(1)}.jsonl`, [
      { type: 'mode', mode: 'normal' },
      { ...envelope, type: 'attachment', uuid: 'h', parentUuid: null, timestamp: '2026-01-01T00:00:00.000Z', attachment: { type: 'hook_success' } },
      said('<command-name>/clear</command-name>', '2026-01-01T00:00:01.000Z'),
      said('First  words\nof it', '2026-01-01T00:00:02.000Z'),
      heard('Hello', '2026-01-01T00:00:03.000Z', 'opus'),
      { type: 'ai-title', aiTitle: 'An older title' },
      middle,
      { type: 'ai-title', aiTitle: 'Made title' },
      { type: 'custom-title', customTitle: 'Given title' },
      { ...heard('Bye', '2026-01-02T00:00:00.000Z', 'sonnet'), gitBranch: 'feature' },
    ]);
    expect(claudeCode.survey(location, unknown).heads).toEqual([
      {
        native: id(1), kind: 'session', parent: null, title: 'Given title', directory: '/home/dev/app', gitBranch: 'feature', model: 'sonnet',
        created: Date.UTC(2026, 0, 1), updated: Date.UTC(2026, 0, 2), archived: null,
      },
    ]);
  });

  test('without a title the first words of the person stand in', () => {
    put(`projects/-p/${id(1)}.jsonl`, [said('First  words\nof it', '2026-01-01T00:00:00.000Z'), heard('Hello', '2026-01-01T00:00:03.000Z')]);
    expect(claudeCode.survey(location, unknown).heads).toMatchObject([{ title: 'First words of it', model: 'opus' }]);
  });

  test('a subagent hangs under the session whose folder it lies in, with what its meta file says', () => {
    put(`projects/-p/${id(1)}/subagents/agent-x.jsonl`, [{ ...said('Do it', '2026-01-01T00:00:00.000Z'), isSidechain: true, agentId: 'x' }]);
    put(`projects/-p/${id(1)}/subagents/agent-x.meta.json`, JSON.stringify({ agentType: 'Explore', description: 'Look around' }));
    expect(claudeCode.survey(location, unknown).heads).toMatchObject([{ native: `${id(1)}.agent-x`, kind: 'subagent', parent: id(1), title: 'Look around' }]);
  });

  test('none for files without a conversation, and none for what is known already', () => {
    put(`projects/-p/${id(1)}.jsonl`, '');
    put(`projects/-p/${id(2)}.jsonl`, [{ type: 'summary', summary: 'x', leafUuid: 'y' }]);
    put('projects/-p/agent-abc1234.jsonl', [{ ...said('Warmup', '2026-01-01T00:00:00.000Z'), isSidechain: true }]);
    put(`projects/-p/${id(3)}.jsonl`, [said('a', '2026-01-01T00:00:00.000Z')]);
    const first = claudeCode.survey(location, unknown);
    expect(first.heads.map((head) => head.native)).toEqual([id(3)]);
    const known = new Map<string, KnownSource>();
    for (const change of first.changes) for (const batch of claudeCode.read(location, change, undefined)) known.set(batch.source, { key: batch.source, length: batch.at + batch.bytes.length, cursor: batch.cursor, carry: null });
    put(`projects/-p/${id(4)}.jsonl`, [said('new', '2026-01-01T00:00:00.000Z')]);
    const second = claudeCode.survey(location, { get: (key) => known.get(key), keys: () => known.keys() });
    expect(second.heads.map((head) => head.native)).toEqual([id(4)]);
    expect(second.changes.map((change) => change.key)).toEqual([`projects/-p/${id(4)}.jsonl`]);
  });

  test('a first line larger than what is looked at hides the first words, not the session', () => {
    put(`projects/-p/${id(1)}.jsonl`, [said('p'.repeat(300_000), '2026-01-01T00:00:00.000Z'), heard('Bye', '2026-01-02T00:00:00.000Z')]);
    expect(claudeCode.survey(location, unknown).heads).toMatchObject([{ native: id(1), title: null, directory: '/home/dev/app', updated: Date.UTC(2026, 0, 2) }]);
  });
});

describe('places', () => {
  const environment = (over: object) => ({ home: '/home/dev', platform: 'linux' as const, variables: {}, added: [], ...over });

  test('the default, or what the environment says', () => {
    expect(claudeCode.locate(environment({}))).toEqual([{ agent: 'claude-code', folder: '/home/dev/.claude', origin: 'default' }]);
    expect(claudeCode.locate(environment({ variables: { CLAUDE_CONFIG_DIR: '/srv/claude' } }))).toEqual([{ agent: 'claude-code', folder: '/srv/claude', origin: 'environment' }]);
  });

  test('an added folder counts when it is such a folder, or a home with one', () => {
    put('backup/.claude/projects/-p/x.jsonl', '{}');
    put('work/projects/notes/readme.md', 'not ours');
    expect(claudeCode.locate(environment({ added: [join(root, 'backup'), join(root, 'backup/.claude'), join(root, 'work'), join(root, 'nowhere')] }))).toEqual([
      { agent: 'claude-code', folder: '/home/dev/.claude', origin: 'default' }, { agent: 'claude-code', folder: join(root, 'backup/.claude'), origin: 'added' },
    ]);
  });

  test.each([
    ['projects/-p/11.jsonl', { kind: 'transcript', session: '11', agent: null }],
    ['projects/-p/agent-ab.jsonl', { kind: 'agent', session: null, agent: 'ab' }],
    ['projects/-p/11/subagents/agent-ab.jsonl', { kind: 'agent', session: '11', agent: 'ab' }],
    ['projects/-p/11/subagents/agent-ab.meta.json', { kind: 'meta', session: '11', agent: 'ab' }],
    ['todos/11-agent-11.json', { kind: 'todos', session: '11', agent: null }],
    ['todos/11-agent-22.json', { kind: 'todos', session: '11', agent: '22' }],
    ['todos/11.json', { kind: 'todos', session: '11', agent: null }],
    ['jobs/ab/timeline.jsonl', null],
    ['history.jsonl', null],
  ])('%s', (key, place) => expect(placeOf(key)).toEqual(place));
});

test.each([
  ['/home/dev/my_app', '-home-dev-my-app'],
  ['/home/dev/Üben-日本', '-home-dev--ben---'],
  // Two long paths that the program named itself.
  [`/home/dev/projects/${'deep-folder-name-that-goes-on/'.repeat(8)}end`, `-home-dev-projects-${'deep-folder-name-that-goes-on-'.repeat(8)}`.slice(0, 200) + '-rbkzt'],
  [`/home/dev/projects/${'deep-folder-name-that-goes-on/'.repeat(8)}end2`, `-home-dev-projects-${'deep-folder-name-that-goes-on-'.repeat(8)}`.slice(0, 200) + '-niz2vd'],
])('the folder of %s', (cwd, folder) => expect(encodedFolder(cwd)).toBe(folder));
