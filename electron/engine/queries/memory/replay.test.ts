import { expect, test } from 'vitest';
import type { TextStep } from '../../stores/store';
import { linesOf, whoWrote, type WritingCall } from './replay';

const did = (before: string | null, ...steps: TextStep[]): WritingCall => ({ change: { before, steps }, done: true });
const wrote = (whole: string, before: string | null = null) => did(before, { whole });
const edited = (old: string, put: string, before: string | null = null, everywhere = false) => did(before, { old, put, everywhere });
const told = (text: string, ...calls: WritingCall[]) => whoWrote(text, calls).map(({ from, to, writer, certainty }) => [from, to, writer, certainty]);

test('a line belongs to the call that put it in or changed it last', () => {
  expect(told('a\nB\nc\nd\n', wrote('a\nb\nc\n'), edited('b', 'B'), edited('c\n', 'c\nd\n'))).toEqual([[1, 1, 0, 'recorded'], [2, 2, 1, 'recorded'], [3, 3, 0, 'recorded'], [4, 4, 2, 'recorded']]);
});

test('a whole text that is written again keeps the writers of lines that stayed', () => {
  expect(told('a\nb\nc\n', wrote('a\nc\n'), wrote('a\nb\nc\n'))).toEqual([[1, 1, 0, 'recorded'], [2, 2, 1, 'recorded'], [3, 3, 0, 'recorded']]);
});

test('what was there before the first call, and what came after the last, is nobody’s', () => {
  expect(told('old\nnew\nhand\n', edited('old\n', 'old\nnew\n', 'old\n'))).toEqual([[1, 1, null, null], [2, 2, 0, 'recorded'], [3, 3, null, null]]);
});

test('what the plugin made the file with is the plugin’s as long as no call wrote it anew', () => {
  const headed = (text: string, ...calls: WritingCall[]) => whoWrote(text, calls, '# Notes\n---\n').map(({ from, to, writer, certainty }) => [from, to, writer, certainty]);
  expect(headed('# Notes\n---\n')).toEqual([[1, 2, 'scaffold', 'inferred']]);
  expect(headed('# Notes\n---\na\n', edited('---', '---\na'))).toEqual([[1, 2, 'scaffold', 'inferred'], [3, 3, 0, 'recorded']]);
  expect(headed('# Notes\n---\na\nhand\n', wrote('# Notes\n---\na\n'))).toEqual([[1, 2, 'scaffold', 'inferred'], [3, 3, 0, 'recorded'], [4, 4, null, null]]);
  expect(headed('# Notes\n---\na\n', wrote('# Notes\n---\na\n', ''))).toEqual([[1, 3, 0, 'recorded']]);
});

test('the recorded text before a call corrects what is known: a change between two calls is nobody’s', () => {
  expect(told('a\nby hand\nb\n', wrote('a\n'), edited('by hand\n', 'by hand\nb\n', 'a\nby hand\n'))).toEqual([[1, 1, 0, 'recorded'], [2, 2, null, null], [3, 3, 1, 'recorded']]);
});

test('a line that going back brought back is its writer’s again, inferred', () => {
  expect(told('a\nb\n', wrote('a\nb\n'), edited('b', 'c'))).toEqual([[1, 1, 0, 'recorded'], [2, 2, 0, 'inferred']]);
});

test('a call that cannot be done again, or of which no result is known, writes the lines that it holds, inferred', () => {
  expect(told('x\nmine\n', edited('nowhere', 'mine'))).toEqual([[1, 1, null, null], [2, 2, 0, 'inferred']]);
  expect(told('x\nmine\n', { ...wrote('mine\n'), done: false })).toEqual([[1, 1, null, null], [2, 2, 0, 'inferred']]);
  expect(told('x\n', { change: null, done: true })).toEqual([[1, 1, null, null]]);
});

test('every place is changed when the edit says so, else the first; words like $& are words', () => {
  expect(told('a$&\na$&\n', wrote('b\nb\n'), edited('b', 'a$&', null, true))).toEqual([[1, 2, 1, 'recorded']]);
  expect(told('a\nb\n', wrote('b\nb\n'), edited('b', 'a'))).toEqual([[1, 1, 1, 'recorded'], [2, 2, 0, 'recorded']]);
});

test('blank lines go with the line before, and line ends of Windows are line ends', () => {
  expect(told('a\r\n\r\nb\r\n', wrote('a\n'), edited('a\n', 'a\n\nb\n'))).toEqual([[1, 2, 0, 'recorded'], [3, 3, 1, 'recorded']]);
  expect(linesOf('a\r\nb')).toEqual(['a', 'b']);
  expect(linesOf('')).toEqual([]);
  expect(told('')).toEqual([]);
});

test('two texts with nothing in common are told in bounded time', () => {
  const many = (word: string) => Array.from({ length: 20_000 }, (_, at) => `${word} ${at}`).join('\n');
  expect(told(many('new'), wrote(many('old')), wrote(many('new')))).toEqual([[1, 20_000, 1, 'recorded']]);
});
