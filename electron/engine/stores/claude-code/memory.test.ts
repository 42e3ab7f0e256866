import { expect, test } from 'vitest';
import type { PartFact } from '../store';
import { instructionFiles } from './instructions';
import { memory, memoryFiles, memoryTouch } from './memory';

const lines = (count: number, width = 1) => Array.from({ length: count }, () => 'x'.repeat(width)).join('\n');

test('200 lines of an index are loaded', () => {
  expect(memory.loaded(`${lines(200)}\n`)).toEqual({ lines: 200, limit: null });
  expect(memory.loaded(`${lines(201)}\n`)).toEqual({ lines: 200, limit: 'lines' });
  expect(memory.loaded(`\r\n\r\n${lines(201).replaceAll('\n', '\r\n')}`)).toEqual({ lines: 202, limit: 'lines' });
  expect(memory.loaded('')).toEqual({ lines: 0, limit: null });
});

test('25,000 bytes are loaded, whole lines of them', () => {
  expect(memory.loaded(lines(100, 249))).toEqual({ lines: 100, limit: null });
  expect(memory.loaded(lines(101, 249))).toEqual({ lines: 100, limit: 'bytes' });
  expect(memory.loaded('é'.repeat(12_501))).toEqual({ lines: 0, limit: 'bytes' });
  expect(memory.loaded('é'.repeat(12_500))).toEqual({ lines: 1, limit: null });
});

test('files of memory are told by their place', () => {
  expect(['projects/-p/memory/MEMORY.md', 'projects/-p/memory/team/rules.md', 'projects/-p/memory/x.json', 'projects/-p/s.jsonl', 'projects/-p/memory'].map((key) => memoryFiles.fileOf(key))).toEqual([
    { folder: '-p', name: 'MEMORY.md' }, { folder: '-p', name: 'team/rules.md' }, null, null, null,
  ]);
});

const tool = (name: string, family: NonNullable<PartFact['tool']>['family'] = 'write'): PartFact => ({
  block: 1, kind: 'tool', title: null, text: null, size: 0, injected: false, tool: { name, family, callId: 'toolu_1', status: 'running' },
});
const touched = (name: string, input: Record<string, unknown>, family?: NonNullable<PartFact['tool']>['family']) => {
  const touch = memoryTouch(tool(name, family), input, 'k', 7);
  return touch && [touch.act, touch.folder, touch.file];
};

test('a call touches memory when its path lies in such a folder, wherever the store was', () => {
  expect(touched('Write', { file_path: '/home/dev/.claude/projects/-p/memory/MEMORY.md' })).toEqual(['write', '-p', 'MEMORY.md']);
  expect(touched('MultiEdit', { file_path: 'C:\\Users\\me\\.claude\\projects\\C--work\\memory\\a\\b.md' })).toEqual(['edit', 'C--work', 'a/b.md']);
  expect(touched('Read', { file_path: '/x/projects/-p/memory/a.md' })).toEqual(['read', '-p', 'a.md']);
  expect(touched('Write', { file_path: '/home/dev/projects/demo/memory.md' })).toBeNull();
  expect(touched('Grep', { path: '/x/projects/-p/memory/a.md' }, 'search')).toBeNull();
  expect(touched('Write', { file_path: 7 })).toBeNull();
});

test('a shell command that names the folder may have written there', () => {
  expect(touched('Bash', { command: 'echo hi >> ~/.claude/projects/-p/memory/MEMORY.md' }, 'shell')).toEqual(['shell', '-p', null]);
  expect(touched('Bash', { command: 'ls projects/-p/memory-of-elephants' }, 'shell')).toBeNull();
});

const changed = (record: Uint8Array, block: number, result: Uint8Array | null) => memory.change(record, block, result, { folder: '-p', name: 'm' });
const bytes = (value: unknown) => Buffer.from(JSON.stringify(value));
const call = (name: string, input: object) => bytes({ type: 'assistant', message: { content: [{ type: 'tool_use', id: 't', name, input }] } });

test('what a call did is told by its result first, since a person may have changed it', () => {
  expect(changed(call('Write', { file_path: 'm', content: 'a' }), 0, null)).toEqual({ before: null, steps: [{ whole: 'a' }] });
  expect(changed(call('Write', { file_path: 'm', content: 'a' }), 0, bytes({ toolUseResult: { type: 'create', content: 'b', originalFile: null } }))).toEqual({ before: '', steps: [{ whole: 'b' }] });
  expect(changed(call('Edit', { file_path: 'm', old_string: 'a', new_string: 'b', replace_all: true }), 0, bytes({ toolUseResult: { oldString: 'a', newString: 'c', originalFile: 'a\n' } })))
    .toEqual({ before: 'a\n', steps: [{ old: 'a', put: 'c', everywhere: true }] });
  expect(changed(call('MultiEdit', { file_path: 'm', edits: [{ old_string: 'a', new_string: 'b' }, { old_string: 'b', new_string: 'c' }] }), 0, null))
    .toEqual({ before: null, steps: [{ old: 'a', put: 'b', everywhere: false }, { old: 'b', put: 'c', everywhere: false }] });
  expect(changed(call('Edit', { file_path: 'm' }), 0, bytes({ toolUseResult: 'Error: no' }))).toBeNull();
  expect(changed(Buffer.from('no json'), 0, null)).toBeNull();
});

test('instructions are told from the start, and from files found on the way', () => {
  expect(instructionFiles({ type: 'instructions', files: [{ path: '/p/CLAUDE.md', type: 'Project', content: 'abc' }, { content: 'no path' }, 7] })).toEqual([{ path: '/p/CLAUDE.md', kind: 'Project', characters: 3, inferred: false }]);
  expect(instructionFiles({ type: 'nested_memory', path: '/p/sub/CLAUDE.md', content: { path: '/p/sub/CLAUDE.md', type: 'Project', content: 'ab' } })).toEqual([{ path: '/p/sub/CLAUDE.md', kind: 'Project', characters: 2, inferred: false }]);
  expect(instructionFiles({ type: 'file', path: '/p/CLAUDE.md' })).toEqual([]);
  expect(instructionFiles(null)).toEqual([]);
});
