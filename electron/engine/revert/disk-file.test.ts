import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { diskLimit, ProjectFiles } from './disk-file';

const home = mkdtempSync(join(tmpdir(), 'retrace-disk-'));
const project = join(home, 'project');

beforeAll(() => {
  mkdirSync(join(project, 'src'), { recursive: true });
  mkdirSync(join(project, '.git'));
  mkdirSync(join(home, 'other'));
  writeFileSync(join(project, 'src/a.js'), 'a\n');
  writeFileSync(join(project, '.git/config'), 'secret\n');
  writeFileSync(join(project, 'file'), 'x');
  writeFileSync(join(project, 'picture'), Buffer.from([1, 0, 2]));
  writeFileSync(join(project, 'large'), Buffer.alloc(diskLimit + 1, 'x'));
  writeFileSync(join(home, 'other/b.js'), 'b\n');
  symlinkSync(join(home, 'other'), join(project, 'linked'));
  symlinkSync('a.js', join(project, 'src/again.js'));
  execFileSync('/usr/bin/env', ['mkfifo', join(project, 'pipe')]);
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

const read = (path: string, folders = ['/recorded']) =>
  new ProjectFiles(folders, { home, platform: process.platform, added: [], confined: true, maps: [{ from: '/recorded', to: project }, { from: '/gone', to: join(home, 'gone') }] }).read(path);
const refused = (reason: string) => ({ state: 'refused', reason });

test('a file of the folder is read, by an absolute or a relative path', async () => {
  expect(await read('/recorded/src/a.js')).toEqual({ state: 'read', content: { state: 'text', text: 'a\n' }, links: 1, bytes: 2, sha256: '87428fc522803d31065e7bce3cf03fe475096631e5e07bbd7a0fde60c4cf25c7' });
  expect(await read('src/a.js')).toMatchObject({ state: 'read' });
  expect(await read('/recorded/src/../src/a.js')).toMatchObject({ state: 'read' });
  // Bytes are named as git names them.
  expect(await read('picture')).toMatchObject({ content: { state: 'binary', bytes: 3, id: 'c3027df660b44a7a17b1411eed91fe252dd4f46b' } });
});

test('what is not there, or lies in what is no folder any more', async () => {
  expect(await read('src/none.js')).toEqual({ state: 'absent' });
  expect(await read('none/deep/er.js')).toEqual({ state: 'absent' });
  expect(await read('file/in/it.js')).toEqual({ state: 'absent' });
});

test('paths out of the folder, into a repository, and links are refused', async () => {
  expect(await read('/etc/passwd')).toEqual(refused('outside'));
  expect(await read('../other/b.js')).toEqual(refused('outside'));
  expect(await read('/recorded/../other/b.js')).toEqual(refused('outside'));
  expect(await read('.git/config')).toEqual(refused('unsafe'));
  expect(await read('src/.GIT/config')).toEqual(refused('unsafe'));
  expect(await read('linked/b.js')).toEqual(refused('link'));
  expect(await read('src/again.js')).toEqual(refused('link'));
});

test('what is no file that can be compared is refused without being opened', async () => {
  expect(await read('pipe')).toEqual(refused('no file'));
  expect(await read('src')).toEqual(refused('no file'));
  expect(await read('large')).toEqual(refused('too large'));
});

test('a folder that is not there, not recorded, or out of reach', async () => {
  expect(await read('/gone/a.js', ['/gone'])).toEqual(refused('folder gone'));
  expect(await read('/elsewhere/a.js', ['/elsewhere'])).toEqual(refused('folder not looked at'));
  expect(await read('a.js', [])).toEqual(refused('no folder'));
});

test.skipIf(process.platform === 'win32')('a backslash in a name is not taken for a border of folders', async () => {
  expect(await read('src\\a.js')).toEqual(refused('unsafe'));
});
