import { expect, test } from 'vitest';
import { hasCodexPatch, parseCodexPatch } from './codex-patch';
import { countOf } from './hunks';
import { quoted, unquoted } from './patch-names';
import { parsePatch } from './patch-text';
import { isSafePath } from './patch-writer';

const lines = (text: string) => parsePatch(text).files.map(({ oldPath, newPath, kind, hunks }) => ({ oldPath, newPath, kind, ...countOf(hunks) }));

test('git patches: new, deleted, renamed, mode, binary, names with blanks and with quotes', () => {
  expect(lines('diff --git a/a b.txt b/a b.txt\nnew file mode 100644\nindex 0000000..e69de29\n')).toEqual([{ oldPath: null, newPath: 'a b.txt', kind: 'create', added: 0, removed: 0 }]);
  expect(lines('diff --git a/x b/x\ndeleted file mode 100644\n--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n')).toEqual([{ oldPath: 'x', newPath: null, kind: 'delete', added: 0, removed: 1 }]);
  expect(lines('diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\n')).toEqual([{ oldPath: 'x', newPath: 'y', kind: 'rename', added: 0, removed: 0 }]);
  expect(parsePatch('diff --git a/x b/x\nold mode 100644\nnew mode 100755\n').files[0]).toMatchObject({ kind: 'mode', modes: { before: '100644', after: '100755' } });
  expect(lines('diff --git a/x.png b/x.png\nindex 1..2 100644\nBinary files a/x.png and b/x.png differ\n')).toMatchObject([{ kind: 'binary', newPath: 'x.png' }]);
  expect(lines('diff --git "a/t\\tb" "b/\\303\\244"\n--- "a/t\\tb"\n+++ "b/\\303\\244"\n@@ -1 +1 @@\n-a\n+b\n')).toEqual([{ oldPath: 't\tb', newPath: 'ä', kind: 'edit', added: 1, removed: 1 }]);
});

test("OpenCode's Index: headers, Codex's renames before headers, and hunks without any header", () => {
  expect(lines('Index: src/a.js\n===================================================================\n--- src/a.js\t\n+++ src/a.js\t\n@@ -1,2 +1,3 @@\n a\n+b\n c\n')).toEqual([{ oldPath: 'src/a.js', newPath: 'src/a.js', kind: 'edit', added: 1, removed: 0 }]);
  expect(lines('rename from /p/a\nrename to /p/b\n--- /p/a\n+++ /p/b\n@@ -3 +3,2 @@\n-x\n+y\n+--- z\n')).toEqual([{ oldPath: '/p/a', newPath: '/p/b', kind: 'rename', added: 2, removed: 1 }]);
  expect(lines('@@ -1 +1 @@\n-a\n+b\n')).toEqual([{ oldPath: '', newPath: '', kind: 'edit', added: 1, removed: 1 }]);
});

test('lines that look like headers are lines where the hunk says so', () => {
  expect(lines('--- a\n+++ a\n@@ -1,2 +1,2 @@\n--- old\n-+++ old\n+--- new\n++++ new\n')).toEqual([{ oldPath: 'a', newPath: 'a', kind: 'edit', added: 2, removed: 2 }]);
});

test('line ends: CRLF stays, a missing one at the end is kept, an empty line of context may have lost its blank', () => {
  const [file] = parsePatch('--- a\n+++ a\n@@ -1,3 +1,3 @@\n-one\r\n+two\r\n\n-three\n\\ No newline at end of file\n+four\n\\ No newline at end of file\n').files;
  expect(file?.hunks[0]?.lines).toEqual([{ mark: '-', text: 'one\r\n' }, { mark: '+', text: 'two\r\n' }, { mark: ' ', text: '\n' }, { mark: '-', text: 'three' }, { mark: '+', text: 'four' }]);
});

test('what is cut, no patch, or made to confuse is named and never thrown', () => {
  expect(parsePatch('')).toEqual({ files: [], problems: [] });
  expect(parsePatch('hello\nworld\n')).toEqual({ files: [], problems: [] });
  expect(parsePatch('--- a\n+++ a\n@@ -1,5 +1,5 @@\n a\n').problems).toEqual(['A hunk of a is shorter than its header says.']);
  expect(parsePatch('--- a\n+++ a\n@@ nonsense @@\n a\n').problems).toEqual(['A hunk without line numbers: @@ nonsense @@']);
  expect(parsePatch('--- a\n+++ a\n@@ -99999999999999999999 +1 @@\n a\n').problems).toHaveLength(1);
  expect(parsePatch(`${'@@ bad @@\n'.repeat(100_000)}`).problems).toHaveLength(20);
  const many = parsePatch('--- a\n+++ a\n@@ -1 +1 @@\n-a\n+b\n'.repeat(6_000));
  expect([many.files.length, many.problems.length]).toEqual([5_000, 1]);
});

test('Codex patch text: add, update with headings, move, delete, no end', () => {
  const text = "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: src/a.js\n*** Move to: src/b.js\n@@ function one\n context\n-old\n+new\n@@\n+more\n*** End of File\n*** Delete File: c.txt\n*** Add File: d.txt\n+hello\n*** End Patch\nEOF";
  expect(hasCodexPatch(text)).toBe(true);
  const { files, problems } = parseCodexPatch(text);
  expect(problems).toEqual([]);
  expect(files.map(({ oldPath, newPath, kind, hunks }) => ({ oldPath, newPath, kind, headings: hunks.map(({ heading }) => heading), ...countOf(hunks) }))).toEqual([
    { oldPath: 'src/a.js', newPath: 'src/b.js', kind: 'rename', headings: ['function one', null], added: 2, removed: 1 },
    { oldPath: 'c.txt', newPath: null, kind: 'delete', headings: [], added: 0, removed: 0 },
    { oldPath: null, newPath: 'd.txt', kind: 'create', headings: [null], added: 1, removed: 0 },
  ]);
  expect(parseCodexPatch('*** Begin Patch\n*** Add File: x\n?what\n')).toMatchObject({ files: [{ newPath: 'x' }], problems: ['A line of x is no part of a patch.', 'The patch has no end.'] });
});

test('names that could do harm are quoted as git does, and come back', () => {
  expect(quoted('src/a b.js')).toBe('src/a b.js');
  expect(quoted('ä.txt')).toBe('ä.txt');
  expect(quoted('a\u202etxt.exe')).toBe('"a\\342\\200\\256txt.exe"');
  expect(quoted('a\u001b[31m')).toBe('"a\\033[31m"');
  for (const name of ['plain', 'a\tb\nc', '"quotes\\', 'a\u202etxt', '\u0007', '日本\u200b語']) expect(unquoted(quoted(name))).toBe(name);
});

test('paths that git apply refuses are known', () => {
  expect(['a', 'a/b.txt', '.github/x', 'a..b', '.gitignore'].filter((path) => !isSafePath(path))).toEqual([]);
  expect(['', '/a', '../a', 'a/../b', 'C:/a', '.git/config', 'x/.GIT/hooks/y', '.git ', 'git~1/x', 'a//b', 'a\0b', '.g\u200cit/x', 'a\\..\\b'].filter(isSafePath)).toEqual([]);
});
