import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { recordedHome } from '../../../e2e/fixtures';
import { filesOf } from '../stores/acceptance';
import { DiffHome, told } from './diff-home.test-support';
import { ApplyFolder } from './git-apply.test-support';

const open: { dispose(): void }[] = [];
afterEach(() => open.splice(0).forEach((each) => each.dispose()));

async function home(...of: Parameters<typeof DiffHome.open>): Promise<DiffHome> {
  const opened = await DiffHome.open(...of);
  open.push(opened);
  return opened;
}

const git = (folder: string, ...args: string[]): string => execFileSync('git', ['-c', 'safe.directory=*', `--git-dir=${folder}`, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

/** What git itself says of two trees or commits, as `told` puts it. */
function numstat(folder: string, before: string, after: string): string[] {
  const kinds = new Map(git(folder, 'diff', '--no-renames', '--name-status', before, after).trim().split('\n').map((line) => line.split('\t')).map(([status, path]) => [path, status]));
  return git(folder, 'diff', '--no-renames', '--numstat', before, after).trim().split('\n').filter(Boolean).map((line) => {
    const [added, removed, path] = line.split('\t') as [string, string, string];
    return `${{ A: 'create', D: 'delete', M: 'edit' }[kinds.get(path) ?? 'M'] ?? 'edit'} ${path} +${added} -${removed}`;
  });
}

/** Snapshot stores of an OpenCode fixture. */
function snapshotsOf(fixtureHome: string): string[] {
  const root = join(fixtureHome, '.local/share/opencode/snapshot');
  return readdirSync(root).flatMap((project) => readdirSync(join(root, project)).filter((name) => /^[0-9a-f]{40}$/.test(name)).map((name) => join(root, project, name)));
}

const treesOf = (text: string): string[] => [...text.matchAll(/"snapshot":"([0-9a-f]{40})"/g)].map((match) => match[1] as string);

/** Trees a session's steps name, from its own rows, first and last. */
function endsOf(opened: DiffHome, session: string): [string, string] {
  const native = session.slice(session.indexOf('/') + 1);
  const rows = opened.shelf.library.db
    .prepare("SELECT r.source, r.at, r.bytes FROM part p JOIN record r ON r.id = p.record JOIN session s ON s.id = p.session WHERE s.native = ? AND p.kind = 9 ORDER BY p.seq")
    .all(native) as { source: number; at: number; bytes: number }[];
  const log = opened.diffs.timeline.bodies.log;
  const trees = rows.flatMap(({ source, at, bytes }) => treesOf((log.read(source, at, bytes) ?? Buffer.alloc(0)).toString('utf8').replaceAll('\\"', '"')));
  return [trees[0] as string, trees.at(-1) as string];
}

test.each([
  ['v118-main', 'ses_e1c685695'],
  ['v118-main', 'ses_e02aa75e6'],
  ['v118-compaction', 'ses_e5faf3c1b'],
  ['v118-revert', 'ses_e364e86de'],
  ['v115-mid', 'ses_168fd2b83'],
  ['v115-mid', 'ses_17d969b93'],
] as const)('OpenCode %s %s: the trees of the first and the last step, by git', async (fixture, begin) => {
  const opened = await home('opencode', fixture, 'opencode');
  const session = opened.session(begin);
  const [before, after] = endsOf(opened, session);
  const store = snapshotsOf(opened.fixture.home).find((folder) => {
    try {
      return git(folder, 'cat-file', '-t', before).trim() === 'tree' && git(folder, 'cat-file', '-t', after).trim() === 'tree';
    } catch {
      return false;
    }
  }) as string;
  const truth = numstat(store, before, after).map((line) => line.replace('packages/web/', ''));
  expect((await opened.files(session)).map(told).map((line) => line.replace(/ inferred$/, ''))).toEqual(truth);
});

test.each(['rewind', 'rewind-2.1.240', 'rewind-quit', 'rewind-resend', 'rewind-summarize', 'rewind-root'])('Claude Code %s: what the session left is what lies on the disk', async (fixture) => {
  const opened = await home('claude-code', fixture, 'claude-code');
  const folder = join(opened.fixture.home, 'projects/demo');
  const apply = new ApplyFolder();
  open.push(apply);
  for (const name of ['greet.js', 'app.js', 'util.js', 'README.md']) {
    try {
      apply.write(name, git(join(folder, '.git'), 'show', `HEAD:${name}`));
    } catch {
      // It was not there when the session began.
    }
  }
  const [session] = opened.sessions();
  const patch = await opened.patch(session as never);
  if (patch !== '') apply.apply(patch);
  for (const name of ['greet.js', 'app.js']) {
    const onDisk = readdirSync(folder).includes(name) ? readFileSync(join(folder, name), 'utf8') : null;
    expect(apply.read(name)).toBe(onDisk);
  }
});

test('Aider: the commits of a run, by git', async () => {
  const opened = await home('aider', 'basic', 'aider');
  const store = join(opened.fixture.home, 'proj/calc/.git');
  const log = git(store, 'log', '--format=%H %s').trim().split('\n');
  const session = opened.sessions().find((id) => id.endsWith('-0')) as never;
  const files = await opened.files(session);
  expect(files.map(told)).toEqual(['edit calc.py +5 -1']);
  expect(files[0]).toMatchObject({ sources: ['tool input', 'commit'], gaps: [] });
  const { patch } = await opened.diff(session, files[0]?.path as string);
  const folder = new ApplyFolder({ 'calc.py': git(store, 'show', `${log.at(-1)?.slice(0, 40)}:calc.py`) });
  open.push(folder);
  folder.apply(patch as string);
  // The state of one of the commits, to the letter.
  expect(log.map((line) => git(store, 'show', `${line.slice(0, 40)}:calc.py`))).toContain(folder.read('calc.py'));
});

test('Codex: a rename, a deletion and a new file, applied to the state of the repository', async () => {
  const opened = await home('codex', 'exec-patch-plan', 'codex');
  const session = opened.session('01a22802-7c44');
  const before = join(opened.fixture.home, 'projects/tidepool/.git');
  const folder = new ApplyFolder({ 'src/tide.js': git(before, 'show', 'HEAD:src/tide.js'), 'notes.txt': git(before, 'show', 'HEAD:notes.txt') });
  open.push(folder);
  const files = await opened.files(session);
  expect(files.map(told)).toEqual(['delete notes.txt +0 -1', 'rename src/tide.js -> src/tides.js +6 -1', 'create test/tide.test.js +4 -0']);
  const patches = await Promise.all(files.map(({ path }) => opened.diff(session, path)));
  // Codex records hunks with hardly a line around them: where no context follows, git has to be told so.
  expect(patches.map(({ applies }) => applies)).toEqual([true, false, true]);
  execFileSync('git', ['apply', '--unidiff-zero'], { cwd: folder.folder, input: patches.map(({ patch }) => patch).join('') });
  for (const name of ['src/tides.js', 'test/tide.test.js']) expect(folder.read(name)).toBe(readFileSync(join(opened.fixture.home, 'projects/tidepool', name), 'utf8'));
  expect([folder.read('notes.txt'), folder.read('src/tide.js')]).toEqual([null, null]);
});

test('turns and parts add up, a branch is its conversation, and a fork is held against its parent', async () => {
  const opened = await home('claude-code', 'rewind', 'claude-code');
  const session = opened.session('668bfb69');
  const turns = await Promise.all([1, 2, 3, 4, 5].map(async (turn) => (await opened.files(session, { kind: 'turn', turn })).map(told)));
  expect(turns.slice(0, 3)).toEqual([['create greet.js +3 -0'], ['edit app.js +2 -1', 'edit greet.js +1 -1'], []]);
  expect((await opened.files(session, { kind: 'branch', branch: 'current' })).map(told)).toEqual(['create greet.js +3 -0 inferred']);
  expect(await opened.diffs.files({ session, scope: { kind: 'turn', turn: 99 }, from: 0, count: 10 })).toBeNull();
  expect(await opened.diffs.files({ session, scope: { kind: 'branch', branch: '99' }, from: 0, count: 10 })).toBeNull();
  const [greet] = await opened.files(session);
  expect(greet).toMatchObject({ path: `${recordedHome}/projects/demo/greet.js`, relative: 'greet.js', certainty: 'recorded', before: 'absent', after: 'text' });
  expect(greet?.outside.map(({ restored }) => restored)).not.toContain(false);
  const part = greet?.places[0]?.part as string;
  expect((await opened.files(session, { kind: 'part', part })).map(told)).toEqual(['create greet.js +3 -0']);
  const fork = await home('claude-code', 'fork', 'claude-code');
  const against = { kind: 'against', session: fork.session('8c79ba69') } as const;
  expect((await fork.files(fork.session('3419ba3e'), against)).map(told)).toEqual(['create counter-class.js +4 -0']);
  expect((await fork.files(fork.session('8c79ba69'), { kind: 'against', session: fork.session('3419ba3e') })).map(told)).toEqual(['delete counter-class.js +0 -4']);
});

test('a step of OpenCode as a whole, with what a shell command did in it', async () => {
  const opened = await home('opencode', 'v118-revert', 'opencode');
  const session = opened.session('ses_e3b6b944e');
  const all = await Promise.all([1, 2, 3, 4].map(async (turn) => (await opened.diffs.files({ session, scope: { kind: 'turn', turn }, from: 0, count: 10 }))?.files.map(told)));
  expect(all).toEqual([
    ['edit data/ports.csv +1 -0'],
    ['edit src/chart.py +2 -2', 'edit src/tide.py +4 -0', 'create tests/test_tide.py +5 -0'],
    ['create CHANGES.md +4 -0 inferred', 'edit README.md +3 -1', 'delete old/notes.txt +0 -2 inferred'],
    undefined,
  ]);
  const [changes] = await opened.files(session, { kind: 'turn', turn: 3 });
  expect(changes?.evidence[0]).toMatch(/^The agent found the file changed by the step, and no call tells of it. In it ran `rm old\/notes.txt/);
});

test('asking leaves every byte of stores and projects as it was', async () => {
  const opened = await home('opencode', 'v118-main', 'opencode');
  const before = filesOf(opened.fixture.home);
  for (const id of opened.sessions()) await opened.files(id);
  expect(filesOf(opened.fixture.home)).toEqual(before);
});
