import { expect, test } from 'vitest';
import { editsOfChanges, editsOfPatch, linesOf, patchInCommand } from './patches';

test('recorded changes become unified diffs with headers', () => {
  const edits = editsOfChanges({
    '/p/new.txt': { type: 'add', content: 'one\ntwo' },
    '/p/old.txt': { type: 'delete', content: 'gone\n' },
    '/p/a.js': { type: 'update', unified_diff: '@@ -3 +3,2 @@\n-x\n+y\n+--- z', move_path: '/p/b.js' },
    '/p/empty': { type: 'add', content: '' },
    '/p/odd': { type: 'from the future' },
  });
  expect(edits).toEqual([
    { path: '/p/new.txt', kind: 'create', added: 2, removed: 0, patch: '--- /dev/null\n+++ /p/new.txt\n@@ -0,0 +1,2 @@\n+one\n+two\n\\ No newline at end of file\n', recorded: { after: 'one\ntwo' } },
    { path: '/p/old.txt', kind: 'delete', added: 0, removed: 1, patch: '--- /p/old.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-gone\n', recorded: { before: 'gone\n', after: null } },
    { path: '/p/b.js', kind: 'rename', added: 2, removed: 1, patch: 'rename from /p/a.js\nrename to /p/b.js\n--- /p/a.js\n+++ /p/b.js\n@@ -3 +3,2 @@\n-x\n+y\n+--- z\n', recorded: { oldPath: '/p/a.js' } },
    { path: '/p/empty', kind: 'create', added: 0, removed: 0, patch: '--- /dev/null\n+++ /p/empty\n', recorded: { after: '' } },
  ]);
  expect(linesOf(edits)).toEqual({ added: 4, removed: 2 });
});

test('a patch as the model wrote it: several hunks, a move, a file that goes', () => {
  const patch = '*** Begin Patch\n*** Update File: src/a.js\n*** Move to: src/b.js\n@@ function one\n context\n-old\n+new\n@@\n+more\n*** End of File\n*** Delete File: c.txt\n*** Add File: d.txt\n+hello\n*** End Patch';
  expect(editsOfPatch(patch)).toEqual([
    { path: 'src/b.js', kind: 'rename', added: 2, removed: 1, patch: 'rename from src/a.js\nrename to src/b.js\n--- src/a.js\n+++ src/b.js\n@@ -1,2 +1,2 @@ function one\n context\n-old\n+new\n@@ -1,0 +1,1 @@\n+more\n', recorded: { unplaced: true, asked: true, oldPath: 'src/a.js' } },
    { path: 'c.txt', kind: 'delete', added: 0, removed: 0, patch: null, recorded: { after: null, asked: true } },
    { path: 'd.txt', kind: 'create', added: 1, removed: 0, patch: '--- /dev/null\n+++ d.txt\n@@ -0,0 +1 @@\n+hello\n', recorded: { after: 'hello\n', asked: true } },
  ]);
  expect(editsOfPatch('*** Begin Patch\n*** Update File: cut')).toEqual([{ path: 'cut', kind: 'edit', added: 0, removed: 0, patch: '--- cut\n+++ cut\n', recorded: { unplaced: true, asked: true } }]);
});

test('a patch inside a shell command is found, and only there', () => {
  const patch = '*** Begin Patch\n*** Add File: a\n+b\n*** End Patch';
  expect(patchInCommand(`apply_patch <<'EOF'\n${patch}\nEOF\n`)).toBe(patch);
  expect(patchInCommand(`cd /p && apply_patch <<'EOF'\n${patch}\nEOF`)).toBe(patch);
  expect(patchInCommand(`echo '${patch}'`)).toBe(null);
});
