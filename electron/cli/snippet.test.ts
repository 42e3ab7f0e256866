import { expect, test } from 'vitest';
import { snippetOf } from './snippet';

test('marks are taken out and their places told', () => {
  const { text, marks } = snippetOf('…add a \u0001retry\u0002 to the \u0001uploader\u0002 now');
  expect(text).toBe('…add a retry to the uploader now');
  expect(marks.map(([from, to]) => text.slice(from, to))).toEqual(['retry', 'uploader']);
});

test('places stay right when control characters are dropped', () => {
  const { text, marks } = snippetOf('\u001b[31mred \u0001ret\u001b[0mry\u0002\n done');
  expect(text).toBe('red retry done');
  expect(marks).toEqual([[4, 9]]);
});

test('a snippet without marks', () => {
  expect(snippetOf('plain')).toEqual({ text: 'plain', marks: [] });
  expect(snippetOf('\u0001all\u0002')).toEqual({ text: 'all', marks: [[0, 3]] });
});
