import { expect, it } from 'vitest';
import { foundWords, piecesOf } from './snippet';

it('cuts a snippet at its marks', () => {
  expect(piecesOf('… add a \u0001retry\u0002 to <b>\u0001Upload\u0002er')).toEqual([
    { text: '… add a ', hit: false },
    { text: 'retry', hit: true },
    { text: ' to <b>', hit: false },
    { text: 'Upload', hit: true },
    { text: 'er', hit: false },
  ]);
});
it('bears marks that do not pair', () => {
  expect(piecesOf('\u0002a\u0001b')).toEqual([{ text: 'a', hit: false }, { text: 'b', hit: true }]);
  expect(piecesOf('')).toEqual([]);
});
it('collects the words found once each', () => {
  expect(foundWords('\u0001Retry\u0002 and \u0001retry\u0002 \u0001queue\u0002')).toEqual(['retry', 'queue']);
});
