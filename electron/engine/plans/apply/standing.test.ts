import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemFiles } from '../disk/machine';
import type { FileRecord, ProgramRecord } from '../journal/records';
import { Backups } from './backups';
import { standingOf } from './standing';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'retrace-standing-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const standing = (record: FileRecord | ProgramRecord) => standingOf(systemFiles, record, new Backups(systemFiles, join(folder, 'library.db'), 'entry'));
const worktree = () => join(folder, 'wt');

test('a program that was begun: of git and its worktree the folder tells, of others nothing does', async () => {
  const begun = (program: ProgramRecord['program'], act: string): ProgramRecord => ({
    kind: 'program', program, call: { act, path: worktree() }, shown: 'git worktree', does: 'It is asked.', remains: [], inverse: null, state: 'begun', given: null, gave: null,
  });
  expect(await standing(begun('git', 'worktree add'))).toBe('before');
  expect(await standing(begun('git', 'worktree remove'))).toBe('after');
  mkdirSync(worktree());
  expect(await standing(begun('git', 'worktree add'))).toBe('after');
  expect(await standing(begun('git', 'worktree remove'))).toBe('before');
  expect(await standing(begun('codex', 'worktree add'))).toBe('other');
});

test('files in what a program made, and files that went with it', async () => {
  const record: FileRecord = {
    kind: 'file', index: 1, act: 'create', isMade: true, path: join(worktree(), 'app.js'), within: worktree(), real: null, before: null, after: null, staged: null,
    backup: null, tail: null, made: [], empties: [], added: null, removed: null, why: 'As it was before the message.',
  };
  // sha256 of "mine"
  const before = { sha256: '80d7beddaa7c0c5f00070fcb4a5c6e7158dc8f3eed3e1a4d6a1eb7d0cd8d7ec2', bytes: 4, mode: 0o644, modified: 0 };
  const gone: FileRecord = { ...record, act: 'delete', isMade: false, goes: true, before, backup: '1.before' };
  expect([await standing(record), await standing(gone)]).toEqual(['before', 'after']);
  mkdirSync(worktree());
  writeFileSync(join(worktree(), 'app.js'), 'as committed');
  expect([await standing(record), await standing(gone)]).toEqual(['before', 'other']);
});
