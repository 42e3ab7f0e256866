import { array, assert, boolean, integer, jsonValue, property } from 'fast-check';
import { expect, test } from 'vitest';
import { type JsonEnd, type JsonPieceLimits, JsonPieces, jsonPieceLimits } from './json-pieces';

function taken(text: string, step = 7, limits: JsonPieceLimits = jsonPieceLimits): { pieces: [string | null, boolean, string][]; end: JsonEnd } {
  const scanner = new JsonPieces(new Set(['messages']), new Set(['info']), limits);
  const bytes = Buffer.from(text);
  const pieces: [string | null, boolean, string][] = [];
  for (let at = 0; at < bytes.length; at += step) for (const piece of scanner.push(bytes.subarray(at, at + step))) pieces.push([piece.member, piece.isElement, piece.bytes.toString().trim()]);
  return { pieces, end: scanner.end() };
}

test('members that are wanted, and the elements of a named list', () => {
  const { pieces, end } = taken('{"other":[1,{"messages":[9]}],"info": {"id":"a,b]"},\n"messages" : [ {"x":[1]}, "s", 3 ,[]],"last":1}');
  expect(pieces).toEqual([
    ['info', false, '{"id":"a,b]"}'], ['messages', true, '{"x":[1]}'], ['messages', true, '"s"'], ['messages', true, '3'], ['messages', true, '[]'],
  ]);
  expect(end).toEqual({ state: 'whole' });
  expect(taken('{"messages":[]}')).toEqual({ pieces: [], end: { state: 'whole' } });
  expect(taken('{"messages":{"a":1},"info":1}').pieces).toEqual([['info', false, '1']]);
});

test('an outermost list', () => {
  expect(taken('[{"type":"session"}, {"a":"\\"]"}]')).toEqual({ pieces: [[null, true, '{"type":"session"}'], [null, true, '{"a":"\\"]"}']], end: { state: 'whole' } });
  expect(taken('[]')).toEqual({ pieces: [], end: { state: 'whole' } });
});

test('cut anywhere, what was whole before is given, and where it ends is told', () => {
  const text = '{"info":{"id":1},"messages":[{"a":"x"},{"b":[1,2]}]}';
  for (let cut = 1; cut < text.length; cut++) {
    const { pieces, end } = taken(text.slice(0, cut));
    expect(end).toEqual({ state: 'cut', bytes: cut });
    expect(pieces).toEqual(taken(text).pieces.slice(0, pieces.length));
  }
});

test('limits and what is no JSON', () => {
  const deep = `[${'['.repeat(100_000)}`;
  expect(taken(deep, 4_096).end).toEqual({ state: 'broken', at: 1_000, reason: 'values are nested deeper than 1,000' });
  expect(taken(`["${'x'.repeat(100)}"]`, 7, { ...jsonPieceLimits, piece: 50 }).end).toMatchObject({ state: 'broken', reason: 'one value is larger than 50 bytes' });
  expect(taken(`[${'1,'.repeat(20)}1]`, 7, { ...jsonPieceLimits, pieces: 10 }).end).toMatchObject({ state: 'broken', reason: 'there are more than 10 values' });
  expect(taken('{"messages":[1]} x').end).toEqual({ state: 'followed', at: 17, byJson: false });
  expect(taken('{"messages":[1]}\n{"messages":[2]}')).toEqual({ pieces: [['messages', true, '1']], end: { state: 'followed', at: 17, byJson: true } });
});

test('any document is taken apart as it is put together, wherever it is cut into chunks', () => {
  assert(
    property(jsonValue(), array(jsonValue(), { maxLength: 5 }), integer({ min: 1, max: 40 }), boolean(), (info, messages, step, spaced) => {
      const { pieces, end } = taken(JSON.stringify({ before: messages, info, messages, after: info }, null, spaced ? 2 : 0), step);
      expect(end).toEqual({ state: 'whole' });
      expect(pieces.map(([member, , text]) => [member, JSON.parse(text) as unknown])).toEqual([['info', info], ...messages.map((each) => ['messages', each])].map(([member, value]) => [member, JSON.parse(JSON.stringify(value)) as unknown]));
    }),
    { numRuns: 200 },
  );
});
