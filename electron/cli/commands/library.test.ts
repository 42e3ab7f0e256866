import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { retrace } from '../../../e2e/command-line';
import { type Fixture, openFixture } from '../../../e2e/fixtures';

let fixture: Fixture;
let folder: string;
beforeEach(() => {
  fixture = openFixture('claude-code', 'fork');
  folder = mkdtempSync(join(tmpdir(), 'retrace-library-command-'));
});
afterEach(() => {
  fixture.dispose();
  rmSync(folder, { recursive: true, force: true });
});

const on = (...args: string[]) => retrace({ home: fixture.home, library: join(folder, 'library.db') }, ...args);
const listed = async () => (JSON.parse((await on('ls', '--json')).stdout) as { id: string }[]).map(({ id }) => id).sort();

test('a project that is excluded before anything was read is never read', async () => {
  expect(await on('library', 'exclude', '/home/dev/projects/demo')).toEqual({ code: 0, stdout: 'Excluded: project demo.\n', stderr: '' });
  expect(await listed()).toEqual([]);
  expect(await on('library', 'exclude', 'retrace')).toMatchObject({ code: 1, stderr: 'Imported sessions are excluded with the agent that wrote them, or with their project. To take one out, undo its import.\n' });
  expect(await on('library', 'include', 'demo')).toMatchObject({ code: 0, stdout: 'Included again: project demo. The next pass reads what is new of it.\n' });
  expect((await listed()).length).toBeGreaterThan(0);
});

test('excluded, forgotten and included again, each first as it would be', async () => {
  const all = await listed();
  expect((await on('library', 'exclude', 'demo', '--dry-run')).stdout).toMatch(/^Would be excluded: project demo\. /);
  expect(await listed()).toEqual(all);
  expect(await on('library', 'forget', 'demo')).toMatchObject({ code: 1, stderr: expect.stringContaining('Exclude it first.') as string });
  expect((await on('library', 'exclude', 'demo', '--json')).stdout).toMatch(/^\{"applied":true,/);
  expect((await on('library', 'exclude', 'demo')).stdout).toMatch(/^Was excluded already: project demo\. /);
  expect(await listed()).toEqual([]);
  const planned = await on('library', 'forget', 'demo');
  expect(planned).toMatchObject({ code: 0, stderr: 'Nothing was forgotten: --yes does it.\n' });
  expect(planned.stdout).toMatch(new RegExp(`^To be forgotten: ${all.length} sessions`));
  const done = JSON.parse((await on('library', 'forget', 'demo', '--yes', '--json')).stdout) as { applied: boolean; plan: { sessions: number; onlyCopies: number } };
  expect(done).toMatchObject({ applied: true, plan: { sessions: all.length, onlyCopies: 0 } });
  expect((await on('library', 'compact')).stdout).toMatch(/^Compacted: .* → .*\n$/);
  expect(existsSync(join(fixture.home, '.claude/projects'))).toBe(true);
  await on('library', 'include', 'demo');
  expect(await listed()).toEqual(all);
});

test('the keep rule names what is due, which goes when one says so', async () => {
  const all = await listed();
  cpSync(join(fixture.home, '.claude/projects'), join(folder, 'projects'), { recursive: true });
  rmSync(join(fixture.home, '.claude/projects'), { recursive: true });
  expect(await on('library', 'keep')).toEqual({ code: 0, stdout: 'keeps sessions for ever whose source is gone\n', stderr: '' });
  expect((await on('library', 'keep', '--days', '30')).stdout).toBe('keeps sessions for 30 days after their source went away; none is due\n');
  await on('index');
  expect(JSON.parse((await on('library', 'keep', '--json')).stdout)).toMatchObject({ applied: false, rule: { days: 30, due: { sessions: 0 }, held: 0 } });
  expect(await on('library', 'forget', '--due')).toMatchObject({ code: 1, stderr: 'The library has nothing of it.\n' });
  expect(await listed()).toEqual(all);
  expect((await on('library', 'keep', '--for-ever', '--json')).stdout).toContain('"days":null');
  // A session that only the library has is forgotten by its name.
  const [first] = all as [string];
  expect((await on('library', 'forget', first, '--yes')).code).toBe(0);
  expect(await listed()).toEqual(all.filter((id) => id !== first));
});

test('what cannot be is refused or not understood', async () => {
  await on('index');
  expect(await on('library', 'exclude', 'nowhere')).toMatchObject({ code: 1, stderr: 'There is no agent, store or project "nowhere". A project that is not known yet is named by its folder.\n' });
  expect(await on('library', 'include', 'demo')).toMatchObject({ code: 1, stderr: 'Nothing that is called "demo" is excluded.\n' });
  expect(await on('library', 'forget')).toMatchObject({ code: 2 });
  expect(await on('library', 'forget', 'x', '--due')).toMatchObject({ code: 2 });
  expect(await on('library', 'keep', '--days', '0')).toMatchObject({ code: 2 });
  expect(await on('library', 'keep', '--days', '3', '--for-ever')).toMatchObject({ code: 2 });
  expect(await on('library', 'forget', 'demo', '--yes', '--dry-run')).toMatchObject({ code: 2 });
  const [id] = await listed();
  const refused = await on('library', 'forget', id as string, '--yes', '--json');
  expect(refused.code).toBe(1);
  expect(JSON.parse(refused.stdout)).toMatchObject({ applied: false, plan: { refusals: [{ reason: 'still there' }] } });
});
