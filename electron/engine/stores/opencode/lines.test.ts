import { expect, test } from 'vitest';
import { jsonText, readLine, readLines, rowJson, writeLine } from './lines';

test('a row keeps its JSON as it stands, and what is none as text', () => {
  expect(rowJson({ id: 'prt_1', data: '{"n":1.0,"big":12345678901234567890}', time_created: 5, none: null })).toBe('{"id":"prt_1","data":{"n":1.0,"big":12345678901234567890},"time_created":5,"none":null}');
  expect(rowJson({ data: '{"half":' })).toBe('{"data":"{\\"half\\":"}');
  expect(rowJson({ data: '"a text"' })).toBe('{"data":"\\"a text\\""}');
  // Only in columns that are declared to hold JSON: a title that looks like it stays a title.
  expect(rowJson({ title: '{"a":1}' })).toBe('{"title":"{\\"a\\":1}"}');
  expect(rowJson({ data: Buffer.from([0, 255]), other: Buffer.from('{}') })).toBe('{"data":"base64:AP8=","other":"base64:e30="}');
  expect(rowJson({ data: Buffer.from('{"a":1}') })).toBe('{"data":{"a":1}}');
});

test('a line is one line, whatever is in it', () => {
  expect(jsonText('{\n  "a": "b\\nc"\n}')).toBe('{"a":"b\\nc"}');
  const line = writeLine('part', rowJson({ id: 'x\ny', text: '\u2028 \ud83d' }), { role: 'user', time: 3, summary: false });
  expect(line.filter((byte) => byte === 10)).toHaveLength(1);
  expect(readLine(line.subarray(0, -1), 7)).toEqual({ kind: 'part', row: { id: 'x\ny', text: '\u2028 \ud83d' }, owner: { role: 'user', time: 3, summary: false }, at: 7, bytes: line.length - 1 });
});

test('offsets are those of the stream; a torn line costs itself', () => {
  const good = writeLine('gone', '{"id":"é"}');
  const { lines, damage } = readLines(Buffer.concat([good, Buffer.from('{"t":"pa\n'), good]), 100);
  expect(lines.map(({ at, bytes }) => ({ at, bytes }))).toEqual([{ at: 100, bytes: good.length - 1 }, { at: 100 + good.length + 9, bytes: good.length - 1 }]);
  expect(damage).toEqual([{ place: 'the raw log', line: null, at: 100 + good.length, bytes: 8, reason: 'this line is not a row of the store' }]);
});

test('keys that mean something to JavaScript are keys like others', () => {
  const line = readLine(writeLine('part', '{"data":{"__proto__":{"polluted":true},"constructor":1}}'), 0);
  expect(Object.getPrototypeOf(line?.row)).toBe(Object.prototype);
  expect(({} as { polluted?: boolean }).polluted).toBe(undefined);
});
