import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openFixture, type Fixture, recordedHome } from '../../../e2e/fixtures';
import { Shelf } from '../stores/acceptance';
import { opencode } from '../stores/opencode';
import { folderState, type Reach } from './folder-state';

const moved = 'opencode/ses_e6483597fffedGlMoiyrlfxX1r';
const current = 'opencode/ses_e4ac38d7fff6Obr0S2jBdzzC7m';
const likely = { folder: '/home/dev/projects/books/ledger', because: 'same project id' };

let fixture: Fixture;
let shelf: Shelf;
beforeEach(async () => {
  fixture = openFixture('field', 'oc-moved-folder');
  shelf = new Shelf(fixture.home, opencode);
  await shelf.pass();
});
afterEach(() => {
  shelf.dispose();
  fixture.dispose();
});

const reach = (more: Partial<Reach> = {}): Reach => ({
  home: fixture.home, platform: 'linux', added: [], confined: true, maps: [{ from: recordedHome, to: fixture.home }], ...more,
});
const stateOf = (session: string, more: Partial<Reach> = {}) => folderState(shelf.library.db, session, reach(more));
const record = (directory: string | null) => shelf.library.db.prepare('UPDATE session SET directory = ? WHERE native = ?').run(directory, moved.slice('opencode/'.length));

test('a folder that moved is gone, and its project id says where it likely is', async () => {
  mkdirSync(join(fixture.home, 'projects/books/ledger'), { recursive: true });
  rmSync(join(fixture.home, 'projects/ledger'), { recursive: true, force: true });
  expect(await stateOf(moved)).toEqual({ folder: join(fixture.home, 'projects/ledger'), state: 'missing', reason: null, likely });
  expect(await stateOf(current)).toEqual({ folder: join(fixture.home, 'projects/books/ledger'), state: 'present', reason: null, likely: null });
});

test('a file in its place is no folder', async () => {
  const place = join(fixture.home, 'projects/ledger');
  rmSync(place, { recursive: true, force: true });
  mkdirSync(dirname(place), { recursive: true });
  writeFileSync(place, '');
  expect(await stateOf(moved)).toMatchObject({ state: 'missing', reason: 'Something else than a folder stands there.' });
});

test('outside a home given by hand nothing is looked at', async () => {
  expect(await stateOf(moved, { maps: [] })).toEqual({ folder: '/home/dev/projects/ledger', state: 'not looked at', reason: `It lies outside ${fixture.home}.`, likely });
  record(tmpdir());
  expect(await stateOf(moved)).toMatchObject({ state: 'not looked at' });
  expect(await stateOf(moved, { confined: false })).toMatchObject({ state: 'present' });
  expect(await stateOf(moved, { added: [tmpdir()] })).toMatchObject({ state: 'present' });
  record(join(fixture.home, '..', '..'));
  expect(await stateOf(moved)).toMatchObject({ state: 'not looked at' });
});

test('a link inside the home does not lead out of it', async () => {
  symlinkSync(tmpdir(), join(fixture.home, 'out'));
  record('/home/dev/out');
  expect(await stateOf(moved)).toMatchObject({ state: 'not looked at', reason: 'It is reached through a link, which may lead outside the home.' });
  record('/home/dev/out/deeper');
  expect(await stateOf(moved)).toMatchObject({ state: 'not looked at' });
  record('/home/dev/out');
  expect(await stateOf(moved, { confined: false })).toMatchObject({ state: 'present' });
});

test('folders of other machines and systems are not asked for', async () => {
  const free = { confined: false, maps: [] };
  for (const folder of ['\\\\server\\share', '//server/share', '\\\\?\\UNC\\server\\share']) {
    record(folder);
    for (const platform of ['linux', 'win32'] as const) expect(await stateOf(moved, { ...free, platform })).toMatchObject({ state: 'not looked at', reason: 'It is a folder of another machine.' });
  }
  record('C:\\Work\\Acme');
  expect(await stateOf(moved, free)).toMatchObject({ state: 'not looked at', reason: 'It is no path of this system.' });
  record('/home/dev/x');
  expect(await stateOf(moved, { ...free, platform: 'win32' })).toMatchObject({ state: 'not looked at', reason: 'It is no path of this system.' });
  record('work/acme');
  expect(await stateOf(moved, free)).toMatchObject({ state: 'not looked at', reason: 'It is no path of this system.' });
  record(null);
  expect(await stateOf(moved, free)).toMatchObject({ folder: null, state: 'not looked at', reason: 'No folder is recorded.' });
});

test('a session that is not there has no folder', async () => {
  expect(await stateOf('opencode/none')).toBeNull();
});
