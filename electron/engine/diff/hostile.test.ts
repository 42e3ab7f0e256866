import { asMessageId, asPartId, type ChangePlace } from '@shared/model';
import { afterEach, expect, test } from 'vitest';
import { Composition } from './composition';
import { absent, bytesContent, linesOf, textContent, unknown } from './content';
import type { ChangeStep } from './change-step';
import { ApplyFolder } from './git-apply.test-support';
import { countOf, drawnHunk } from './hunks';
import { hunksOf, lineEdits } from './line-diff';
import { parsePatch } from './patch-text';
import { isSafePath, writePatch } from './patch-writer';
import { keyOf, relativeTo } from './paths';
import { stepsOf } from './recorded-steps';

const place: ChangePlace = { part: asPartId('s/1#p'), message: asMessageId('s/1#m'), turn: 1, current: true };
const whole = (path: string, before: string | null, after: string | null): ChangeStep => ({
  path, oldPath: null, kind: before === null ? 'create' : 'edit', before: before === null ? absent : textContent(before), after: after === null ? absent : textContent(after), hunks: null, placed: true,
  added: null, removed: null, mode: null, source: 'tool result', certainty: 'recorded', evidence: null, gap: null, place,
});

const folders: ApplyFolder[] = [];
afterEach(() => folders.splice(0).forEach((folder) => folder.dispose()));

/** Writes the change, has git apply it, and gives what came of it. */
function applied(path: string, before: string, after: string): string | null {
  const folder = new ApplyFolder({ [path]: before });
  folders.push(folder);
  const old = linesOf(before);
  const hunks = hunksOf(lineEdits(old, linesOf(after)), (index) => old[index]).map(drawnHunk);
  folder.apply(writePatch({ path, oldPath: null, kind: 'edit', mode: null, hunks }));
  return folder.read(path);
}

test.each([
  ['line ends', 'a.txt', 'one\r\ntwo\r\nthree\n', 'one\r\nTWO\r\nthree\n'],
  ['no line end at the end', 'a.txt', 'one\ntwo', 'one\nthree'],
  ['a line end that is added', 'a.txt', 'one', 'one\n'],
  ['control characters and overrides in the text', 'a.txt', 'a\n', 'a\u001b[31m\u202e\u0007\n'],
  ['lines that look like a patch', 'a.txt', '--- a\n+++ b\n@@ -1 +1 @@\n', '--- a\n+++ c\n@@ -1 +1 @@\ndiff --git a/x b/x\n'],
  ['blanks in the name', 'a b/c d.txt', 'a\n', 'b\n'],
  ['a tab, quotes and an override in the name', 'q"t\tx\u202ey.txt', 'a\n', 'b\n'],
  ['letters beyond ASCII in the name', 'ä/日本.txt', 'a\n', 'b\n'],
])('git apply takes it: %s', (_what, path, before, after) => {
  expect(applied(path, before, after)).toBe(after);
});

test('paths out of the folder or into .git are told, and are never in a patch that applies', () => {
  expect(relativeTo('/p/../etc/passwd', '/p')).toBeNull();
  expect(relativeTo('/p/a/../b', '/p')).toBe('b');
  expect(relativeTo('../x', '/p')).toBeNull();
  expect(relativeTo('/pp/x', '/p')).toBeNull();
  expect(keyOf('a/./b//c', '/proj')).toBe('/proj/a/b/c');
  expect(relativeTo('/p/.git/hooks/x', '/p')).toBe('.git/hooks/x');
  expect(isSafePath('.git/hooks/x')).toBe(false);
  // Names of JavaScript's own are files like others.
  const composition = new Composition('/p');
  for (const name of ['__proto__', 'constructor', 'toString']) composition.apply(whole(name, null, 'a\n'));
  expect(composition.files().map(({ track }) => track.path)).toEqual(['__proto__', 'constructor', 'toString']);
});

test('NUL and bytes that are no text are binary; a BOM stays', () => {
  expect(bytesContent(Buffer.from([65, 0, 66]), 'x')).toEqual({ state: 'binary', bytes: 3, id: 'x' });
  expect(bytesContent(Buffer.from([0xff, 0xfe, 65]), 'x')).toMatchObject({ state: 'binary' });
  expect(bytesContent(Buffer.from('\ufeffa'), 'x')).toEqual({ state: 'text', text: '\ufeffa' });
});

test('one line of 5 MB: two lines differ, and nothing is cut', () => {
  const line = `{"a":"${'x'.repeat(5_000_000)}"}`;
  const edits = lineEdits(linesOf(line), linesOf(line.replace('"a"', '"b"')));
  expect(edits.map(({ removed, inserted }) => [removed.length, inserted.length])).toEqual([[1, 1]]);
});

test('100,000 lines: a few changes are found one by one; all other lines are compared in one go and still lead to the new text', () => {
  const old = Array.from({ length: 100_000 }, (_, i) => `line ${i}\n`);
  const few = old.map((line, i) => (i % 10_000 === 5_000 ? `changed ${i}\n` : line));
  expect(lineEdits(old, few)).toHaveLength(10);
  const other = old.map((line, i) => (i % 2 === 0 ? `other ${i}\n` : line));
  const edits = lineEdits(old, other);
  expect(countOf(hunksOf(edits, (i) => old[i]))).toEqual({ added: 50_000, removed: 50_000 });
  const foreign = old.map((_, i) => `z${(i * 7919) % 100_003}\n`);
  // Nothing in common: one block, not a search of 10¹⁰ steps.
  expect(lineEdits(old, foreign).map(({ removed, inserted }) => [removed.length, inserted.length])).toEqual([[100_000, 100_000]]);
});

test('2,000 files in a turn, 20,000 at most, and the rest counted', () => {
  const composition = new Composition('/p');
  for (let i = 0; i < 20_100; i++) composition.apply(whole(`f${i}`, null, 'a\n'));
  expect(composition.files()).toHaveLength(20_000);
  expect(composition.leftOut).toBe(100);
});

test('contents over the limit are let go: files are then told by their hunks', () => {
  const composition = new Composition('/p');
  const big = `${'x'.repeat(99)}\n`.repeat(120_000);
  for (let i = 0; i < 20; i++) composition.apply(whole(`f${i}`, null, `${i}\n${big}`));
  expect(composition.files().length).toBeLessThanOrEqual(20);
  expect(composition.track('f19')?.trust().gaps).toEqual(['The files of this scope are too large to be held; this one is told by its hunks.']);
});

test('10,000 small changes of one file whose content is not known stay bounded', () => {
  const composition = new Composition('/p');
  for (let i = 0; i < 10_000; i++) {
    const [file] = parsePatch(`--- a\n+++ a\n@@ -${i * 10 + 1} +${i * 10 + 1} @@\n-old ${i}\n+new ${i}\n`).files;
    composition.apply({ ...whole('a', 'x', 'y'), kind: 'edit', before: unknown, after: unknown, hunks: file?.hunks ?? [] });
  }
  const [composed] = composition.files();
  expect(composed?.net).toMatchObject({ added: 10_000, removed: 10_000 });
});

test('a patch in the input of any tool is read; what is none is not', () => {
  const tool = { target: null, output: null, exitCode: null, durationMs: null, edits: [], todos: [], images: [], child: null, note: null };
  const input = JSON.stringify({ patchText: '*** Begin Patch\n*** Update File: ../../etc/passwd\n@@\n-a\n+b\n*** End Patch' });
  expect(stepsOf({ ...tool, input }, true, place)).toMatchObject([{ path: '../../etc/passwd', kind: 'edit', certainty: 'inferred', source: 'tool input', placed: false }]);
  expect(stepsOf({ ...tool, input }, false, place)).toEqual([]);
  expect(stepsOf({ ...tool, input: 'hello' }, true, place)).toEqual([]);
});
