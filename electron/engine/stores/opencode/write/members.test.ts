import { expect, test } from 'vitest';
import { memberRange, withoutMember, withTexts } from './members';

const at = (json: string, name: string) => {
  const range = memberRange(json, name);
  return range && json.slice(...range);
};

test('a member is found at the top only, with its value as it stands', () => {
  const json = '{"a":{"id":"inner","x":[1,{"id":2}]}, "text" : "\\"id\\":\\"no\\"} \\\\" ,"n":1.50e2,"id":"msg_1","t":true}';
  expect([at(json, 'a'), at(json, 'text'), at(json, 'n'), at(json, 'id'), at(json, 't'), at(json, 'none')]).toEqual([
    '{"id":"inner","x":[1,{"id":2}]}', '"\\"id\\":\\"no\\"} \\\\"', '1.50e2', '"msg_1"', 'true', null,
  ]);
  expect([at('{}', 'a'), at('[{"a":1}]', 'a'), at('{"a":1,"a":2}', 'a'), at('{"\\u0061":3}', 'a')]).toEqual([null, null, '2', '3']);
});

test('texts are changed where they stand, and nothing else is', () => {
  const json = '{ "parentID":"msg_1","cost":0.10,"data":{"parentID":"msg_1"},"u":"\\u00e9", "id": 7}';
  expect(withTexts(json, { parentID: () => 'msg_longer', id: () => 'never', none: () => 'never' })).toBe('{ "parentID":"msg_longer","cost":0.10,"data":{"parentID":"msg_1"},"u":"\\u00e9", "id": 7}');
});

test('several texts are found in one walk, of equal names the last, and slashes before a quote are counted', () => {
  const upper = (text: string) => text.toUpperCase();
  const json = '{"id":"a","text":"x\\\\","id":"b","sessionID":"s\\"","messageID":{"id":"c"}}';
  expect(withTexts(json, { id: upper, sessionID: upper, messageID: upper })).toBe('{"id":"a","text":"x\\\\","id":"B","sessionID":"S\\"","messageID":{"id":"c"}}');
});

test('a member that lies deeper is taken out, first, between and last', () => {
  const path = ['state', 'time', 'compacted'];
  expect(withoutMember('{"state":{"time":{"start":1,"end":2,"compacted":3}},"x":1}', path)).toBe('{"state":{"time":{"start":1,"end":2}},"x":1}');
  expect(withoutMember('{"state":{"time":{"compacted":3,"end":2}}}', path)).toBe('{"state":{"time":{"end":2}}}');
  expect(withoutMember('{"state":{"time":{"start":1, "compacted":3 , "end":2}}}', path)).toBe('{"state":{"time":{"start":1, "end":2}}}');
  expect(withoutMember('{"state":{"time":{"compacted":3}}}', path)).toBe('{"state":{"time":{}}}');
  expect(withoutMember('{"state":{"input":{}}}', path)).toBe('{"state":{"input":{}}}');
});
