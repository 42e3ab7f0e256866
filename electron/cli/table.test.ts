import { expect, test } from 'vitest';
import { paintFor } from './paint';
import { table } from './table';
import type { TextStream } from './surroundings';

const columns = [{ head: 'AGENT' }, { head: 'N', align: 'right' as const }, { head: 'TITLE', flexible: { least: 8, most: 60 } }, { head: 'ID', style: 'dim' as const }];
const rows = [['opencode', '7', 'Fix the retry in the uploader', 'ses_1'], ['claude-code', '12', '日本', 'ses_2']];
const plain = paintFor({ stdout: {} as TextStream, variables: {} });

test('columns are aligned and headed', () => {
  expect([...table(columns, rows, Infinity, plain)]).toEqual([
    'AGENT         N  TITLE                          ID',
    'opencode      7  Fix the retry in the uploader  ses_1',
    'claude-code  12  日本                           ses_2',
  ]);
});

test('the flexible column gives way to the width of the terminal, to its least width', () => {
  expect([...table(columns, rows, 40, plain)][1]).toBe('opencode      7  Fix the retry i…  ses_1');
  expect([...table(columns, rows, 10, plain)][1]).toBe('opencode      7  Fix the…  ses_1');
});

test('colours are for a terminal, and not where NO_COLOR is set', () => {
  const terminal = { isTTY: true } as TextStream;
  expect(paintFor({ stdout: terminal, variables: {} })('bold', 'x')).toBe('\u001b[1mx\u001b[22m');
  expect(paintFor({ stdout: terminal, variables: { NO_COLOR: '1' } })('bold', 'x')).toBe('x');
  expect(paintFor({ stdout: terminal, variables: { TERM: 'dumb' } })('bold', 'x')).toBe('x');
  expect(plain('bold', 'x')).toBe('x');
});
