import { expect, test } from 'vitest';
import { foreignBytes, linesOf } from './lines';

test('lines say where they stand, and whether they end', () => {
  expect(linesOf(Buffer.from('a\r\n\nbö'), 10)).toEqual([
    { at: 10, stop: 12, text: 'a\r', torn: false }, { at: 13, stop: 13, text: '', torn: false }, { at: 14, stop: 17, text: 'bö', torn: true },
  ]);
});

test.each([
  ['plain', Buffer.from('Café \ufffd'), null],
  ['one byte', Buffer.from([0x43, 0xe9, 0x20]), { at: 1, bytes: 1 }],
  ['two places', Buffer.from([0xff, 0x41, 0xc3, 0xa9, 0xe9]), { at: 0, bytes: 2 }],
  ['the beginning of a letter', Buffer.from([0x41, 0xe2, 0x82]), { at: 1, bytes: 2 }],
  ['a replacement character that was written, before and behind', Buffer.concat([Buffer.from('\ufffd'), Buffer.from([0xe9]), Buffer.from('\ufffd')]), { at: 3, bytes: 1 }],
])('bytes that are not UTF-8: %s', (_name, line, found) => {
  expect(foreignBytes(line)).toEqual(found);
});
