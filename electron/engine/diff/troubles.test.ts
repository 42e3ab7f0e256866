import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { DiffHome, told } from './diff-home.test-support';

const open: DiffHome[] = [];
afterEach(() => open.splice(0).forEach((each) => each.dispose()));

async function home(...of: Parameters<typeof DiffHome.open>): Promise<DiffHome> {
  const opened = await DiffHome.open(...of);
  open.push(opened);
  return opened;
}

const main = ['edit src/server.js +6 -1', 'edit src/store.js +4 -0', 'create test/search.test.js +9 -0'];

test('a snapshot store that is gone, empty or broken: calls and turn summaries tell the changes, and a note says so', async () => {
  const opened = await home('opencode', 'v118-main', 'opencode');
  const session = opened.session('ses_e1c685695');
  expect(await opened.notes(session)).toEqual(['2 shell commands ran: what they changed is known only where a snapshot, a checkpoint or a later edit shows it.']);
  const snapshots = join(opened.fixture.home, '.local/share/opencode/snapshot');
  for (const project of readdirSync(snapshots)) {
    for (const store of readdirSync(join(snapshots, project))) {
      const objects = join(snapshots, project, store, 'objects');
      for (const name of readdirSync(objects)) if (/^[0-9a-f]{2}$/.test(name)) for (const object of readdirSync(join(objects, name))) {
        rmSync(join(objects, name, object));
        writeFileSync(join(objects, name, object), 'no object of git');
      }
    }
  }
  opened.forget();
  expect((await opened.files(session)).map(told)).toEqual(main);
  expect((await opened.notes(session)).some((note) => /^(?:Some snapshot trees are not there|Git could not be asked)/.test(note))).toBe(true);
  renameSync(snapshots, `${snapshots}-away`);
  opened.forget();
  expect((await opened.files(session)).map(told)).toEqual(main);
  expect(await opened.notes(session)).toContain('There is no snapshot store.');
});

test('without git the changes are told by what else is recorded', async () => {
  const opened = await home('opencode', 'v118-main', 'opencode');
  const { PATH } = process.env;
  process.env['PATH'] = join(opened.fixture.home, 'nowhere');
  try {
    const session = opened.session('ses_e1c685695');
    expect((await opened.files(session)).map(told)).toEqual(main);
    expect(await opened.notes(session)).toContain('Git could not be asked: git is not installed.');
  } finally {
    process.env['PATH'] = PATH;
  }
});

test('backups that are gone are named, and the edits still told; a folder in their place is no file', async () => {
  const opened = await home('claude-code', 'rewind', 'claude-code');
  const session = opened.session('668bfb69');
  const backups = join(opened.fixture.home, '.claude/file-history/668bfb69-92c3-4453-af88-82ab42de9ae5');
  for (const name of readdirSync(backups)) rmSync(join(backups, name));
  mkdirSync(join(backups, 'cd2345f01b62df26@v2'));
  opened.forget();
  const files = await opened.files(session);
  expect(files.map(({ relative }) => relative)).toContain('greet.js');
  expect(await opened.notes(session)).toContain('Some backups of files are not there any more.');
});

test('a session that was listed and not read yet: that is said, and not that it changed nothing', async () => {
  const opened = await home('claude-code', 'rewind', 'claude-code');
  const session = opened.session('668bfb69');
  expect(await opened.notes(session)).not.toContain('This session has not been read yet: what it did to files is not known so far.');
  opened.shelf.library.db.exec('UPDATE session SET head = 1');
  opened.forget();
  expect(await opened.notes(session)).toContain('This session has not been read yet: what it did to files is not known so far.');
});

test('a patch that is too large to be sent whole is had in windows', async () => {
  const opened = await home('claude-code', 'rewind', 'claude-code');
  const session = opened.session('668bfb69');
  const [file] = await opened.files(session);
  const path = file?.path as string;
  const whole = await opened.diff(session, path);
  const window = await opened.diffs.file({ session, scope: { kind: 'session' }, path, window: { from: 5, count: 10 } });
  expect(window?.window).toEqual({ from: 5, text: whole.patch?.slice(5, 15) });
  expect(await opened.diffs.file({ session, scope: { kind: 'session' }, path: '/nowhere' })).toBeNull();
  expect(await opened.diffs.files({ session: 'claude-code/none', scope: { kind: 'session' }, from: 0, count: 1 })).toBeNull();
});
