import { describe, expect, test } from 'vitest';
import { transcriptLines } from '../claude-code/line-rules';
import type { Fields } from './fields';
import { readLines } from './json-lines';

interface Seen {
  records: { entry: Fields; at: number; bytes: number }[];
  damage: { line: number | null; at: number | null; bytes: number | null; reason: string }[];
  line: number;
  open: boolean;
}

function read(input: string | Buffer, at = 0, line = 0, open = false): Seen {
  const seen: Seen = { records: [], damage: [], line: 0, open: false };
  const bytes = typeof input === 'string' ? Buffer.from(input) : input;
  const end = readLines(bytes, at, line, open, {
    rules: transcriptLines, record: (entry, place) => seen.records.push({ entry, at: place.at, bytes: place.bytes }), damage: (damage) => seen.damage.push(damage),
  });
  return { ...seen, ...end };
}

const types = (seen: Seen) => seen.records.map(({ entry }) => entry['type']);

test('records come with the place of their bytes, without the line end', () => {
  expect(read('{"type":"a"}\n{"type":"b"}\r\n\n{"type":"c"}\n', 100, 7)).toEqual({
    records: [
      { entry: { type: 'a' }, at: 100, bytes: 12 },
      { entry: { type: 'b' }, at: 113, bytes: 12 },
      { entry: { type: 'c' }, at: 128, bytes: 12 },
    ],
    damage: [], line: 11, open: false,
  });
});

test('a byte order mark at the beginning of the file is not part of the first record', () => {
  const seen = read('\ufeff{"type":"a"}\n');
  expect(seen.records).toEqual([{ entry: { type: 'a' }, at: 3, bytes: 12 }]);
  expect(seen.damage).toEqual([]);
});

test('bytes that are no UTF-8 become U+FFFD, and later offsets stay true', () => {
  const seen = read(Buffer.concat([Buffer.from('{"type":"'), Buffer.from([0xff, 0xc3]), Buffer.from('"}\n{"type":"b"}\n')]));
  expect(types(seen)).toEqual(['\ufffd\ufffd', 'b']);
  expect(seen.records[1]).toMatchObject({ at: 14, bytes: 12 });
});

describe('damage', () => {
  test('a run of NUL bytes', () => {
    expect(read(`{"type":"a"}\n${'\0'.repeat(420)}\n{"type":"b"}\n`)).toMatchObject({
      records: [{ at: 0 }, { at: 434 }], damage: [{ line: 2, at: 13, bytes: 420, reason: 'NUL bytes, no record' }],
    });
  });

  test('NUL bytes before a record on its line: the record is shown', () => {
    const seen = read('\0\0\0\0{"type":"a"}\n');
    expect(seen.records).toEqual([{ entry: { type: 'a' }, at: 4, bytes: 12 }]);
    expect(seen.damage).toEqual([{ line: 1, at: 0, bytes: 16, reason: '4 NUL bytes beside a record; the record is shown' }]);
  });

  test('half a record', () => {
    const seen = read('{"type":"a"}\n{"type":"user","uu\n{"type":"b"}\n');
    expect(types(seen)).toEqual(['a', 'b']);
    expect(seen.damage).toEqual([{ line: 2, at: 13, bytes: 18, reason: 'half a record: it ends in the middle' }]);
  });

  test('half a record with a whole one behind it: the whole one is shown', () => {
    const seen = read('{"type":"user","mess{"parentUuid":null,"type":"user","sessionId":"s"}\n');
    expect(seen.records).toMatchObject([{ entry: { type: 'user', sessionId: 's' }, at: 20, bytes: 49 }]);
    expect(seen.damage).toEqual([{ line: 1, at: 0, bytes: 20, reason: '20 bytes that are no whole record, before one that is shown' }]);
  });

  test('an object inside a broken record is not taken for a record', () => {
    expect(read('{"type":"user","x":{"type":"text","text":"no record"}\n').records).toEqual([]);
  });

  test('two records on one line: both are shown, and the line is named', () => {
    const seen = read('{"type":"a"}{"type":"b"}\n{"type":"c"}\n');
    expect(seen.records).toEqual([
      { entry: { type: 'a' }, at: 0, bytes: 12 }, { entry: { type: 'b' }, at: 12, bytes: 12 }, { entry: { type: 'c' }, at: 25, bytes: 12 },
    ]);
    expect(seen.damage).toEqual([{ line: 1, at: 0, bytes: 24, reason: 'two records on one line; both are shown, Claude Code itself reads neither' }]);
  });

  test('a second record on a line whose first one came with the batch before', () => {
    const first = read('{"type":"a"}');
    expect(first).toMatchObject({ line: 0, open: true });
    const second = read('{"type":"b"}\n', 12, first.line, first.open);
    expect(types(second)).toEqual(['b']);
    expect(second.damage).toMatchObject([{ line: 1, at: 12, bytes: 12 }]);
    expect(read('\n{"type":"b"}\n', 12, first.line, first.open)).toMatchObject({ damage: [], line: 2, open: false });
  });

  test.each(['[1,2]', '"text"', '7', 'null', 'not json'])('%s is no record', (line) => {
    expect(read(`${line}\n`)).toMatchObject({ records: [], damage: [{ line: 1, at: 0, bytes: line.length, reason: 'not a record: it does not begin as a JSON object' }] });
  });
});

test('hostile JSON is only data', () => {
  const seen = read('{"type":"a","__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}\n');
  expect(types(seen)).toEqual(['a']);
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
});

test.each([2_001, 200_000, 400_000])('a record nested %i levels deep is named as damage, without an overflow', (levels) => {
  for (const [open, close] of [['[', ']'], ['{"a":', '}']] as const) {
    const text = `{"type":"a","x":${open.repeat(levels - 1)}1${close.repeat(levels - 1)}}`;
    const seen = read(`${text}\n{"type":"b"}\n`);
    expect(types(seen)).toEqual(['a', 'b']);
    expect(seen.damage).toEqual([{ line: 1, at: 0, bytes: text.length, reason: 'nested deeper than 2,000 levels: what lies that deep is not shown' }]);
  }
});

test('2,000 levels are no damage', () => {
  expect(read(`{"type":"a","x":${'['.repeat(1_999)}${']'.repeat(1_999)}}\n`).damage).toEqual([]);
});
