import { expect, test } from 'vitest';
import { parseQuery } from './query';
import { snippetOf } from './snippet';

const show = (text: string, query: string) => snippetOf(text, parseQuery(query).terms).replaceAll('\u0001', '[').replaceAll('\u0002', ']');

test('the first match stands in one line of text', () => {
  const text = `${'word '.repeat(60)}\nthe retry loop\tgives up ${'tail '.repeat(60)}`;
  expect(show(text, 'retry')).toMatch(/^…(word )+the \[retry\] loop gives up (tail )+tail…$/);
});

test.each([
  ['Error-401 came back', 'error-401', '[Error-401] came back'],
  ['call a.b() now', 'a.b()', 'call [a.b]() now'],
  ['a token cache, a tokencache', '"token cache"', 'a [token cache], a tokencache'],
  ['timeout and time', 'time*', '[timeout] and [time]'],
  ['timeout and time', 'time', 'timeout and [time]'],
  ['Die Größe passt', 'größe', 'Die [Größe] passt'],
  ['a café here', 'cafe', 'a [café] here'],
  ['nothing here', 'absent', 'nothing here'],
])('%j for %j', (text, query, expected) => {
  expect(show(text.normalize('NFD'), query).normalize('NFC')).toBe(expected);
});
