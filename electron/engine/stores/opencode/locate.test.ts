import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { copyFileSync } from 'node:fs';
import { openFixture } from '../../../../e2e/fixtures';
import { dataFolder, TestLibrary } from './library.test-support';
import { locate } from './locate';
import { databasesOf, placeOf, sessionOf } from './places';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'retrace-locate-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const at = (variables: Record<string, string>, added: string[] = []) => locate({ home: '/home/dev', platform: 'linux', variables, added });

test('the data folder is XDG’s on every platform', () => {
  expect(at({})).toEqual([{ agent: 'opencode', folder: '/home/dev/.local/share/opencode', origin: 'default' }]);
  expect(at({ XDG_DATA_HOME: '/data' })).toEqual([{ agent: 'opencode', folder: '/data/opencode', origin: 'environment' }]);
  expect(at({ XDG_DATA_HOME: 'not/absolute' })[0]?.folder).toBe('/home/dev/.local/share/opencode');
});

test('a database named in the environment is read wherever it lies and whatever it is called', () => {
  const fixture = openFixture('opencode', 'v118-pruned');
  try {
    const file = join(folder, 'elsewhere.sqlite');
    copyFileSync(join(dataFolder(fixture.home), 'opencode.db'), file);
    writeFileSync(join(folder, 'other.sqlite'), 'another program’s');
    const [, location] = at({ OPENCODE_DB: file });
    expect(location).toEqual({ agent: 'opencode', folder, origin: 'environment' });
    expect(databasesOf(folder)).toEqual(['elsewhere.sqlite']);
    const library = TestLibrary.of(folder);
    library.pass();
    expect(library.natives).toEqual(['ses_e4b15cb34ffeC2axhXq4gnLPeu']);
    expect(library.session('ses_e4b15cb34ffeC2axhXq4gnLPeu').messageOrder).toHaveLength(15);
  } finally {
    fixture.dispose();
  }
  expect(at({ OPENCODE_DB: ':memory:' })).toHaveLength(1);
  expect(at({ OPENCODE_DB: 'second.db' })).toHaveLength(1);
});

test('an added folder counts when it is a data folder', () => {
  expect(at({}, [folder])).toHaveLength(1);
  mkdirSync(join(folder, 'project/home-dev-x/storage/session/info'), { recursive: true });
  expect(at({}, [folder])[1]).toEqual({ agent: 'opencode', folder, origin: 'added' });
  expect(at({}, [folder, folder, '/home/dev/.local/share/opencode'])).toHaveLength(2);
});

test('a folder with nothing in it, or not there, has nothing to tell', () => {
  const library = TestLibrary.of(join(folder, 'missing'));
  library.pass();
  expect(library.survey).toEqual({ changes: [], heads: [], gone: [], damage: [], problem: null });
});

test('keys tell place and session', () => {
  expect(['opencode.db', 'opencode.db/ses_1', 'storage/ses_1', 'project/home-dev-x/ses_1', 'tool-output/tool_1', 'any.sqlite/ses_1'].map(sessionOf)).toEqual([null, 'ses_1', 'ses_1', 'ses_1', null, 'ses_1']);
  expect(['opencode.db/ses_1', 'storage/ses_1', 'project/home-dev-x/ses_1'].map(placeOf)).toEqual([
    { layout: 'database', name: 'opencode.db' }, { layout: 'second', name: 'storage' }, { layout: 'first', name: 'project/home-dev-x' },
  ]);
});
