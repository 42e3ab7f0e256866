import { execFileSync, spawn } from 'node:child_process';
import { appendFileSync, existsSync, linkSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { refuseClashes } from './apply/check';
import { type Machine, systemFiles, thisMachine } from './disk/machine';
import { placeOf } from './disk/names';
import { changes, creates, drawingWriter, PlanHome, present, stateOf, text } from './home.test-support';
import { holdersOf, readLsof } from '../stores/foreign/open-files';

const opened: PlanHome[] = [];
afterEach(async () => {
  for (const each of opened.splice(0)) await each.close();
});

/** A machine on which something happens at a place of an apply. */
function machineWith(happens: (hook: string) => void, more: Partial<Machine> = {}): Machine {
  return { ...thisMachine({}), waits: { journal: 2_000, store: 200, looks: 20 }, at: happens, ...more };
}

async function home(machine: Machine = machineWith(() => undefined)): Promise<PlanHome> {
  const made = await PlanHome.open('claude-code', 'rewind', machine);
  opened.push(made);
  mkdirSync(join(made.project, 'src'), { recursive: true });
  writeFileSync(join(made.project, 'src/a.txt'), 'a\n');
  return made;
}

describe('paths are gone through without following links', () => {
  test('a folder that is a link, and a file that is one', async () => {
    const at = await home();
    const outside = join(at.home, 'outside');
    mkdirSync(outside);
    writeFileSync(join(outside, 'a.txt'), 'a\n');
    symlinkSync(outside, join(at.project, 'led'));
    symlinkSync(join(outside, 'a.txt'), join(at.project, 'file.txt'));
    const before = stateOf(outside);
    const led = await at.plan([changes(at.project, join(at.project, 'led/a.txt'), 'x')]);
    expect(led.refused).toBe(`${join(at.project, 'led')} is a link: links are not followed.`);
    const file = await at.plan([changes(at.project, join(at.project, 'file.txt'), 'x')]);
    expect(file.refused).toBe(`${join(at.project, 'file.txt')} is a link: links are not followed.`);
    for (const { id } of [led, file]) expect(await at.ask('plan.apply', { plan: id })).toMatchObject({ applied: false, entry: null });
    expect(stateOf(outside)).toEqual(before);
  });

  test.each(['all-staged', 'changing'])('a link made when the plan is at %s', async (hook) => {
    let swap = (): void => undefined;
    const at = await home(machineWith((here) => here === hook && swap()));
    const outside = join(at.home, 'outside');
    mkdirSync(outside);
    writeFileSync(join(outside, 'a.txt'), 'a\n');
    writeFileSync(join(outside, 'theirs.txt'), 'theirs\n');
    const before = stateOf(outside);
    const plan = await at.plan([changes(at.project, join(at.project, 'src/a.txt'), 'x'), creates(at.project, join(at.project, 'src/b.txt'), 'b')]);
    swap = () => {
      renameSync(join(at.project, 'src'), join(at.project, 'moved'));
      symlinkSync(outside, join(at.project, 'src'));
    };
    const outcome = await at.ask('plan.apply', { plan: plan.id });
    expect(outcome).toMatchObject({ applied: false });
    expect(outcome).toHaveProperty('refused', `${join(at.project, 'src')} is a link: links are not followed.`);
    expect(stateOf(outside)).toEqual(before);
    expect(readFileSync(join(at.project, 'moved/a.txt'), 'utf8')).toBe('a\n');
  });

  test('a file with a second name is not parted from it', async () => {
    const at = await home();
    linkSync(join(at.project, 'src/a.txt'), join(at.project, 'second.txt'));
    expect((await at.plan([changes(at.project, join(at.project, 'src/a.txt'), 'x')])).refused).toMatch(/has a second name on this disk/);
  });
});

test.each([
  ['/p/../etc/passwd', 'is no plain absolute path'],
  ['/other/x', 'lies outside /p'],
  ['/p', 'lies outside /p'],
  ['relative', 'is no plain absolute path'],
  ['/p/a\0b', 'has a NUL in its name'],
  ['/p/.git/hooks/x', 'has a name that is not written to'],
  ['/p/sub/.GIT/config', 'has a name that is not written to'],
  ['/p/git~1/config', 'has a name that is not written to'],
  ['/p/.g\u200cit/config', 'has a name that is not written to'],
  ['/p/.git. /config', 'has a name that is not written to'],
  [`/p/${'n'.repeat(240)}`, 'has a name longer than 220 bytes'],
])('%j is refused by name', (path, reason) => {
  expect(() => placeOf(path, '/p')).toThrow(reason);
});

test('spellings that a file system takes for one clash before anything is written', async () => {
  const at = await home();
  const two = [creates(at.project, join(at.project, 'Total.js'), 'a'), creates(at.project, join(at.project, 'total.js'), 'b')];
  expect(() => refuseClashes(systemFiles, two)).not.toThrow();
  expect(() => refuseClashes(systemFiles, [...two.slice(0, 1), ...two.slice(0, 1)])).toThrow('twice');
  // No disk of this machine folds names: one that does, as its calls answer.
  const folding: Machine = machineWith(() => undefined, { files: { ...systemFiles, look: (path) => systemFiles.look(asSpelled(path)), open: (path, flags, mode) => systemFiles.open(asSpelled(path), flags, mode) } });
  expect(() => refuseClashes(folding.files, two)).toThrow('are one file on this file system');
  expect(() => refuseClashes(folding.files, [creates(at.project, join(at.project, 'caf\u00e9'), ''), creates(at.project, join(at.project, 'cafe\u0301'), '')])).toThrow('are one file');
  const folded = await home(folding);
  const before = stateOf(folded.project);
  const other = await folded.plan([creates(folded.project, join(folded.project, 'src/A.txt'), 'x')]);
  expect(other.refused).toBe(`${join(folded.project, 'src/A.txt')} is there under another spelling of its name: this file system takes the two for one.`);
  expect(await folded.ask('plan.apply', { plan: other.id })).toMatchObject({ applied: false, entry: null });
  expect(stateOf(folded.project)).toEqual(before);
});

/** The spelling a disk has for a name, where it does not tell case apart. */
function asSpelled(path: string): string {
  const cut = path.lastIndexOf('/');
  const [folder, name] = [path.slice(0, cut) || '/', path.slice(cut + 1)];
  if (name === '' || existsSync(path) || !existsSync(folder)) return path;
  return join(folder, readdirSync(folder).find((each) => each.toLowerCase() === name.toLowerCase()) ?? name);
}

test('a disk without room refuses by numbers', async () => {
  const at = await home(machineWith(() => undefined, { files: { ...systemFiles, free: () => 1_000 } }));
  const plan = await at.plan([creates(at.project, join(at.project, 'b.txt'), 'x'.repeat(5_000))]);
  expect(plan.refused).toMatch(/^There is not enough room on the disk of .*: 5000 bytes are needed and 8388608 kept free, 1000 are free\.$/);
  expect(plan.room).toEqual([{ folder: at.project, needed: 5_000, free: 1_000 }]);
  expect(await at.ask('plan.apply', { plan: plan.id })).toMatchObject({ applied: false, refused: plan.refused });
});

/** A real small disk, where this user may mount one; elsewhere the calls that fail stand for it (faults.test.ts). */
function smallDisk(): string | null {
  const folder = mkdtempSync(join(tmpdir(), 'retrace-small-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=12m', 'tmpfs', folder], { stdio: 'ignore' });
    return folder;
  } catch {
    rmSync(folder, { recursive: true });
    return null;
  }
}

const disk = process.platform === 'linux' ? smallDisk() : null;
test.skipIf(disk === null)('a full tmpfs refuses what does not fit, and what fills it on the way is taken back (skipped where none can be mounted)', async () => {
  const folder = disk ?? '';
  try {
    let fill = (): void => undefined;
    const at = await home(machineWith((hook) => hook === 'backed-up' && fill()));
    writeFileSync(join(folder, 'a.txt'), 'a\n');
    const large = (size: number) => ({ ...creates(folder, join(folder, 'b.txt'), ''), after: { content: text('x'.repeat(size)) } });
    const tooLarge = await at.plan([large(6_000_000)]);
    expect(tooLarge.refused).toMatch(/not enough room/);
    const fits = await at.plan([changes(folder, join(folder, 'a.txt'), 'other'), large(2_000_000)]);
    expect(fits.refused).toBe(null);
    fill = () => writeFileSync(join(folder, 'filler'), Buffer.alloc(11_500_000));
    expect(await at.ask('plan.apply', { plan: fits.id })).toMatchObject({ applied: false, refused: expect.stringContaining('ENOSPC'), entry: { state: 'failed' } });
    expect(readdirSync(folder).sort()).toEqual(['a.txt', 'filler']);
    expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe('a\n');
  } finally {
    execFileSync('umount', [folder]);
    rmSync(folder, { recursive: true, force: true });
  }
});

describe('who is at work', () => {
  test('a file that grows between two looks', async () => {
    const at = await home();
    const path = join(at.project, 'src/a.txt');
    const plan = await at.plan([changes(at.project, path, 'x')]);
    const child = spawn('sh', ['-c', `while :; do echo b >> '${path}'; sleep 0.004; done`]);
    try {
      await new Promise((done) => setTimeout(done, 100));
      expect(await at.ask('plan.apply', { plan: plan.id })).toMatchObject({ applied: false, refused: `${path} is being written: it changed between two looks.` });
    } finally {
      child.kill('SIGKILL');
    }
  });

  test('an agent that its store’s probe sees', async () => {
    const at = await home();
    at.writer = { ...drawingWriter(() => ({ steps: [] })), busy: () => ({ busy: 'claude (process 7) works in this session.', checked: [] }) };
    expect((await at.plan([creates(at.project, join(at.project, 'b.txt'), 'b')])).refused).toBe('claude (process 7) works in this session.');
  });

  test('another library’s Retrace that writes the same store', async () => {
    let meanwhile = async (): Promise<unknown> => undefined;
    const pending: Promise<unknown>[] = [];
    const at = await home(machineWith((hook) => hook === 'staged' && pending.push(meanwhile())));
    const second = at.start(join(at.library, '../other.db'));
    const call = { signal: new AbortController().signal };
    await second.methods['index.run']({}, call);
    const first = await at.plan([creates(at.project, join(at.project, 'b.txt'), 'b')]);
    const other = await second.methods['plan.fork']({ session: at.session }, call);
    if (other === null || !('steps' in other)) throw new Error('no plan');
    meanwhile = async () => second.methods['plan.apply']({ plan: other.id }, call);
    expect(await at.ask('plan.apply', { plan: first.id })).toMatchObject({ applied: true });
    expect(await Promise.all(pending)).toEqual([{ applied: false, refused: expect.stringMatching(/^(Another Retrace is writing in |There is something at )/), stale: expect.any(Boolean), entry: null }]);
    expect(await second.methods['plan.apply']({ plan: other.id }, call)).toMatchObject({ applied: false, stale: true, refused: `There is something at ${join(at.project, 'b.txt')} now.` });
    await second.close();
  });

  test.skipIf(process.platform !== 'linux')('processes are told by what they have open', async () => {
    const at = await home();
    const path = join(at.project, 'src/a.txt');
    expect(holdersOf([path, join(at.project, 'none')])).toEqual({ holders: [], isKnown: true });
    const child = spawn('tail', ['-f', path], { stdio: 'ignore' });
    await new Promise((done) => setTimeout(done, 200));
    expect(holdersOf([path])).toEqual({ holders: [{ pid: child.pid, name: 'tail', file: path }], isKnown: true });
    child.kill();
    expect(holdersOf([path], 'win32')).toEqual({ holders: [], isKnown: false });
    expect(readLsof('p41\ncopencode\nf20\nn/x/opencode.db\np42\ncnode\nf3\nn/x/opencode.db-wal\n')).toEqual([{ pid: 41, name: 'opencode', file: '/x/opencode.db' }, { pid: 42, name: 'node', file: '/x/opencode.db-wal' }]);
  });
});

test('it is cancelled until the first change, and not after', async () => {
  let hook = '';
  let cancel = (): void => undefined;
  const at = await home(machineWith((here) => here === hook && cancel()));
  const before = stateOf(at.project);
  const plan = await at.plan([changes(at.project, join(at.project, 'src/a.txt'), 'x'), creates(at.project, join(at.project, 'new/b.txt'), 'b')]);
  cancel = () => void at.ask('plan.cancel', { plan: plan.id });
  hook = 'staged';
  expect(await at.ask('plan.apply', { plan: plan.id })).toMatchObject({ applied: false, refused: 'It was cancelled before the first change.', entry: { state: 'failed', backups: 0 } });
  expect(stateOf(at.project)).toEqual(before);
  expect(existsSync(`${at.library}.backups/${plan.id}`)).toBe(false);
  const second = await at.plan([changes(at.project, join(at.project, 'src/a.txt'), 'x')]);
  cancel = () => void at.ask('plan.cancel', { plan: second.id });
  hook = 'changing';
  expect(await at.ask('plan.apply', { plan: second.id })).toMatchObject({ applied: true });
  expect(at.events).toContain('plan.progress');
  expect(at.events).toContain('journal.changed');
});

test('backups and what is made in a store are this user’s alone', async () => {
  const at = await home();
  const store = join(at.home, '.claude');
  const plan = await at.plan([changes(at.project, join(at.project, 'src/a.txt'), 'x'), creates(store, join(store, 'projects/new/b.jsonl'), 'b')]);
  await at.ask('plan.apply', { plan: plan.id });
  const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);
  expect([mode(`${at.library}.backups`), mode(`${at.library}.backups/${plan.id}`), mode(`${at.library}.backups/${plan.id}/0.before`)]).toEqual(['700', '700', '600']);
  expect([mode(join(store, 'projects/new')), mode(join(store, 'projects/new/b.jsonl'))]).toEqual(['700', '600']);
});

test('what a plan leans on must still be there', async () => {
  const at = await home();
  const path = join(at.project, 'src/a.txt');
  const { sha256 } = present(path) as { sha256: string };
  const plan = await at.plan([creates(at.project, join(at.project, 'b.txt'), 'b')], { expects: [{ path, within: at.project, bytes: 2, sha256 }] });
  expect(plan.refused).toBe(null);
  appendFileSync(path, 'grows at its end\n');
  expect(await at.ask('plan.apply', { plan: plan.id })).toMatchObject({ applied: true });
  const other = await at.plan([creates(at.project, join(at.project, 'c.txt'), 'c')], { expects: [{ path, within: at.project, bytes: 2, sha256 }] });
  writeFileSync(path, 'b\n');
  expect(await at.ask('plan.apply', { plan: other.id })).toMatchObject({ applied: false, stale: true, refused: `${path} changed since the plan was made.` });
});

test('files that wait beside their places are no sessions of any store', async () => {
  for (const [family, name, glob] of [['claude-code', 'rewind', /\.jsonl$/], ['codex', null, /\.jsonl$/], ['opencode', 'v11-json', /\.json$/]] as const) {
    const { fixtureNames } = await import('../../../e2e/fixtures');
    const at = await PlanHome.open(family, name ?? fixtureNames(family)[0] ?? '');
    opened.push(at);
    const before = await at.ask('session.list', { filter: { archived: 'include' }, sort: 'created', from: 0, count: 1_000 });
    let placed = 0;
    const walk = (folder: string): void => {
      for (const entry of readdirSync(folder, { withFileTypes: true })) {
        if (entry.isDirectory()) walk(join(folder, entry.name));
        else if (glob.test(entry.name) && !entry.name.startsWith('.')) {
          writeFileSync(join(folder, `.${entry.name}.retrace-mik3x9a2-7f3kq1`), readFileSync(join(folder, entry.name)));
          placed++;
        }
      }
    };
    walk(at.home);
    expect(placed, family).toBeGreaterThan(0);
    await at.ask('index.run', {});
    const after = await at.ask('session.list', { filter: { archived: 'include' }, sort: 'created', from: 0, count: 1_000 });
    expect(after.sessions.map(({ id, damage }) => ({ id, damage })), family).toEqual(before.sessions.map(({ id, damage }) => ({ id, damage })));
  }
});
