import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Library } from './library';

let library: Library;
let source: number;
beforeEach(() => {
  library = new Library(':memory:');
  library.db.exec("INSERT INTO store(id, key, agent, folder, origin) VALUES (1, 'codex', 'codex', '/x', 'default')");
  source = Number(library.db.prepare("INSERT INTO source(store, key, generation, reader) VALUES (1, 'a', 0, 1)").run().lastInsertRowid);
});
afterEach(() => library.close());

const stream = (lines: number, length: number) => Buffer.from(Array.from({ length: lines }, (_, i) => `${i}:${'x'.repeat(length)}`).join('\n') + '\n');

test('what was appended is read back from any place', () => {
  const bytes = stream(3_000, 500);
  library.log.append(source, 0, bytes.subarray(0, 700_123));
  library.log.append(source, 700_123, bytes.subarray(700_123));
  for (const [at, length] of [[0, 10], [699_000, 4_000], [bytes.length - 7, 7], [0, bytes.length]] as const) {
    expect(library.log.read(source, at, length)?.equals(bytes.subarray(at, at + length)), `${at}+${length}`).toBe(true);
  }
});

test('a record of many chunks is read whole, or as much as is asked for', () => {
  const bytes = randomBytes(3_000_000);
  library.log.append(source, 0, bytes);
  expect(library.log.read(source, 0, bytes.length)?.equals(bytes)).toBe(true);
  expect(library.log.read(source, 0, bytes.length, 1_000)?.length).toBe(1_000);
});

test('a place that was skipped or never read is not there', () => {
  library.log.append(source, 0, stream(10, 10));
  library.log.append(source, 5_000, stream(10, 10));
  expect(library.log.read(source, 1_000, 10)).toBeNull();
  expect(library.log.read(source, 6_000, 10)).toBeNull();
  expect(library.log.read(source, 5_000, 3)?.toString()).toBe('0:x');
  expect(library.log.read(source + 1, 0, 1)).toBeNull();
});

test('replay gives the stream in order', () => {
  const bytes = stream(4_000, 700);
  library.log.append(source, 0, bytes);
  const pieces = [...library.log.replay(library.db, source)];
  expect(pieces.length).toBeGreaterThan(3);
  expect(Buffer.concat(pieces.map((piece) => piece.bytes)).equals(bytes)).toBe(true);
  expect(pieces.every((piece) => piece.bytes.at(-1) === 10)).toBe(true);
});
