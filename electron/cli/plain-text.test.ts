import { expect, test } from 'vitest';
import { jsonText } from './json-text';
import { plainLine, plainText, shorten, widthOf } from './plain-text';

test('escape sequences and controls never reach a terminal', () => {
  expect(plainText('a\u001b[31mred\u001b[0m b')).toBe('ared b');
  expect(plainText('\u001b]0;title\u0007x\u001b]8;;http://e.vil\u001b\\link\u001b]8;;\u001b\\')).toBe('xlink');
  expect(plainText('c1 \u009b2Jx \u0090y')).not.toMatch(/[\u0080-\u009f]/);
  expect(plainText('a\u0000b\u0008c\u007fd')).toBe('abcd');
  expect(plainText('one\r\ntwo\rthree\u2028four\tx\n')).toBe('one\ntwo\nthree\nfour\tx\n');
});

test('no mark turns the reading direction, and half a letter becomes U+FFFD', () => {
  expect(plainText('safe\u202egpj.exe\u2066x')).toBe('safegpj.exex');
  expect(plainText('a\ud83d')).toBe('a\ufffd');
});

test('a line has no breaks', () => {
  expect(plainLine(' a\n\tb \r\n c ')).toBe('a b c');
});

test('wide letters take two columns', () => {
  expect(widthOf('retry')).toBe(5);
  expect(widthOf('日本 ok')).toBe(7);
  expect(widthOf('👩‍👩‍👧 é')).toBe(4);
});

test('a line is cut to columns, between letters', () => {
  expect(shorten('short', 5)).toBe('short');
  expect(shorten('a longer title', 9)).toBe('a longer…');
  expect(shorten('日本語のタイトル', 8)).toBe('日本語…');
});

test('JSON has the same value and nothing a terminal obeys', () => {
  const value = { text: '\u001b[2J \u009b2J \u007f \u202e \u2028 é 日本' };
  expect(jsonText(value)).toBe('{"text":"\\u001b[2J \\u009b2J \\u007f \\u202e \\u2028 é 日本"}');
  expect(JSON.parse(jsonText(value))).toEqual(value);
});
