import { appendFileSync, chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execFileSync } from 'node:child_process';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Fixture, openFixture } from '../../../e2e/fixtures';
import { examine } from '../queries/doctor';
import { filesOf } from '../stores/acceptance';
import { OverlayShelf } from '../stores/omo/overlay-shelf.test-support';

let fixture: Fixture;
let shelf: OverlayShelf;
let folder: string;

beforeEach(() => {
  fixture = openFixture('omo', 'works');
  shelf = new OverlayShelf(fixture.home);
  folder = join(fixture.home, 'projects/notes/.omo');
});
afterEach(() => {
  shelf.dispose();
  fixture.dispose();
});

const statuses = () => shelf.list().items.map(({ name, status }) => `${name} ${status.now}`).sort();
const fileOf = (path: string) => shelf.files()[`~/projects/notes/.omo/${path}`];

test('1: reading leaves no trace', async () => {
  const before = filesOf(fixture.home);
  await shelf.pass();
  shelf.list();
  await shelf.pass();
  expect(filesOf(fixture.home)).toEqual(before);
});

test('what did not change is not read again, and what did costs its own bytes', async () => {
  await shelf.pass();
  expect(await shelf.pass()).toMatchObject({ bytesRead: 0, changes: 0 });
  const plan = join(folder, 'plans/search.md');
  const text = readFileSync(plan, 'utf8').replace('- [ ] 2. Rank results', '- [x] 2. Rank results');
  writeFileSync(plan, text);
  expect(await shelf.pass()).toMatchObject({ bytesRead: text.length, changes: 1 });
  expect(shelf.list().items.find(({ name }) => name === 'search')?.plan.progress).toMatchObject({ done: 2, total: 3 });
  expect(fileOf('plans/search.md')).toEqual({ versions: 2, gone: false, problem: null });
  // Touched and not changed: looked into once, no new version.
  utimesSync(plan, new Date(), new Date());
  expect(await shelf.pass()).toMatchObject({ bytesRead: text.length });
  expect(fileOf('plans/search.md')?.versions).toBe(2);
});

test('after /stop-continuation the works stay, marked stopped; the file that comes back is live again', async () => {
  await shelf.pass();
  const boulder = readFileSync(join(folder, 'boulder.json'));
  rmSync(join(folder, 'boulder.json'));
  shelf.now += 60_000;
  await shelf.pass();
  expect(fileOf('boulder.json')).toEqual({ versions: 1, gone: true, problem: null });
  expect(statuses()).toEqual(['cleanup stopped', 'done-soon completed', 'search stopped']);
  expect(shelf.list().items.find(({ name }) => name === 'cleanup')?.status).toEqual({
    recorded: 'active', now: 'stopped', certainty: 'inferred', evidence: 'boulder.json, which named this work, was deleted: /stop-continuation in any session of the project does that.', since: '2027-01-01T00:01:00.000Z',
  });
  expect((await shelf.pass()).changes).toBe(0);
  writeFileSync(join(folder, 'boulder.json'), boulder);
  await shelf.pass();
  expect(fileOf('boulder.json')).toEqual({ versions: 1, gone: false, problem: null });
  expect(statuses()).toEqual(['cleanup paused', 'done-soon completed', 'search paused']);
});

test('a deleted plan, notepad and project folder stay with what was read of them', async () => {
  await shelf.pass();
  rmSync(join(fixture.home, 'projects/notes'), { recursive: true });
  await shelf.pass();
  const item = shelf.list().items.find(({ name }) => name === 'search');
  expect(item?.plan).toMatchObject({ state: 'gone', progress: { done: 1, total: 3 } });
  expect(shelf.work.plan({ item: item?.id ?? '' })?.notes.map(({ name, state }) => `${name} ${state}`)).toEqual(['decisions gone', 'issues gone', 'learnings gone', 'problems gone']);
});

test('works that a newer file left out are told as dropped', async () => {
  await shelf.pass();
  const boulder = JSON.parse(readFileSync(join(folder, 'boulder.json'), 'utf8')) as { works: Record<string, unknown> };
  const { 'search-b078fccf': search } = boulder.works;
  writeFileSync(join(folder, 'boulder.json'), JSON.stringify({ schema_version: 2, active_work_id: 'search-b078fccf', works: { 'search-b078fccf': search } }));
  await shelf.pass();
  expect(statuses()).toEqual(['cleanup dropped', 'done-soon completed', 'search paused']);
});

test('a torn file is named, and the works read before stay', async () => {
  await shelf.pass();
  const text = readFileSync(join(folder, 'boulder.json'), 'utf8');
  writeFileSync(join(folder, 'boulder.json'), text.slice(0, 300));
  await shelf.pass();
  expect(shelf.list().damage).toMatchObject([{ place: join(folder, 'boulder.json'), bytes: 300, reason: 'It is no JSON.' }]);
  expect(shelf.list().items.map(({ name }) => name).sort()).toEqual(['cleanup', 'done-soon', 'search']);
});

test('the doctor names what could not be read, with the store it is about', async () => {
  writeFileSync(join(folder, 'boulder.json'), '{"works":');
  await shelf.pass();
  const [opencode] = examine(shelf.library.db, ':memory:', [], shelf.now).stores;
  expect(opencode?.skipped).toEqual([{ file: join(folder, 'boulder.json'), line: null, at: null, bytes: 9, reason: 'It is no JSON.', session: null, part: null }]);
  expect(opencode?.notices.at(-1)).toBe('20 files of Oh-My-OpenCode about its sessions were found beside it.');
});

test('the plan in the worktree counts where it is there', async () => {
  mkdirSync(join(fixture.home, 'projects/notes-search/.omo/plans'), { recursive: true });
  writeFileSync(join(fixture.home, 'projects/notes-search/.omo/plans/search.md'), '## TODOs\n- [x] 1. Tokenise notes\n- [x] 2. Rank results\n');
  writeFileSync(join(fixture.home, 'projects/notes-search/.omo/plans/other.md'), '- [ ] not asked for\n');
  await shelf.pass();
  const search = shelf.list().items.find(({ name }) => name === 'search');
  expect(search?.plan).toMatchObject({ where: 'worktree', path: '/home/dev/projects/notes-search/.omo/plans/search.md', progress: { done: 2, total: 2 } });
  expect(search?.copies).toMatchObject([{ path: '/home/dev/projects/notes/.omo/plans/search.md', progress: { done: 1, total: 3 } }]);
  expect(Object.keys(shelf.files()).filter((path) => path.includes('notes-search'))).toEqual(['~/projects/notes-search/.omo/plans/search.md']);
  expect((await shelf.pass()).changes).toBe(0);
  rmSync(join(fixture.home, 'projects/notes-search'), { recursive: true });
  await shelf.pass();
  expect(shelf.list().items.find(({ name }) => name === 'search')?.plan).toMatchObject({ where: 'project', progress: { done: 1, total: 3 } });
});

test('without a map nothing is looked for: the recorded folders lie outside the home', async () => {
  await shelf.pass({ maps: [] });
  expect(Object.keys(shelf.files())).toEqual([]);
  expect(shelf.list().total).toBe(0);
});

test('folders that a library found before are looked at again without the map', async () => {
  await shelf.pass();
  appendFileSync(join(folder, 'plans/cleanup.md'), '- [x] one more\n');
  await shelf.pass({ maps: [] });
  expect(shelf.list().items.find(({ name }) => name === 'cleanup')?.plan.progress).toMatchObject({ done: 3, total: 6 });
});

describe('hostile places', () => {
  const outside = () => mkdtempSync(join(tmpdir(), 'retrace-outside-'));

  test('links that lead out of the home are not followed, and are named', async () => {
    const other = outside();
    writeFileSync(join(other, 'secret.md'), '- [x] not yours\n');
    symlinkSync(join(other, 'secret.md'), join(folder, 'plans/linked.md'));
    symlinkSync(other, join(folder, 'goal'));
    symlinkSync(join(folder, 'plans/cleanup.md'), join(folder, 'plans/inside.md'));
    await shelf.pass();
    expect(fileOf('plans/linked.md')).toEqual({ versions: 0, gone: false, problem: 'It is a link that leads out of the home.' });
    expect(fileOf('goal')).toEqual({ versions: 0, gone: false, problem: 'It is reached through a link that leads out of the home.' });
    expect(fileOf('plans/inside.md')?.versions).toBe(1);
    expect((await shelf.pass()).changes).toBe(0);
    expect(shelf.list().damageTotal).toBe(2);
    rmSync(join(folder, 'goal'));
    await shelf.pass();
    expect(fileOf('goal')).toBeUndefined();
    rmSync(other, { recursive: true });
  });

  test('a FIFO, a folder with the name of a file and a huge file hold nothing up', async () => {
    execFileSync('env', ['mkfifo', join(folder, 'plans/pipe.md')]);
    mkdirSync(join(folder, 'plans/folder.md'));
    mkdirSync(join(folder, 'goal'));
    writeFileSync(join(folder, 'plans/huge.md'), '- [ ] a\n'.repeat(140_000));
    writeFileSync(join(folder, 'goal/ses_1.json'), Buffer.from([0xff, 0xfe, 0, 1]));
    writeFileSync(join(folder, 'run-continuation/null.json'), 'null');
    await shelf.pass();
    expect(fileOf('plans/huge.md')).toEqual({ versions: 0, gone: false, problem: 'It has 1,120,000 bytes; more than 1,048,576 are not read.' });
    expect(shelf.list().damage.map(({ place, reason }) => `${place.split('/').at(-1)}: ${reason}`).sort()).toEqual([
      'huge.md: It has 1,120,000 bytes; more than 1,048,576 are not read.', 'null.json: It is JSON, but no object.', 'ses_1.json: It is no JSON.',
    ]);
    expect(statuses()).toEqual(['cleanup paused', 'done-soon completed', 'search paused']);
  });

  test('a folder that may not be looked into keeps what was read of it', async (context) => {
    context.skip(process.getuid?.() === 0, 'root may look into every folder');
    await shelf.pass();
    chmodSync(join(folder, 'plans'), 0);
    await shelf.pass();
    chmodSync(join(folder, 'plans'), 0o755);
    expect(fileOf('plans/search.md')?.gone).toBe(false);
  });

  test('a worktree or plan that leads elsewhere is not read', async () => {
    const other = outside();
    mkdirSync(join(other, '.omo/plans'), { recursive: true });
    writeFileSync(join(other, '.omo/plans/search.md'), '- [x] not yours\n');
    const boulder = (work: object) => writeFileSync(join(folder, 'boulder.json'), JSON.stringify({ works: { a: { plan_name: 'a', ...work } } }));
    for (const work of [
      { active_plan: '/home/dev/projects/notes/.omo/plans/search.md', worktree_path: other },
      { active_plan: '/home/dev/projects/notes/.omo/plans/../../../../etc/passwd', worktree_path: '/' },
      { active_plan: '/home/dev/projects/notes/.omo/plans/search.md', worktree_path: '//server/share' },
    ]) {
      boulder(work);
      await shelf.pass();
      expect(Object.keys(shelf.files()).filter((path) => !path.startsWith('~/projects/notes/'))).toEqual([]);
    }
    boulder({ active_plan: '/etc/passwd' });
    await shelf.pass();
    expect(shelf.list().items.find(({ name }) => name === 'a')?.plan).toEqual({ path: '/etc/passwd', where: 'project', state: 'not looked at', progress: null, otherRules: [], changed: null });
    rmSync(other, { recursive: true });
  });
});
