import { describe, expect, test } from 'vitest';
import { editsOf } from './edits';

const fence = '```';

describe('SEARCH/REPLACE blocks', () => {
  test('several blocks of a file are one edit with a hunk each', () => {
    const block = (before: string, after: string) => `src/a.ts\n${fence}ts\n<<<<<<< SEARCH\n${before}\n=======\n${after}\n>>>>>>> REPLACE\n${fence}\n`;
    expect(editsOf(`First:\n\n${block('a\nb', 'a\nc')}\nThen:\n\n${block('x', 'x\ny')}`, false).map(({ source: _, ...edit }) => edit)).toEqual([
      { path: 'src/a.ts', kind: 'edit', added: 2, removed: 1, patch: '--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n@@ -1,1 +1,2 @@\n x\n+y\n' },
    ]);
  });

  test('an empty search makes a file', () => {
    expect(editsOf(`new.py\n${fence}python\n<<<<<<< SEARCH\n=======\nprint(1)\n>>>>>>> REPLACE\n${fence}`, false)).toEqual([
      { path: 'new.py', kind: 'create', added: 1, removed: 0, patch: '--- /dev/null\n+++ b/new.py\n@@ -0,0 +1,1 @@\n+print(1)\n', source: '<<<<<<< SEARCH\n=======\nprint(1)\n>>>>>>> REPLACE' },
    ]);
  });

  test.each([
    ['**my file.py**', 'my file.py'], ['### `src/b.ts`:', 'src/b.ts'], ['snake\\_case.py', 'snake_case.py'], ['Makefile', 'Makefile'],
  ])('the name may be dressed up: %s', (line, path) => {
    expect(editsOf(`${line}\n${fence}\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n${fence}`, false).map((edit) => edit.path)).toEqual([path]);
  });

  test('with the name inside the fence, with other fences, and in CR LF', () => {
    expect(editsOf(`${fence}\nin/side.go\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n${fence}`.replaceAll('\n', '\r\n'), false).map(({ path, added }) => [path, added])).toEqual([['in/side.go', 1]]);
    expect(editsOf('a.rs\n<source>rust\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n</source>', false).map(({ path }) => path)).toEqual(['a.rs']);
  });

  test('a block without a name belongs to the file before; one before any name, and one that never ends, to none', () => {
    const block = `${fence}\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n${fence}\n`;
    expect(editsOf(`Some words here\n${block}`, false)).toEqual([]);
    expect(editsOf(`a.py\n${block}\n\n${block}`, false).map(({ path, added }) => [path, added])).toEqual([['a.py', 2]]);
    expect(editsOf('a.py\n<<<<<<< SEARCH\na\n=======\nb', false)).toEqual([]);
  });
});

test('unified diffs in fences, with and without numbers', () => {
  const text = `${fence}diff\n--- a/one.py\n+++ b/one.py\n@@ ... @@\n same\n-old\n+new\n@@ -9,9 +9,9 @@\n+more\n--- /dev/null\n+++ b/two.py\n@@ @@\n+x\n${fence}\n`;
  expect(editsOf(text, false).map(({ source: _, ...edit }) => edit)).toEqual([
    { path: 'one.py', kind: 'edit', added: 2, removed: 1, patch: '--- a/one.py\n+++ b/one.py\n@@ -1,2 +1,2 @@\n same\n-old\n+new\n@@ -0,0 +1,1 @@\n+more\n' },
    { path: 'two.py', kind: 'create', added: 1, removed: 0, patch: '--- /dev/null\n+++ b/two.py\n@@ -0,0 +1,1 @@\n+x\n' },
  ]);
});

test('the patch format names what it does to each file', () => {
  const text = '*** Begin Patch\n*** Update File: a.py\n@@ def f():\n keep\n-old\n+new\n*** Add File: b.py\n+one\n+two\n*** Delete File: c.py\n*** End Patch';
  expect(editsOf(text, false).map(({ path, kind, added, removed, patch }) => [path, kind, added, removed, patch])).toEqual([
    ['a.py', 'edit', 1, 1, '--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n keep\n-old\n+new\n'],
    ['b.py', 'create', 2, 0, '--- /dev/null\n+++ b/b.py\n@@ -0,0 +1,2 @@\n+one\n+two\n'],
    ['c.py', 'delete', 0, 0, null],
  ]);
});

test('whole files only where that is the format; what they replaced is not known', () => {
  const text = `Here:\n\nshow.py\n${fence}python\nprint(2)\n${fence}\n\nand words\n${fence}\nno file\n${fence}`;
  expect(editsOf(text, false)).toEqual([]);
  expect(editsOf(text, true)).toEqual([{ path: 'show.py', kind: 'edit', added: 0, removed: 0, patch: null, source: 'print(2)' }]);
});
