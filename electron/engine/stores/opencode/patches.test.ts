import { expect, test } from 'vitest';
import { additionOf, countLines, filesOfDiff, unified } from './patches';

test('the program’s headers become those of a unified diff', () => {
  const stored = 'Index: /home/dev/a.js\n===================================================================\n--- /home/dev/a.js\n+++ /home/dev/a.js\n@@ -1,1 +1,1 @@\n-old\n+new\n';
  expect(unified(stored, '/home/dev/a.js')).toBe('--- /home/dev/a.js\n+++ /home/dev/a.js\n@@ -1,1 +1,1 @@\n-old\n+new\n');
});

test('a tab behind a name goes, and headers that are missing are made', () => {
  expect(unified('Index: a.js\n===================================================================\n--- a.js\t\n+++ a.js\t\n@@ -0,0 +1 @@\n+x\n', 'a.js')).toBe('--- a.js\n+++ a.js\n@@ -0,0 +1 @@\n+x\n');
  expect(unified('@@ -0,0 +1 @@\n+x\n', 'b.js')).toBe('--- b.js\n+++ b.js\n@@ -0,0 +1 @@\n+x\n');
});

test('lines are counted inside hunks only, also those that look like headers', () => {
  expect(countLines('--- a\n+++ b\n@@ -1,3 +1,3 @@\n same\n--- not a header\n+++ nor this\n same\n')).toEqual({ added: 1, removed: 1 });
  expect(countLines('@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n')).toEqual({ added: 1, removed: 1 });
});

test('a new file is all additions', () => {
  expect(additionOf('a.txt', 'one\ntwo\n')).toEqual({ added: 2, patch: '--- /dev/null\n+++ a.txt\n@@ -0,0 +1,2 @@\n+one\n+two\n' });
  expect(additionOf('a.txt', 'one')).toEqual({ added: 1, patch: '--- /dev/null\n+++ a.txt\n@@ -0,0 +1 @@\n+one\n\\ No newline at end of file\n' });
  expect(additionOf('a.txt', '')).toEqual({ added: 0, patch: '--- /dev/null\n+++ a.txt\n' });
});

test('a git diff falls into its files, whatever their names', () => {
  const diff = [
    'diff --git a/gone.txt b/gone.txt\ndeleted file mode 100644\n--- a/gone.txt\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\n-b\n',
    'diff --git "a/\\303\\244 b.txt" "b/\\303\\244 b.txt"\n--- "a/\\303\\244 b.txt"\n+++ "b/\\303\\244 b.txt"\n@@ -1 +1 @@\n-a\n+b\n',
    'diff --git a/empty b/empty\nnew file mode 100644\nindex 0000000..e69de29\n',
    'diff --git a/old name b/new name\nsimilarity index 100%\nrename from old name\nrename to new name\n',
  ].join('');
  expect(filesOfDiff(diff).map(({ path, kind, added, removed }) => ({ path, kind, added, removed }))).toEqual([
    { path: 'gone.txt', kind: 'delete', added: 0, removed: 2 },
    { path: 'ä b.txt', kind: 'edit', added: 1, removed: 1 },
    { path: 'empty', kind: 'create', added: 0, removed: 0 },
    { path: 'new name', kind: 'rename', added: 0, removed: 0 },
  ]);
  expect(filesOfDiff('')).toEqual([]);
});
