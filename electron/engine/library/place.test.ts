import { expect, test } from 'vitest';
import { libraryFile } from './place';

test('the library lies in the data folder of the platform', () => {
  expect(libraryFile({}, '/home/ada', 'linux', {})).toBe('/home/ada/.local/share/retrace/library.db');
  expect(libraryFile({}, '/home/ada', 'linux', { XDG_DATA_HOME: '/data' })).toBe('/data/retrace/library.db');
  expect(libraryFile({}, '/Users/ada', 'darwin', {})).toBe('/Users/ada/Library/Application Support/retrace/library.db');
});

test('another home has a library of its own, outside it', () => {
  const one = libraryFile({ home: '/backup/ada' }, '/home/ada', 'linux', {});
  const two = libraryFile({ home: '/backup/bob' }, '/home/ada', 'linux', {});
  expect(one).toMatch(/^\/home\/ada\/\.local\/share\/retrace\/homes\/[0-9a-f]{16}\/library\.db$/);
  expect(two).not.toBe(one);
});

test('a library named by hand wins', () => {
  expect(libraryFile({ home: '/backup', library: '/tmp/x.db' }, '/home/ada', 'linux', {})).toBe('/tmp/x.db');
});
