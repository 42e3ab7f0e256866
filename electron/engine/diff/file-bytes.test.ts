import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { openFixture } from '../../../e2e/fixtures';
import { pngOf } from '../../../e2e/pictures';
import { type TreeFiles, treesHome, treesSession } from '../../../e2e/trees-home';
import { RevertHome, toldFile } from '../revert/revert-home.test-support';
import { filesOf } from '../stores/acceptance';
import { blobId, bytesContent } from './content';
import { DiffHome, told } from './diff-home.test-support';
import { fileBytes } from './file-bytes';

const open: { dispose(): void }[] = [];
afterEach(() => open.splice(0).forEach((each) => each.dispose()));

const small = pngOf(48, 32, { x: 4, y: 4, size: 8, colour: [220, 60, 40] });
const large = pngOf(96, 64, { x: 40, y: 20, size: 16, colour: [60, 160, 220] });
const archive = Buffer.from('PK\x03\x04\0\0one', 'latin1');

async function treeHome(before: TreeFiles, after: TreeFiles) {
  const opened = await DiffHome.of(treesHome(before, after), 'opencode');
  open.push(opened);
  const session = opened.session(treesSession.native);
  const scope = { kind: 'session' as const };
  const bytes = (path: string, side: 'before' | 'after') => opened.diffs.bytes({ session, scope, path: `${treesSession.folder}/${path}`, side });
  return { opened, session, bytes };
}

test('OpenCode: a picture that a command changed is there as it was before and after, from its snapshot trees', async () => {
  const { opened, session, bytes } = await treeHome({ 'logo.png': small, 'old.zip': archive }, { 'logo.png': large, 'old.zip': Buffer.from('PK\x03\x04\0\0two!', 'latin1'), 'new.png': small });
  const store = filesOf(join(opened.fixture.home, '.local'));
  expect((await opened.files(session)).map(told)).toEqual(['binary logo.png +? -? inferred', 'create new.png +? -? inferred', 'binary old.zip +? -? inferred', 'edit src/server.js +6 -1', 'edit src/store.js +4 -0', 'create test/search.test.js +9 -0']);
  expect(await bytes('logo.png', 'before')).toEqual({ state: 'binary', size: small.length, hash: blobId(small), picture: { type: 'image/png', width: 48, height: 32, data: small.toString('base64') }, why: null });
  expect(await bytes('logo.png', 'after')).toMatchObject({ picture: { width: 96, height: 64, data: large.toString('base64') } });
  expect(await bytes('new.png', 'before')).toEqual({ state: 'absent', size: null, hash: null, picture: null, why: null });
  expect(await bytes('old.zip', 'before')).toEqual({ state: 'binary', size: 9, hash: '7700b33cd9080fe6e0c7c3183cda1544782e4e19', picture: null, why: null });
  expect(await bytes('old.zip', 'after')).toMatchObject({ size: 10, picture: null });
  expect(await bytes('src/store.js', 'after')).toMatchObject({ state: 'text', size: 256, hash: null });
  expect(await bytes('none.png', 'after')).toBeNull();
  expect(filesOf(join(opened.fixture.home, '.local'))).toEqual(store);
  // The object goes: what was known of it stays.
  const snapshots = join(opened.fixture.home, '.local/share/opencode/snapshot');
  for (const project of readdirSync(snapshots)) for (const name of readdirSync(join(snapshots, project))) {
    const object = join(snapshots, project, name, 'objects', blobId(small).slice(0, 2), blobId(small).slice(2));
    if (existsSync(object)) rmSync(object);
  }
  expect(await bytes('logo.png', 'before')).toEqual({ state: 'binary', size: small.length, hash: blobId(small), picture: null, why: 'Its bytes cannot be read any more.' });
});

test('a picture over the limits is named and not sent', async () => {
  const wide = Buffer.from(small);
  wide.writeUInt32BE(50_000, 16);
  wide.writeUInt32BE(50_000, 20);
  const heavy = Buffer.concat([small, Buffer.alloc(5_000_000)]);
  const found = await Promise.all([wide, heavy].map((each) => fileBytes(bytesContent(each, blobId(each)), async () => each)));
  expect(found.map(({ picture, why }) => [picture?.width, picture?.data, why])).toEqual([
    [50_000, null, 'The picture is not shown: it has more than 25 million pixels.'],
    [48, null, 'The picture is not shown: it has more than 5 MB.'],
  ]);
  expect(await fileBytes({ state: 'too large', bytes: 17_000_000, id: 'a'.repeat(40) }, async () => null)).toEqual({ state: 'too large', size: 17_000_000, hash: 'a'.repeat(40), picture: null, why: 'It is too large to be looked into.' });
  expect(await fileBytes({ state: 'unknown' }, async () => null)).toEqual({ state: 'unknown', size: null, hash: null, picture: null, why: null });
});

test('revert preview: before the message, as the session left it, and on the disk now', async () => {
  const opened = await RevertHome.of(treesHome({ 'logo.png': small }, { 'logo.png': large }), 'opencode');
  open.push(opened);
  const session = opened.session(treesSession.native);
  const { point, files } = await opened.preview(session, treesSession.turn);
  expect(files.map(toldFile)).toEqual(['* conflict (deleted since) logo.png create +? -? snapshot tree']);
  const bytes = (side: 'before' | 'left' | 'now') => opened.reverts.bytes({ session, before: point.message, path: `${treesSession.folder}/logo.png`, side });
  expect(await bytes('before')).toMatchObject({ state: 'binary', picture: { width: 48, data: small.toString('base64') } });
  expect(await bytes('left')).toMatchObject({ state: 'binary', picture: { width: 96, data: large.toString('base64') } });
  expect(await bytes('now')).toMatchObject({ state: 'absent' });
  writeFileSync(join(opened.home, 'projects/notes-api/logo.png'), large);
  expect(await opened.files(session, treesSession.turn)).toEqual(['* restorable logo.png binary +? -? snapshot tree']);
  expect(await bytes('now')).toMatchObject({ state: 'binary', hash: blobId(large), picture: { width: 96, data: large.toString('base64') } });
  // Before and left are asked for again after the plan was made, and once more with the plan that is kept.
  opened.forget();
  expect(await bytes('before')).toMatchObject({ picture: { width: 48 } });
  expect(await bytes('left')).toMatchObject({ picture: { width: 96 } });
});

test('Claude Code: a backup that is no text', async () => {
  const fixture = openFixture('claude-code', 'rewind');
  const backups = join(fixture.home, '.claude/file-history/668bfb69-92c3-4453-af88-82ab42de9ae5');
  for (const name of readdirSync(backups)) writeFileSync(join(backups, name), small);
  const opened = await RevertHome.of(fixture, 'claude-code');
  open.push(opened);
  const session = opened.session('668bfb69');
  const { point, files } = await opened.preview(session, 7);
  const path = files.find(({ relative }) => relative === 'greet.js')?.path ?? '';
  const bytes = () => opened.reverts.bytes({ session, before: point.message, path, side: 'before' });
  expect(await bytes()).toMatchObject({ state: 'binary', size: small.length, picture: { type: 'image/png', width: 48, data: small.toString('base64') } });
  // Another backup under the same name is not passed off as the one that was read.
  for (const name of readdirSync(backups)) writeFileSync(join(backups, name), large);
  expect(await bytes()).toMatchObject({ state: 'binary', size: small.length, picture: null, why: 'Its bytes cannot be read any more.' });
});

test('Aider: a picture that a commit changed, from the repository of the project', async () => {
  const fixture = openFixture('aider', 'basic');
  const folder = join(fixture.home, 'proj/calc');
  const git = (...args: string[]) => execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', '-c', 'safe.directory=*', ...args], { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
  for (const picture of [small, large]) {
    writeFileSync(join(folder, 'logo.png'), picture);
    git('add', '-f', 'logo.png');
    git('commit', '-qm', 'picture');
  }
  const history = join(folder, '.aider.chat.history.md');
  writeFileSync(history, readFileSync(history, 'utf8').replace('Commit c9ad23e', `Commit ${git('rev-parse', '--short=7', 'HEAD')}`));
  const opened = await DiffHome.of(fixture, 'aider');
  open.push(opened);
  const found = (await Promise.all(opened.sessions().map(async (session) => (await opened.files(session)).filter(({ relative }) => relative === 'logo.png').map((file) => ({ session, file }))))).flat();
  expect(found.map(({ file }) => told(file))).toEqual(['binary logo.png +? -?']);
  const [{ session, file } = { session: '', file: { path: '' } }] = found;
  const sides = await Promise.all((['before', 'after'] as const).map((side) => opened.diffs.bytes({ session, scope: { kind: 'session' }, path: file.path, side })));
  expect(sides).toMatchObject([{ hash: blobId(small), picture: { width: 48, data: small.toString('base64') } }, { hash: blobId(large), picture: { width: 96 } }]);
});
