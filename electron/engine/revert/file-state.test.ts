import { expect, test } from 'vitest';
import { absent, type Content, textContent, unknown } from '../diff/content';
import type { Hunk } from '../diff/hunks';
import type { DiskFile } from './disk-file';
import { type FileFacts, verdictOf, withLineEndsOf } from './file-state';

const text = textContent;
const onDisk = (content: string | null): DiskFile => (content === null ? { state: 'absent' } : { state: 'read', content: text(content), links: 1, sha256: '', bytes: content.length });
const facts = (before: Content, left: Content, now: string | null, more: Partial<FileFacts> = {}): FileFacts => ({
  before, left, now: onDisk(now), lines: null, had: () => false, atBegin: 'not there', missing: 'not recorded', ...more,
});
const told = (each: FileFacts) => {
  const { state, reason, result } = verdictOf(each);
  return [state, reason, result.state === 'text' ? result.text : result.state];
};

test('a file whose states are known', () => {
  expect(told(facts(text('a\n'), text('b\n'), 'b\n'))).toEqual(['restorable', null, 'a\n']);
  expect(told(facts(text('a\n'), text('b\n'), 'a\n'))).toEqual(['unchanged', null, 'a\n']);
  expect(told(facts(text('a\n'), text('b\n'), 'c\n'))).toEqual(['conflict', 'changed since', 'a\n']);
  expect(told(facts(text('a\n'), text('b\n'), null))).toEqual(['conflict', 'deleted since', 'a\n']);
  expect(told(facts(text('a\n'), text('b\n'), 'c\n', { had: () => true }))).toEqual(['restorable', null, 'a\n']);
  expect(told(facts(text('a\n'), absent, null))).toEqual(['recreated', null, 'a\n']);
  expect(told(facts(text('a\n'), absent, 'c\n'))).toEqual(['conflict', 'made again since', 'a\n']);
  expect(told(facts(text('a\n'), unknown, 'c\n'))).toEqual(['conflict', 'left unknown', 'a\n']);
});

test('a file the session made goes only when it is as the session left it and was not there when the session began', () => {
  expect(told(facts(absent, text('b\n'), 'b\n'))).toEqual(['deleted', null, 'absent']);
  expect(told(facts(absent, text('b\n'), null))).toEqual(['unchanged', null, 'absent']);
  expect(told(facts(absent, text('b\n'), 'c\n'))).toEqual(['conflict', 'changed since', 'absent']);
  expect(told(facts(absent, text('b\n'), 'b\n', { atBegin: 'there' }))).toEqual(['cannot', 'existed before', 'unknown']);
  expect(told(facts(absent, text('b\n'), 'b\n', { atBegin: 'unknown' }))).toEqual(['cannot', 'not recorded', 'unknown']);
});

test('where only lines are known, they are taken out of the file as it is', () => {
  const hunk: Hunk = { oldStart: 2, newStart: 2, heading: null, lines: [{ mark: '-', text: 'old\n' }, { mark: '+', text: 'new\n' }] };
  const placed = { lines: { hunks: [hunk], placed: true } };
  expect(told(facts(unknown, unknown, 'one\nnew\nthree\n', placed))).toEqual(['restorable', null, 'one\nold\nthree\n']);
  expect(told(facts(unknown, unknown, 'one\nold\nthree\n', placed))).toEqual(['unchanged', null, 'one\nold\nthree\n']);
  expect(told(facts(unknown, unknown, 'zero\none\nnew\n', placed))).toEqual(['conflict', 'changed since', 'zero\none\nold\n']);
  expect(told(facts(unknown, unknown, 'other\n', placed))).toEqual(['conflict', 'changed since', 'unknown']);
  expect(told(facts(unknown, unknown, null, placed))).toEqual(['conflict', 'deleted since', 'unknown']);
  expect(told(facts(unknown, unknown, 'zero\none\nnew\n', { lines: { hunks: [hunk], placed: false } }))).toEqual(['restorable', null, 'zero\none\nold\n']);
  expect(told(facts(unknown, unknown, 'new\nnew\n', { lines: { hunks: [hunk], placed: false } }))).toEqual(['conflict', 'changed since', 'unknown']);
  expect(told(facts(unknown, text('b\n'), 'b\n', { missing: 'backup gone' }))).toEqual(['cannot', 'backup gone', 'unknown']);
});

test('what may not be looked at, or is too large, is refused', () => {
  expect(told({ ...facts(text('a\n'), text('b\n'), null), now: { state: 'refused', reason: 'link' } })).toEqual(['cannot', 'link', 'unknown']);
  expect(told(facts({ state: 'too large', bytes: 20_000_000, id: 'x' }, text('b\n'), 'b\n'))).toEqual(['cannot', 'too large', 'unknown']);
});

test('a record that lost the line ends of a file gets those it has', () => {
  expect(withLineEndsOf(text('a\nb\n'), text('x\r\n'))).toEqual(text('a\r\nb\r\n'));
  expect(withLineEndsOf(text('a\nb\n'), text('x\n'))).toEqual(text('a\nb\n'));
});
