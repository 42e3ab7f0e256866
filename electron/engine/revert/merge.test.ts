import { expect, test } from 'vitest';
import { absent, textContent } from '../diff/content';
import { mergeBack } from './merge';

const [before, left] = [textContent('one\ntwo\nthree\nfour\nfive\n'), textContent('one\nTWO\nthree\nfour\nfive\n')];

test('lines that a person added elsewhere stay, and the change of the session goes', () => {
  expect(mergeBack(before, left, textContent('one\nTWO\nthree\nfour\nfive\nsix\n'))).toEqual({
    disputed: 0, pieces: [{ kind: 'settled', lines: ['one\n', 'two\n', 'three\n', 'four\n', 'five\n', 'six\n'] }],
  });
});

test('a line that both changed is disputed, with its three versions', () => {
  expect(mergeBack(before, left, textContent('one\nTwo, mine\nthree\nfour\nfive\n'))).toEqual({
    disputed: 1,
    pieces: [{ kind: 'settled', lines: ['one\n'] }, { kind: 'disputed', now: ['Two, mine\n'], left: ['TWO\n'], before: ['two\n'] }, { kind: 'settled', lines: ['three\n', 'four\n', 'five\n'] }],
  });
});

test('without three texts, or with one that is too long, nothing is merged', () => {
  expect(mergeBack(absent, left, before)).toBeNull();
  expect(mergeBack(before, left, textContent('x\n'.repeat(8_001)))).toBeNull();
});
