import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { KnownSource, RawBatch } from '../store';
import { claudeCode } from './index';
import type { ListedFile } from './listing';
import { placeOf } from './places';
import { readSource } from './read';

let root = '';
beforeEach(() => (root = mkdtempSync(join(tmpdir(), 'retrace-read-'))));
afterEach(() => rmSync(root, { recursive: true, force: true }));

const transcript = 'projects/-home-dev/11111111-1111-4111-8111-111111111111.jsonl';
const line = (n: number, size = 40) => `${JSON.stringify({ type: 'x', n, pad: 'p'.repeat(size) })}\n`;

function file(content: string | Buffer, key = transcript): string {
  const path = join(root, key);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return path;
}

function read(key = transcript, known?: KnownSource, limit?: number): RawBatch[] {
  const path = join(root, key);
  const handle: ListedFile = { key, path, place: placeOf(key) as ListedFile['place'], stat: statSync(path) };
  return [...readSource({ key, changed: 0, bytes: 0, handle }, known, limit)].map((batch) => ({ ...batch, bytes: Buffer.from(batch.bytes) }));
}

const known = (batches: RawBatch[]): KnownSource => {
  const last = batches.at(-1) as RawBatch;
  return { key: last.source, length: last.at + last.bytes.length, cursor: JSON.parse(JSON.stringify(last.cursor)), carry: null };
};

const text = (batches: RawBatch[]) => Buffer.concat(batches.map((batch) => Buffer.from(batch.bytes))).toString();

describe('a transcript', () => {
  test('is read whole, and goes on where it ended', () => {
    file(line(1) + line(2));
    const first = read();
    expect(first).toMatchObject([{ source: transcript, restarts: false, at: 0, damage: [] }]);
    expect(text(first)).toBe(line(1) + line(2));
    appendFileSync(join(root, transcript), line(3));
    const second = read(transcript, known(first));
    expect(second).toMatchObject([{ restarts: false, at: (line(1) + line(2)).length, damage: [] }]);
    expect(text(second)).toBe(line(3));
  });

  test('unchanged is not named by the survey at all', () => {
    file(line(1));
    const first = read();
    const survey = () => claudeCode.survey({ agent: 'claude-code', folder: root, origin: 'default' }, { get: () => known(first), keys: () => [transcript] });
    expect(survey()).toMatchObject({ changes: [], heads: [], gone: [], damage: [], problem: null });
    utimesSync(join(root, transcript), 1, 1);
    expect(survey().changes).toMatchObject([{ key: transcript }]);
  });

  test('touched without new bytes gives one empty batch, so that it is not read again', () => {
    file(line(1));
    const first = read();
    utimesSync(join(root, transcript), 1, 1);
    const second = read(transcript, known(first));
    expect(second).toMatchObject([{ restarts: false, at: line(1).length, damage: [] }]);
    expect(second[0]?.bytes).toHaveLength(0);
    expect(second[0]?.cursor).toMatchObject({ mtimeMs: 1000 });
  });

  test('in many batches of whole lines, none much over the bound', () => {
    const content = Array.from({ length: 3000 }, (_, n) => line(n, 5000)).join('');
    file(content);
    const batches = read();
    expect(batches.length).toBeGreaterThan(2);
    expect(text(batches)).toBe(content);
    let at = 0;
    for (const batch of batches) {
      expect(batch.at).toBe(at);
      expect(batch.bytes.at(-1)).toBe(10);
      expect(batch.bytes.length).toBeLessThan(5.1 * 1024 * 1024);
      at += batch.bytes.length;
    }
  });

  test('a line larger than a batch is one record more', () => {
    const content = line(1) + line(2, 9_000_000) + line(3);
    file(content);
    expect(text(read())).toBe(content);
  });

  test.each([['cut to a shorter one', (path: string) => truncateSync(path, 10)], ['replaced by another of the same beginning', (path: string) => writeFileSync(path, line(1) + line(7) + line(8) + line(9))]])(
    'that was %s starts again',
    (_, change) => {
      const path = file(line(1) + line(2) + line(3));
      const first = read();
      change(path);
      const second = read(transcript, known(first));
      expect(second[0]).toMatchObject({ restarts: true, at: 0 });
      expect(second.slice(1).every((batch) => !batch.restarts)).toBe(true);
    },
  );
});

describe('a torn last line', () => {
  test('of a file that was written to just now is being written: nothing is said of it, and the next pass looks again', () => {
    const path = file(line(1) + line(2).slice(0, 20));
    const first = read();
    expect(text(first)).toBe(line(1));
    expect(first.flatMap((batch) => batch.damage)).toEqual([]);
    const changes = () => claudeCode.survey({ agent: 'claude-code', folder: root, origin: 'default' }, { get: () => known(first), keys: () => [transcript] }).changes.map(({ key }) => key);
    expect(changes()).toEqual([transcript]);
    const again = read(transcript, known(first));
    expect(again).toMatchObject([{ restarts: false, at: line(1).length, damage: [] }]);
    // Ten seconds later nobody has gone on.
    utimesSync(path, new Date(Date.now() - 11_000), new Date(Date.now() - 11_000));
    expect(changes()).toEqual([transcript]);
    expect(read(transcript, known(first)).flatMap((batch) => batch.damage.map(({ reason }) => reason))).toEqual(['cut: the last line ends in the middle of a record']);
  });

  test('stays out, is named, and is read when it is whole', () => {
    const whole = line(2);
    const path = file(line(1) + whole.slice(0, 20));
    utimesSync(path, new Date(0), new Date(0));
    const first = read();
    expect(text(first)).toBe(line(1));
    expect(first.flatMap((batch) => batch.damage)).toEqual([
      { place: transcript, line: 2, at: line(1).length, bytes: 20, reason: 'cut: the last line ends in the middle of a record' },
    ]);
    appendFileSync(path, whole.slice(20));
    const second = read(transcript, known(first));
    expect(second).toMatchObject([{ restarts: false, at: line(1).length, damage: [] }]);
    expect(text(second)).toBe(whole);
  });

  test('that is a whole record is taken; the line end comes with what follows', () => {
    const path = file(line(1) + line(2).trimEnd());
    const first = read();
    expect(text(first)).toBe(line(1) + line(2).trimEnd());
    expect(first.flatMap((batch) => batch.damage)).toEqual([]);
    appendFileSync(path, `\n${line(3)}`);
    expect(text(read(transcript, known(first)))).toBe(`\n${line(3)}`);
  });
});

describe('a line over the limit', () => {
  const limit = 2_000_000;
  const huge = line(2, 3_000_000);

  test('is passed over and named with its size; the stream goes on at its line end', () => {
    file(line(1) + huge + line(3));
    const batches = read(transcript, undefined, limit);
    expect(batches.flatMap((batch) => batch.damage)).toEqual([
      { place: transcript, line: 2, at: line(1).length, bytes: huge.length - 1, reason: 'a record of 3.0 MB, over the limit of 2.0 MB: not read' },
    ]);
    expect(text(batches)).toBe(`${line(1)}\n${line(3)}`);
    const end = line(1).length + huge.length - 1;
    expect(batches.filter((batch) => batch.bytes.length > 0).map((batch) => batch.at)).toEqual([0, end, end + 1]);
    // What the damage is reported with must not be swept away by a later batch.
    for (const batch of batches) for (const damage of batch.damage) expect(damage.at).toBeGreaterThanOrEqual(batch.at);
  });

  test('several, at the beginning, side by side and at the end', () => {
    file(huge + huge + line(3) + huge);
    const batches = read(transcript, undefined, limit);
    expect(batches.flatMap((batch) => batch.damage).map((damage) => damage.line)).toEqual([1, 2, 4]);
    expect(text(batches)).toBe(`\n\n${line(3)}\n`);
  });

  test('without an end yet is looked at again when the file grows', () => {
    const path = file(line(1) + huge.slice(0, 2_500_000));
    const first = read(transcript, undefined, limit);
    expect(first.flatMap((batch) => batch.damage)).toMatchObject([{ line: 2, at: line(1).length, bytes: 2_500_000 }]);
    appendFileSync(path, huge.slice(2_500_000) + line(3));
    const second = read(transcript, known(first), limit);
    expect(second.flatMap((batch) => batch.damage)).toMatchObject([{ line: 2, bytes: huge.length - 1 }]);
    expect(text(second)).toBe(`\n${line(3)}`);
  });

  test('is never held: 300 MB cost no more than a few batches of memory', () => {
    const path = file(line(1));
    const piece = Buffer.alloc(10_000_000, 'x');
    for (let i = 0; i < 30; i++) appendFileSync(path, piece);
    appendFileSync(path, `\n${line(3)}`);
    const before = process.memoryUsage().arrayBuffers;
    let most = 0;
    const handle: ListedFile = { key: transcript, path, place: placeOf(transcript) as ListedFile['place'], stat: statSync(path) };
    let lines = '';
    for (const batch of readSource({ key: transcript, changed: 0, bytes: 0, handle }, undefined)) {
      most = Math.max(most, process.memoryUsage().arrayBuffers - before);
      lines += Buffer.from(batch.bytes).toString();
    }
    expect(lines).toBe(`${line(1)}\n${line(3)}`);
    // The limit is 64 MB; a room that grew towards it stands beside the one before.
    expect(most).toBeLessThan(220_000_000);
  });
});

describe('other files', () => {
  const meta = 'projects/-home-dev/11111111-1111-4111-8111-111111111111/subagents/agent-a1.meta.json';
  const output = 'projects/-home-dev/11111111-1111-4111-8111-111111111111/tool-results/b1.txt';

  test('a small JSON file is read whole, and again whole when it changed', () => {
    file('{"a":1}', meta);
    const first = read(meta);
    expect(first).toMatchObject([{ restarts: false, at: 0 }]);
    file('{"a":1,\n"b":2}', meta);
    const second = read(meta, known(first));
    expect(second).toMatchObject([{ restarts: true, at: 0, damage: [] }]);
    expect(text(second)).toBe('{"a":1,\n"b":2}');
  });

  test('a saved output is taken as it is, in pieces', () => {
    const content = Buffer.alloc(9_000_000, 'no line end ');
    file(content, output);
    const batches = read(output);
    expect(batches.length).toBe(3);
    expect(text(batches)).toBe(content.toString());
    expect(batches.flatMap((batch) => batch.damage)).toEqual([]);
  });

  test('what the disk refuses is named, and tried again at the next pass', () => {
    mkdirSync(join(root, transcript), { recursive: true });
    const [batch, ...more] = read();
    expect(more).toEqual([]);
    expect(batch).toMatchObject({ restarts: false, at: 0, damage: [{ place: transcript, line: null, at: 0, reason: 'cannot be read on from byte 0: EISDIR' }] });
    expect(batch?.cursor).toMatchObject({ size: 0, offset: 0 });
    rmSync(join(root, transcript), { recursive: true });
    file(line(1));
    expect(text(read(transcript, known([batch as RawBatch])))).toBe(line(1));
  });

  test('a file that went away between survey and reading gives nothing', () => {
    const handle: ListedFile = { key: transcript, path: join(root, 'gone.jsonl'), place: placeOf(transcript) as ListedFile['place'], stat: statSync(root) };
    expect([...readSource({ key: transcript, changed: 0, bytes: 0, handle }, undefined)]).toEqual([]);
  });

  test('reading changes nothing', () => {
    const path = file(line(1) + line(2));
    utimesSync(path, 1000, 1000);
    const before = statSync(path);
    read();
    expect(statSync(path)).toMatchObject({ mtimeMs: before.mtimeMs, ctimeMs: before.ctimeMs, size: before.size });
    expect(readFileSync(path, 'utf8')).toBe(line(1) + line(2));
  });
});
