import { expect, test } from 'vitest';
import type { Hunk } from './hunks';
import { SparseText } from './sparse-text';

/** A hunk from its lines, each with its mark. */
const hunk = (oldStart: number, ...lines: string[]): Hunk => ({
  oldStart, newStart: oldStart, heading: null, lines: lines.map((line) => ({ mark: line[0] as ' ' | '+' | '-', text: `${line.slice(1)}\n` })),
});
const told = (text: SparseText) => text.edits().map(({ at, removed, inserted }) => `${at} -${removed.map((line) => line.trim()).join('')} +${inserted.map((line) => line.trim()).join('')}`);

test('the hunks of a patch stand where they were before it, in whatever order they come', () => {
  const text = new SparseText();
  expect(text.apply([hunk(20, ' t', '-u', '+U', '+V'), hunk(3, '-c', '+C', '+D', ' e')])).toBe(true);
  expect(told(text)).toEqual(['2 -c +CD', '20 -u +UV']);
  // The next patch speaks of the file as it is now: one line more before the second place, two behind it.
  expect(text.apply([hunk(22, '-U', '+u', '-V')])).toBe(true);
  expect(text.apply([hunk(3, '-C', '-D', '+c')])).toBe(true);
  expect(told(text)).toEqual(['2 -c +c', '20 -u +u']);
});

test('a patch that does not fit changes nothing, and what it showed is forgotten', () => {
  const text = new SparseText();
  expect(text.apply([hunk(3, '-c', '+C')])).toBe(true);
  expect(text.apply([hunk(1, ' a', '-b'), hunk(3, '-x', '+y')])).toBe(false);
  expect(text.lineAt(0)).toBeUndefined();
  expect(told(text)).toEqual(['2 -c +C']);
});

test('hunks that overlap are no patch', () => {
  expect(new SparseText().apply([hunk(1, ' a', ' b', '-c'), hunk(2, '-b', '+B')])).toBe(false);
});

test('a patch of many hunks is one walk: each line is taken once', () => {
  const text = new SparseText();
  expect(text.apply(Array.from({ length: 1_900 }, (_, at) => hunk(at * 100 + 1, ...Array.from({ length: 28 }, (__, line) => `-old ${at} ${line}`), `+new ${at}`)))).toBe(true);
  expect(text.edits().length).toBe(1_900);
  expect(text.edits()[1_899]).toMatchObject({ at: 189_900, inserted: ['new 1899\n'] });
});
