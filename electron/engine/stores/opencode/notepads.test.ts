import { expect, test } from 'vitest';
import { readLine } from './lines';
import { notepads, notesTouched } from './notepads';
import { readPart } from './parts';

const file = (name: string, folder = '/p/.omo/notepads/x') => ({ folder, name });
const part = (tool: string, input: object, metadata: object | null = null) => ({
  type: 'tool', tool, callID: 'call_1', state: { status: metadata ? 'completed' : 'running', input, ...(metadata ? { metadata } : {}), time: { start: 5 } },
});
const record = (data: object) => Buffer.from(JSON.stringify({ t: 'part', of: { role: 'assistant', time: 1 }, r: { id: 'prt_1', message_id: 'msg_1', data } }));
const second = (content: object[]) => Buffer.from(JSON.stringify({ t: 'v2', r: { id: 'msg_1', type: 'assistant', data: { content } } }));
const changed = (data: object, name = 'learnings.md') => notepads.change(record(data), 0, null, file(name));

function touched(data: ReturnType<typeof part>) {
  const line = readLine(record(data), 40);
  return line && notesTouched(line, 'prt_1', readPart(data, null).parts).map(({ act, folder, file: name, call }) => [act, folder, name, call]);
}

test('a call touches notes when its path lies in a folder of notes, by its result first', () => {
  expect(touched(part('write', { filePath: '/p/.omo/notepads/x/learnings.md', content: '' }))).toEqual([['write', '/p/.omo/notepads/x', 'learnings.md', 'call_1 5']]);
  expect(touched(part('edit', { filePath: '.omo/notepads/x/learnings.md' }, { filediff: { file: '/p/.omo/notepads/x/learnings.md', patch: '' } }))).toEqual([['edit', '/p/.omo/notepads/x', 'learnings.md', 'call_1 5']]);
  expect(touched(part('multiedit', { filePath: 'C:\\p\\.sisyphus\\drafts\\x.md' }))).toEqual([['edit', 'C:/p/.sisyphus/drafts', 'x.md', 'call_1 5']]);
  expect(touched(part('read', { filePath: '.omo/notepads/x/issues.md' }))).toEqual([['read', '.omo/notepads/x', 'issues.md', 'call_1 5']]);
  expect(touched(part('write', { filePath: '/p/.omo/plans/x.md' }))).toEqual([]);
  expect(touched(part('write', { filePath: '/p/omo/notepads/x/a.md' }))).toEqual([]);
  expect(touched(part('grep', { path: '/p/.omo/notepads/x/a.md' }))).toEqual([]);
});

test('one patch may touch several, each once', () => {
  const patchText = '*** Begin Patch\n*** Update File: .omo/notepads/x/learnings.md\n@@\n-a\n+b\n*** Add File: .omo/notepads/x/issues.md\n+c\n*** Update File: src/a.js\n*** End Patch';
  const both = [['edit', '.omo/notepads/x', 'learnings.md', 'call_1 5'], ['edit', '.omo/notepads/x', 'issues.md', 'call_1 5']];
  expect(touched(part('apply_patch', { patchText }))).toEqual(both);
  const files = ['learnings', 'issues'].map((name) => ({ filePath: `/p/.omo/notepads/x/${name}.md`, type: 'update', patch: '@@ -1 +1 @@\n-a\n+b\n' }));
  expect(touched(part('apply_patch', { patchText }, { files }))).toEqual([['edit', '/p/.omo/notepads/x', 'learnings.md', 'call_1 5'], ['edit', '/p/.omo/notepads/x', 'issues.md', 'call_1 5']]);
  expect(changed(part('apply_patch', { patchText }, { files }))).toEqual({ before: null, steps: [{ old: 'a', put: 'b', everywhere: false }] });
});

test('a shell command that names a folder of notes may have written there', () => {
  const ran = (command: string, input: object = {}) => touched(part('bash', { command, ...input }));
  expect(ran('echo x >> .omo/notepads/x/learnings.md')).toEqual([['shell', '.omo/notepads/x', null, 'call_1 5']]);
  expect(ran('cat "/p/.sisyphus/notepads/x/issues.md"')).toEqual([['shell', '/p/.sisyphus/notepads/x', null, 'call_1 5']]);
  expect(ran('ls ./.omo/drafts', { workdir: '/p/sub' })).toEqual([['shell', '/p/sub/.omo/drafts', null, 'call_1 5']]);
  expect(ran('ls ~/.omo/drafts; ls ../.omo/drafts; ls .omo/notepads; ls .omo/drafts-of-old')).toEqual([]);
});

test('what a call did is told by its result, else as it was asked for', () => {
  const filePath = '/p/.omo/notepads/x/learnings.md';
  expect(changed(part('write', { filePath, content: 'a\n' }))).toEqual({ before: null, steps: [{ whole: 'a\n' }] });
  expect(changed(part('write', { filePath, content: 'a\n' }, { filepath: filePath, exists: false }))).toEqual({ before: '', steps: [{ whole: 'a\n' }] });
  expect(changed(part('edit', { filePath, oldString: 'b ', newString: 'c' }, { filediff: { file: filePath, patch: '--- a\n+++ b\n@@ -1,3 +1,3 @@\n a\n-b\n+c\n d\n' } }))).toEqual({ before: null, steps: [{ old: 'a\nb\nd', put: 'a\nc\nd', everywhere: false }] });
  expect(changed(part('edit', { filePath, oldString: 'b', newString: 'c' }, { filediff: { file: filePath, before: 'b\n', after: 'c\n' } }))).toEqual({ before: 'b\n', steps: [{ whole: 'c\n' }] });
  expect(changed(part('edit', { filePath, oldString: 'b', newString: 'c', replaceAll: true }))).toEqual({ before: null, steps: [{ old: 'b', put: 'c', everywhere: true }] });
  expect(changed(part('multiedit', { filePath, edits: [{ oldString: 'a', newString: 'b' }, { oldString: 'b', newString: 'c' }] }))).toEqual({ before: null, steps: [{ old: 'a', put: 'b', everywhere: false }, { old: 'b', put: 'c', everywhere: false }] });
  expect(changed(part('edit', { filePath }))).toBeNull();
  expect(notepads.change(Buffer.from('no json'), 0, null, file('learnings.md'))).toBeNull();
});

test('the second generation keeps its calls in the reply', () => {
  const call = { type: 'tool', id: 'call_2', name: 'write', state: { status: 'completed', input: { path: '/p/.omo/notepads/x/learnings.md', content: 'a\n' }, structured: { existed: true } } };
  expect(notepads.change(second([{ type: 'text', text: 'so' }, call]), 1, null, file('learnings.md'))).toEqual({ before: null, steps: [{ whole: 'a\n' }] });
  expect(notepads.change(second([{ type: 'text', text: 'so' }, call]), 0, null, file('learnings.md'))).toBeNull();
});
