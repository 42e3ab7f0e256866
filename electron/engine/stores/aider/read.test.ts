import { appendFileSync, chmodSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { KnownSource, RawBatch, StoreLocation } from '../store';
import { readChat } from './read';
import { survey } from './survey';

let folder = '';
let file = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'retrace-aider-'));
  file = join(folder, '.aider.chat.history.md');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const text = (batches: RawBatch[]) => batches.map(({ at, restarts, bytes }) => [at, restarts, Buffer.from(bytes).toString('utf8')]);
const read = (known?: KnownSource, limit?: number) => [...readChat(file, known, limit)];

function after(batches: RawBatch[]): KnownSource {
  const last = batches.at(-1);
  if (!last) throw new Error('nothing was read');
  return { key: file, length: last.at + last.bytes.length, cursor: last.cursor, carry: null };
}

const location = (): StoreLocation => ({ agent: 'aider', folder, origin: 'default' });
const surveyed = (known?: KnownSource) =>
  survey(location(), { get: (key) => (key === known?.key ? known : undefined), keys: () => (known ? [known.key] : []) });

test('the stream is the file, its last line too where that has no end', () => {
  writeFileSync(file, '\n# aider\ntorn');
  const first = read();
  expect(text(first)).toEqual([[0, false, '\n# aider\ntorn']]);
  appendFileSync(file, ' no more\nnext\n');
  expect(text(read(after(first)))).toEqual([[13, false, ' no more\nnext\n']]);
});

test('an unchanged file is not opened', () => {
  writeFileSync(file, 'one\n');
  expect(surveyed().changes.map(({ key, bytes }) => [key, bytes])).toEqual([[file, 4]]);
  expect(surveyed(after(read())).changes).toEqual([]);
});

test('an empty file is read once', () => {
  writeFileSync(file, '');
  const first = read();
  expect(text(first)).toEqual([[0, false, '']]);
  expect(surveyed(after(first)).changes).toEqual([]);
});

test('a file that was cut, or whose beginning or end changed, is read anew', () => {
  writeFileSync(file, 'one\ntwo\n');
  const known = after(read());
  truncateSync(file, 4);
  expect(text(read(known))).toEqual([[0, true, 'one\n']]);
  writeFileSync(file, 'ONE\ntwo\nthree\n');
  expect(text(read(known))).toEqual([[0, true, 'ONE\ntwo\nthree\n']]);
  writeFileSync(file, 'one\nTWO\nthree\n');
  expect(text(read(known))).toEqual([[0, true, 'one\nTWO\nthree\n']]);
});

test('a file that was touched is looked at and nothing is new', () => {
  writeFileSync(file, 'one\n');
  const known = after(read());
  writeFileSync(file, 'one\n');
  expect(text(read(known))).toEqual([[4, false, '']]);
});

test('large files come in batches of whole lines', () => {
  const line = `${'x'.repeat(1_000_000)}\n`;
  writeFileSync(file, line.repeat(9));
  const batches = read();
  expect(batches.map(({ at, bytes }) => [at, bytes.length])).toEqual([[0, 4_000_004], [4_000_004, 4_000_004], [8_000_008, 1_000_001]]);
});

test('a line over the limit is named and passed over', () => {
  const long = 'y'.repeat(5_000_000);
  writeFileSync(file, `before\n${long}\nbehind\n`);
  const batches = read(undefined, 4_500_000);
  expect(batches.map(({ at, bytes, damage }) => [at, bytes.length, damage])).toEqual([
    [0, 7, []],
    [7, 0, [{ place: '.aider.chat.history.md', line: 2, at: 7, bytes: 5_000_001, reason: 'a line of 5,000,001 bytes, over the limit of 4,500,000: not read' }]],
    [5_000_008, 7, []],
  ]);
  expect(read(after(batches)).map(({ at, bytes }) => [at, bytes.length])).toEqual([[5_000_015, 0]]);
});

test('a history that may not be read is named, and tried again when its rights change', (context) => {
  context.skip(process.getuid?.() === 0, 'root may read every file');
  writeFileSync(file, 'one\n');
  chmodSync(file, 0);
  const refused = read();
  expect(refused[0]?.damage).toEqual([{ place: '.aider.chat.history.md', line: null, at: 0, bytes: null, reason: 'cannot be opened: permission denied' }]);
  expect(surveyed(after(refused)).changes).toEqual([]);
});

test('a history that went away is gone; a folder that went away is a problem', () => {
  writeFileSync(file, 'one\n');
  const known = after(read());
  rmSync(file);
  expect(surveyed(known).gone).toEqual([file]);
  expect(read(known)).toEqual([]);
  rmSync(folder, { recursive: true });
  expect(surveyed(known).problem).toBe(`The folder ${folder} is not there, or may not be looked at.`);
});
