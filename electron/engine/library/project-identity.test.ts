import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isNetworkSpelling, liesIn, spellingOf } from '../stores/foreign/spelling';
import { projectOf, projectOfFolder } from './project-identity';

const documented = readFileSync(join(import.meta.dirname, '../../../docs/projects.md'), 'utf8')
  .split('\n')
  .flatMap((line) => {
    const [, recorded, key, name] = /^\| `(.+)` \| `(.+)` \| `(.+)` \|$/.exec(line) ?? [];
    return recorded !== undefined && key !== undefined && name !== undefined ? [{ recorded, key, name }] : [];
  });

describe('the examples of docs/projects.md', () => {
  test('are found', () => expect(documented).toHaveLength(34));
  test.each(documented)('$recorded', ({ recorded, key, name }) => {
    expect(projectOfFolder(recorded)).toMatchObject({ key, name });
  });
});

test('a folder is shown as recorded, without separators at its end', () => {
  const folders = ['/home/dev/acme/', 'C:\\Work\\Acme\\', 'C:\\', '/', '\\\\?\\C:\\Work', '/mnt/c/Work', '/home/dev/acme/.claude/worktrees/x'];
  expect(folders.map((folder) => projectOfFolder(folder).folder)).toEqual([
    '/home/dev/acme', 'C:\\Work\\Acme', 'C:\\', '/', '\\\\?\\C:\\Work', '/mnt/c/Work', '/home/dev/acme',
  ]);
});

test('the folder a store groups by comes first; an empty one is none', () => {
  expect(projectOf({ directory: '/home/dev/acme/src', projectFolder: '/home/dev/acme' }).key).toBe('/home/dev/acme');
  expect(projectOf({ directory: '/home/dev/acme/src', projectFolder: null }).key).toBe('/home/dev/acme/src');
  expect(projectOf({ directory: '/home/dev/acme', projectFolder: '' }).key).toBe('/home/dev/acme');
  expect(projectOf({ directory: '' })).toEqual({ key: '', name: 'no folder recorded', folder: null });
  expect(projectOf({ directory: null })).toEqual({ key: '', name: 'no folder recorded', folder: null });
});

test('Codex worktrees join by name and remote', () => {
  const of = (folder: string, remote: string | null) => projectOf({ directory: folder, own: { remote } });
  const first = of('/home/dev/.codex/worktrees/ab12/acme', 'git@github.com:acme/acme.git');
  expect(first).toEqual({ key: '/home/dev/.codex/worktrees/*/acme github.com/acme/acme', name: 'acme', folder: '/home/dev/.codex/worktrees/ab12/acme' });
  expect(of('/home/dev/.codex/worktrees/cd34/acme/src', 'https://github.com/acme/acme').key).toBe(first.key);
  expect(of('/home/dev/.codex/worktrees/cd34/acme', 'https://github.com/other/acme').key).not.toBe(first.key);
  expect(of('/home/dev/.codex/worktrees/cd34/acme', null).key).toBe('/home/dev/.codex/worktrees/cd34/acme');
  // Elsewhere a remote joins nothing: two clones are two folders.
  expect(of('/home/dev/acme', 'https://github.com/acme/acme').key).toBe('/home/dev/acme');
});

test('a folder lies in another however both are written', () => {
  expect(liesIn('C:\\Work\\Acme\\src', 'c:/work/acme')).toBe(true);
  expect(liesIn('/mnt/c/work/acme', 'C:\\Work\\Acme\\')).toBe(true);
  expect(liesIn('C:\\Work', 'C:\\')).toBe(true);
  expect(liesIn('/home/dev/acme', '/')).toBe(true);
  expect(liesIn('/home/dev/acme-2', '/home/dev/acme')).toBe(false);
  expect(liesIn('/home/dev/Acme', '/home/dev/acme')).toBe(false);
});

test('folders of other machines are known by their spelling', () => {
  const folders = ['\\\\server\\share', '//server/share', '\\\\?\\UNC\\server\\share', '\\\\?\\C:\\x', '\\\\wsl$\\Ubuntu\\home', 'C:\\x', '/home/x', '///home/x'];
  expect(folders.map(isNetworkSpelling)).toEqual([true, true, true, false, false, false, false, false]);
});

test('spelling a spelling again changes nothing', () => {
  const pieces = ['/', '\\', '//', '\\\\', '?', '.', '..', 'C:', 'c', 'mnt', 'cygdrive', 'wsl$', 'wsl.localhost', 'UNC', 'Users', 'Über', 'U\u0308ber', 'İ', 'ΟΔΟΣ', 'a b', '\n', '.claude', 'worktrees', 'x'];
  let seed = 7;
  const next = (below: number) => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    // The lower bits of such a generator repeat soon.
    return (seed >>> 12) % below;
  };
  for (let round = 0; round < 20_000; round++) {
    const folder = Array.from({ length: 1 + next(9) }, () => pieces[next(pieces.length)]).join('');
    const spelled = spellingOf(folder);
    expect(spellingOf(spelled), JSON.stringify(folder)).toBe(spelled);
    const { key } = projectOfFolder(folder);
    expect(projectOfFolder(key).key, JSON.stringify(folder)).toBe(key);
  }
});
