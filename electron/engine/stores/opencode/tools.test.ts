import { expect, test } from 'vitest';
import { editsOf } from './edits';
import { familyOf, inputText, isOwnCall, shownInput, statusOf, targetOf, titleOf } from './tools';

test('families: the program’s own tools, servers’ tools, and the rest', () => {
  expect(['bash', 'read', 'write', 'apply_patch', 'grep', 'todowrite', 'task', 'webfetch', 'question', 'plan_exit', 'github_create_issue', 'lsp', 'anything'].map(familyOf)).toEqual([
    'shell', 'read', 'write', 'edit', 'search', 'todo', 'subagent', 'web', 'question', 'plan', 'mcp', 'other', 'other',
  ]);
});

test('a refusal and an abort are told apart from a failure', () => {
  expect(statusOf({ status: 'error', error: 'File not found: /x' })).toEqual({ status: 'error', note: null });
  expect(statusOf({ status: 'error', error: 'The user rejected permission to use this specific tool call.' })).toEqual({ status: 'denied', note: 'The user rejected permission to use this specific tool call.' });
  expect(statusOf({ status: 'error', error: 'The user dismissed this question' }).status).toBe('denied');
  expect(statusOf({ status: 'error', error: 'Tool execution aborted' })).toEqual({ status: 'interrupted', note: 'stopped by the person' });
  expect(statusOf({ status: 'completed', output: 'x\n<shell_metadata>\nUser aborted the command\n</shell_metadata>' }).status).toBe('interrupted');
  expect(statusOf({ status: 'completed', output: 'grep: <shell_metadata>\nUser aborted the command\n</shell_metadata> was found' }).status).toBe('completed');
  expect(statusOf({ status: 'pending' }).status).toBe('pending');
  expect(statusOf({}).status).toBe('unknown');
});

test('target and title', () => {
  expect(targetOf('shell', { command: 'ls\n-l' }, 'List')).toBe('ls\n-l');
  expect(targetOf('mcp', { any: 'x' }, 'Title')).toBe('Title');
  expect(titleOf('bash', 'exit 3', 3)).toBe('exit 3 · exit 3');
  expect(titleOf('bash', 'a\n  b', 0)).toBe('a b');
  expect(titleOf('bash', 'x'.repeat(500), null)).toHaveLength(200);
  expect(titleOf('lsp', null, null)).toBe('lsp');
});

test('input: all words for search, JSON to read', () => {
  expect(inputText({ filePath: '/a', edits: [{ old: 'x\ny' }], n: 3, deep: null })).toBe('/a\nx\ny\n3');
  expect(shownInput('shell', { command: 'ls', timeout: 5 })).toBe('ls');
  expect(shownInput('read', { filePath: '/a' })).toBe('{\n  "filePath": "/a"\n}');
  expect(shownInput('read', {})).toBe(null);
});

test('calls the program made itself have a ULID', () => {
  expect(isOwnCall('01M7YNB0S26DMZSKYC5VXQ4W69')).toBe(true);
  expect(isOwnCall('call_0033_0')).toBe(false);
  expect(isOwnCall('toolu_01A09q90qw90lq917835lq9')).toBe(false);
});

test('edits, as versions and tools describe them', () => {
  const patch = '--- a\n+++ a\n@@ -1 +1 @@\n-x\n+y\n';
  expect(editsOf('edit', { filePath: '/a' }, { diff: patch })).toEqual([{ path: '/a', kind: 'edit', added: 1, removed: 1, patch }]);
  expect(editsOf('edit', {}, { files: [{ filePath: '/b', type: 'add', patch, additions: 7 }, { relativePath: 'c', type: 'delete' }] })).toEqual([
    { path: '/b', kind: 'create', added: 7, removed: 1, patch, recorded: { before: null } },
    { path: 'c', kind: 'delete', added: 0, removed: 0, patch: null, recorded: { after: null } },
  ]);
  expect(editsOf('edit', {}, { results: [{ filediff: { file: '/d', patch, additions: 1, deletions: 1 } }] })).toMatchObject([{ path: '/d', added: 1 }]);
  expect(editsOf('write', { filePath: '/e', content: 'one\n' }, { exists: false })).toEqual([{ path: '/e', kind: 'create', added: 1, removed: 0, patch: '--- /dev/null\n+++ /e\n@@ -0,0 +1 @@\n+one\n', recorded: { before: null, after: 'one\n' } }]);
  // What an overwritten file held is not recorded.
  expect(editsOf('write', { filePath: '/e', content: 'one\n' }, { exists: true })).toEqual([{ path: '/e', kind: 'edit', added: 1, removed: 0, patch: null, recorded: { after: 'one\n' } }]);
  expect(editsOf('read', { filePath: '/a' }, { diff: patch })).toEqual([]);
});
