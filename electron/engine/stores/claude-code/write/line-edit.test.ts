import { expect, test } from 'vitest';
import { drop, editLine, type MemberChange } from './line-edit';

const edited = (line: string | Buffer, changes: Record<string, string>, additions: Record<string, string> = {}) =>
  editLine(Buffer.from(line), new Map(Object.entries(changes).map(([key, value]): [string, MemberChange] => [key, () => value])), () => new Map(Object.entries(additions)));

test('only the members of the object itself are changed, and all else stays byte for byte', () => {
  const line = '{ "sessionId" : "old" ,"n":1.0,"big":12345678901234567890,"message":{"sessionId":"old","content":"\\"sessionId\\":\\"old\\" }{ \\\\"},"list":[{"sessionId":"old"}],"10":1,"2":2}';
  expect(edited(line, { sessionId: '"new"' }, { forkedFrom: '{"a":1}' })?.toString()).toBe(
    '{ "sessionId" : "new" ,"n":1.0,"big":12345678901234567890,"message":{"sessionId":"old","content":"\\"sessionId\\":\\"old\\" }{ \\\\"},"list":[{"sessionId":"old"}],"10":1,"2":2,"forkedFrom":{"a":1}}',
  );
});

test('a member that is there is replaced, not added, and one that stands twice is replaced twice', () => {
  expect(edited('{"forkedFrom":{"sessionId":"x","messageUuid":"y"},"sessionId":"a","sessionId":"b"}', { forkedFrom: '"f"', sessionId: '"s"' }, { forkedFrom: '"never"' })?.toString()).toBe('{"forkedFrom":"f","sessionId":"s","sessionId":"s"}');
});

test('bytes that are not UTF-8 go along, and what stands around the object does not', () => {
  const line = Buffer.concat([Buffer.from('\u0000\u0000{"text":"'), Buffer.from([0xff, 0xe9]), Buffer.from('","sessionId":"a"}\r')]);
  expect(edited(line, { sessionId: '"b"' })).toEqual(Buffer.concat([Buffer.from('{"text":"'), Buffer.from([0xff, 0xe9]), Buffer.from('","sessionId":"b"}')]));
});

test('an empty object takes additions without a comma; half an object is none', () => {
  expect(edited('{}', {}, { a: '1', b: '2' })?.toString()).toBe('{"a":1,"b":2}');
  expect(edited('{"sessionId":"a","text":"it broke of', { sessionId: '"b"' })).toBe(null);
  expect(edited('no object', {})).toBe(null);
});

test('a member that goes takes one comma along', () => {
  const without = (line: string, ...keys: string[]) => editLine(Buffer.from(line), new Map(keys.map((key): [string, MemberChange] => [key, () => drop])), () => new Map([['z', '0']]))?.toString();
  expect(without('{"a":1, "b" : {"c":2} ,"d":[3]}', 'b')).toBe('{"a":1 ,"d":[3],"z":0}');
  expect(without('{"a":1, "b":2}', 'a')).toBe('{"b":2,"z":0}');
  expect(without('{"a":1,"b":2}', 'b')).toBe('{"a":1,"z":0}');
  expect(without('{"a":1,"b":2,"c":3}', 'a', 'b')).toBe('{"c":3,"z":0}');
  expect(without('{"a":1,"b":2}', 'a', 'b')).toBe('{"z":0}');
});
