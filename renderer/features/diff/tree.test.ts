import type { FileChange } from '@shared/model';
import { expect, test } from 'vitest';
import { parseScope, scopeText, visibleName } from './scope';
import { sizeOfDiff } from './size';
import { treeOf } from './tree';

const file = (relative: string | null, added = 1, path = `/p/${relative}`): FileChange => ({
  path, relative, oldPath: null, oldRelative: null, kind: 'edit', added, removed: 0, mode: null, before: 'text', after: 'text', certainty: 'recorded', sources: [], evidence: [], gaps: [], outside: [], steps: 1, places: [],
});
const told = (files: FileChange[], closed: string[] = []) =>
  treeOf(files, new Set(closed)).map((row) => `${'  '.repeat(row.depth)}${row.type === 'folder' ? `${row.name}/ ${row.open ? '' : `${row.files} +${row.added}`}`.trim() : row.name}`);

test('folders stand before files, and a chain of folders on one row', () => {
  const files = [file('a.txt'), file('src/deep/er/x.ts', 2), file('src/deep/er/y.ts', 3), file('src/z.ts')];
  expect(told(files)).toEqual(['src/', '  deep/er/', '    x.ts', '    y.ts', '  z.ts', 'a.txt']);
  expect(told(files, ['src/deep/er/'])).toEqual(['src/', '  deep/er/ 2 +5', '  z.ts', 'a.txt']);
});

test('a file from elsewhere is told by its whole path', () => {
  expect(told([file(null, 1, '/tmp/notes.md'), file('a.txt')])).toEqual(['/tmp/', '  notes.md', 'a.txt']);
});

test('names cannot turn, hide or break what stands around them', () => {
  expect(visibleName('invoice\u202Excod.exe')).toBe('invoice⟨U+202E⟩xcod.exe');
  expect(visibleName('a\nb\u200Bc')).toBe('a⟨U+000A⟩b⟨U+200B⟩c');
});

test('scopes go into the address and come back', () => {
  for (const scope of [{ kind: 'session' }, { kind: 'branch', branch: 'current' }, { kind: 'turn', turn: 3 }, { kind: 'part', part: 'codex/a#b:1' }, { kind: 'against', session: 'codex/b' }] as const) expect(parseScope(scopeText(scope))).toEqual(scope);
  for (const text of [null, '', 'turn:0', 'turn:x', 'part:', 'nothing:1']) expect(parseScope(text)).toEqual({ kind: 'session' });
});

test('a large diff says why it is not drawn at once', () => {
  expect(sizeOfDiff({ patch: 'a\n'.repeat(20_000), large: null })).toEqual({ why: null, drawable: true });
  expect(sizeOfDiff({ patch: null, large: { chars: 10_000_000, lines: 8, longestLine: 5_000_000 } })).toEqual({ why: 'it has 10 MB and it has a line of 5,000,000 characters', drawable: true });
  expect(sizeOfDiff({ patch: null, large: { chars: 900_000, lines: 100_000, longestLine: 10 } }).why).toBe('it has 100,000 lines');
  expect(sizeOfDiff({ patch: null, large: { chars: 1_000_000_000, lines: 10, longestLine: 10 } }).drawable).toBe(false);
});
