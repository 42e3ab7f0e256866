import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Place, retrace } from '../../e2e/command-line';
import { type Fixture, openFixture } from '../../e2e/fixtures';
import { parseCommandLine } from './program';
import { steady } from './writes.test-support';

/** What `fork`, `revert` and `session` print and do on a real session, kept in e2e/golden-writes; `UPDATE_GOLDEN=1` writes the files anew. */
const golden = join(import.meta.dirname, '../../e2e/golden-writes');
const session = '668bfb69';
const welcome = 'b337a1ea-c572-4ee3-a024-ba021e86932e';

let fixture: Fixture;
let folder: string;
let place: Place;
beforeAll(() => {
  fixture = openFixture('claude-code', 'rewind');
  folder = mkdtempSync(join(tmpdir(), 'retrace-plans-'));
  place = { home: fixture.home, library: join(folder, 'library.db') };
});
afterAll(() => {
  fixture.dispose();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs a command and compares what it prints with its golden file; gives what it printed. */
async function printed(file: string, code: number, ...args: string[]): Promise<string> {
  const isJson = file.endsWith('.json');
  const result = await retrace(place, ...args, '--map', `/home/dev=${place.home}`, ...(isJson ? ['--json'] : []));
  const text = steady(result.stdout, place, isJson) + (result.stderr === '' ? '' : `stderr: ${steady(result.stderr, place, false)}`);
  expect(result.code, `${file}: ${text}`).toBe(code);
  const path = join(golden, file);
  if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(path, text);
  expect(text, file).toBe(existsSync(path) ? readFileSync(path, 'utf8') : '');
  return result.stdout;
}

const undone = async (stdout: string): Promise<void> => {
  const { undo } = JSON.parse(stdout) as { undo: string };
  expect((await retrace(place, 'undo', undo, '--yes')).code).toBe(0);
};
const project = () => join(fixture.home, 'projects/demo');
const transcripts = () => readdirSync(join(fixture.home, '.claude/projects/-home-dev-projects-demo')).sort();

test('a fork is shown, made and named', { timeout: 120_000 }, async () => {
  const before = transcripts();
  await printed('fork-shown.txt', 0, 'fork', session, '--at', welcome);
  expect(transcripts()).toEqual(before);
  const done = await printed('fork-done.json', 0, 'fork', session, '--at', welcome, '--title', 'Another greeting', '--yes');
  const made = transcripts().filter((name) => !before.includes(name) && name.endsWith('.jsonl'));
  expect(made).toHaveLength(1);
  expect(JSON.parse(done)).toMatchObject({ applied: true, session: `claude-code/${made[0]?.replace('.jsonl', '')}` });
  await undone(done);
  expect(transcripts()).toEqual(before);
  await printed('fork-way-none.txt', 1, 'fork', session, '--way', 'nowhere');
  await printed('fork-at-none.txt', 1, 'fork', session, '--at', 'nowhere');
});

test('a fork in a worktree has the files as they were', { timeout: 120_000 }, async () => {
  const tree = join(fixture.home, 'projects/as-it-was');
  const done = await printed('fork-worktree.json', 0, 'fork', session, '--at', welcome, '--worktree', tree, '--worktree-branch', 'as-it-was', '--yes');
  expect(readdirSync(tree).sort()).toEqual(['.git', 'README.md', 'app.js', 'greet.js', 'util.js']);
  await undone(done);
  expect(existsSync(tree)).toBe(false);
});

test('a revert takes back files by choice, and the conversation', { timeout: 120_000 }, async () => {
  const mine = 'export function greet(name) {\n  return "good morning " + name;\n}\n\nexport const mine = true;\n';
  writeFileSync(join(project(), 'greet.js'), mine);
  const app = readFileSync(join(project(), 'app.js'), 'utf8');
  await printed('revert-conflict.txt', 1, 'revert', session, '--at', welcome);
  await printed('revert-conflict-yes.json', 1, 'revert', session, '--at', welcome, '--yes');
  await printed('revert-take-none.txt', 1, 'revert', session, '--at', welcome, '--take', 'app.js=merge');
  expect(readFileSync(join(project(), 'app.js'), 'utf8')).toBe(app);
  const merged = await printed('revert-files.json', 0, 'revert', session, '--at', welcome, '--scope', 'files', '--take', 'greet.js=merge', '--yes');
  expect(readFileSync(join(project(), 'greet.js'), 'utf8')).toContain('<<<<<<< now\n');
  expect(readFileSync(join(project(), 'app.js'), 'utf8')).not.toBe(app);
  await undone(merged);
  expect(readFileSync(join(project(), 'greet.js'), 'utf8')).toBe(mine);
  const kept = await printed('revert-take-all.json', 0, 'revert', session, '--at', welcome, '--take-all', 'mine', '--yes');
  expect(readFileSync(join(project(), 'greet.js'), 'utf8')).toBe(mine);
  await undone(kept);
  expect(readFileSync(join(project(), 'app.js'), 'utf8')).toBe(app);
});

test('a session is renamed, moved to the trash, and comes back', { timeout: 120_000 }, async () => {
  await printed('session-rename.txt', 0, 'session', 'rename', session, 'The greeting');
  await printed('session-rename-long.txt', 1, 'session', 'rename', session, 'x'.repeat(2_001));
  await printed('session-rename-long.json', 1, 'session', 'rename', session, 'x'.repeat(2_001));
  const trashed = await printed('session-trash.json', 0, 'session', 'trash', session, '--yes');
  expect(transcripts().filter((name) => name.startsWith(session))).toEqual([]);
  await undone(trashed);
  expect(transcripts()).toContain('668bfb69-92c3-4453-af88-82ab42de9ae5.jsonl');
});

const parse = (...args: string[]) => parseCommandLine(args, '/work/web');

test('the command line of a fork', () => {
  expect(parse('fork', 'ses_1')).toMatchObject({ run: { command: 'fork', session: 'ses_1', at: null, branch: null, way: null, title: null, toolOutput: null, worktree: null, yes: false } });
  expect(parse('fork', 'ses_1', '--worktree')).toMatchObject({ run: { worktree: { path: null, branch: null } } });
  expect(parse('fork', 'ses_1', '--worktree', '../tree', '--no-tool-output', '--branch', '2', '--yes')).toMatchObject({ run: { worktree: { path: '/work/tree', branch: null }, toolOutput: false, branch: '2', yes: true } });
  expect(parse('fork', 'ses_1', '--worktree-branch', 'try', '--tool-output')).toMatchObject({ run: { worktree: { path: null, branch: 'try' }, toolOutput: true } });
  expect(parse('fork', 'ses_1', '--yes', '--dry-run')).toMatchObject({ problem: expect.any(String) });
  expect(parse('fork')).toMatchObject({ problem: expect.any(String) });
});

test('the command line of a revert, and of what is done to a session', () => {
  expect(parse('revert', 'ses_1', '--at', 'msg_1')).toMatchObject({ run: { command: 'revert', at: 'msg_1', scope: 'both', takes: [], takeAll: null, yes: false } });
  expect(parse('revert', 'ses_1', '--at', 'm', '--scope', 'files', '--take', 'a=b.txt=mine', '--take', '/x/y=checkpoint', '--take-all', 'merge')).toMatchObject({
    run: { scope: 'files', takes: [{ path: 'a=b.txt', take: 'mine' }, { path: '/x/y', take: 'checkpoint' }], takeAll: 'merge' },
  });
  for (const args of [[], ['--at', 'm', '--scope', 'all'], ['--at', 'm', '--take', 'a.txt'], ['--at', 'm', '--take', '=mine'], ['--at', 'm', '--take-all', 'theirs']]) expect(parse('revert', 'ses_1', ...args)).toMatchObject({ problem: expect.any(String) });
  expect(parse('session', 'rename', 'ses_1', 'A name')).toMatchObject({ run: { command: 'session', act: 'rename', title: 'A name', yes: false } });
  expect(parse('session', 'trash', 'ses_1', '--yes')).toMatchObject({ run: { command: 'session', act: 'trash', title: null, yes: true } });
  for (const args of [['rename', 'ses_1'], ['delete', 'ses_1'], []]) expect(parse('session', ...args)).toMatchObject({ problem: expect.any(String) });
});
