import { execFileSync } from 'node:child_process';
import { asMessageId, asPartId, type ChangePlace } from '@shared/model';
import * as fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import { Composition } from './composition';
import { absent, type Content, linesOf, textContent, unknown } from './content';
import type { ChangeStep } from './change-step';
import { ApplyFolder } from './git-apply.test-support';
import { drawnHunk } from './hunks';
import { hunksOf, lineEdits } from './line-diff';
import { writePatch } from './patch-writer';

const place: ChangePlace = { part: asPartId('s/1#p'), message: asMessageId('s/1#m'), turn: 1, current: true };
const step = (change: Partial<ChangeStep>): ChangeStep => ({
  path: 'a', oldPath: null, kind: 'edit', before: unknown, after: unknown, hunks: null, placed: true, added: null, removed: null, mode: null, source: 'tool result', certainty: 'recorded',
  evidence: null, gap: null, place, ...change,
});
const hunksBetween = (before: string, after: string) => {
  const old = linesOf(before);
  return hunksOf(lineEdits(old, linesOf(after)), (index) => old[index]);
};
/** A change of which only the hunks are known. */
const patched = (before: string, after: string, change: Partial<ChangeStep> = {}): ChangeStep => step({ hunks: hunksBetween(before, after), ...change });
const text = (value: string | null): Content => (value === null ? absent : textContent(value));
const whole = (before: string | null, after: string | null, change: Partial<ChangeStep> = {}): ChangeStep =>
  step({ before: text(before), after: text(after), kind: before === null ? 'create' : after === null ? 'delete' : 'edit', ...change });

function net(...steps: ChangeStep[]) {
  const composition = new Composition('/p');
  for (const each of steps) composition.apply(each);
  return composition.files().map(({ track, oldPath, net: { kind, added, removed, gap } }) => ({ path: track.path, oldPath, kind, added, removed, gap, certainty: track.trust().certainty, outside: track.outside.length }));
}
const plain = { oldPath: null, gap: null, certainty: 'recorded', outside: 0 };

const folders: ApplyFolder[] = [];
const applyFolder = (files: Record<string, string>) => {
  const folder = new ApplyFolder(files);
  folders.push(folder);
  return folder;
};
afterEach(() => folders.splice(0).forEach((folder) => folder.dispose()));

test('a change and its opposite leave nothing, whether contents or only hunks are recorded', () => {
  expect(net(whole('a\n', 'b\n'), whole('b\n', 'a\n'))).toEqual([]);
  expect(net(patched('1\n2\n3\n4\n5\n', '1\n2\nx\n4\n5\n'), patched('1\n2\nx\n4\n5\n', '1\n2\n3\n4\n5\n'))).toEqual([]);
  expect(net(whole(null, 'a\n'), whole('a\n', null))).toEqual([]);
  expect(net(whole('a\n', null), whole(null, 'a\n'))).toEqual([]);
});

test('a file that was made and changed is made; one that was changed and deleted is deleted', () => {
  expect(net(whole(null, 'a\n'), patched('a\n', 'a\nb\n'))).toEqual([{ path: 'a', kind: 'create', added: 2, removed: 0, ...plain }]);
  expect(net(patched('a\n', 'a\nb\n'), step({ kind: 'delete', before: text('a\nb\n'), after: absent }))).toEqual([{ path: 'a', kind: 'delete', added: 0, removed: 1, ...plain }]);
  expect(net(whole('x\n', null), whole(null, 'y\n'))).toEqual([{ path: 'a', kind: 'edit', added: 1, removed: 1, ...plain }]);
});

test('renames follow each other; back again is nothing; a name that was taken is written over', () => {
  const move = (from: string, to: string) => step({ kind: 'rename', oldPath: from, path: to, hunks: [] });
  expect(net(patched('a\n', 'b\n', { path: 'one' }), move('one', 'two'), move('two', 'three'))).toEqual([{ ...plain, path: 'three', oldPath: 'one', kind: 'rename', added: 1, removed: 1 }]);
  expect(net(move('one', 'two'), move('two', 'one'))).toEqual([]);
  expect(net(whole(null, 'a\n', { path: 'one' }), move('one', 'two'))).toEqual([{ ...plain, path: 'two', kind: 'create', added: 1, removed: 0 }]);
  expect(net(whole('t\n', 'u\n', { path: 'two' }), whole('a\n', 'b\n', { path: 'one' }), move('one', 'two'))).toMatchObject([{ path: 'one', kind: 'delete', added: 0, removed: 1 }, { path: 'two', kind: 'edit' }]);
});

test('hunks far apart are composed without the file: places move with what was put in before', () => {
  const zero = Array.from({ length: 200 }, (_, i) => `line ${i}\n`).join('');
  const one = zero.replace('line 20\n', 'line 20\nnew\nnew\n');
  const two = one.replace('line 150\n', 'other 150\n');
  const three = two.replace('new\nnew\n', 'newer\n');
  expect(net(patched(zero, one), patched(one, two), patched(two, three))).toEqual([{ path: 'a', kind: 'edit', added: 2, removed: 1, ...plain }]);
});

test('a content seen later tells the one before; one that does not fit was changed by others', () => {
  const composition = new Composition('/p');
  composition.apply(patched('1\n2\n3\n4\n5\n6\n7\n8\n9\n', '1\n2\n3\n4\nx\n6\n7\n8\n9\n'));
  composition.see('a', { content: text('1\n2\n3\n4\nx\n6\n7\n8\n9\n'), source: 'checkpoint', place, evidence: '', settles: false });
  expect(composition.files()[0]?.net).toMatchObject({ before: { text: '1\n2\n3\n4\n5\n6\n7\n8\n9\n' }, added: 1, removed: 1, gap: null });
  expect(composition.track('/p/a')?.outside).toEqual([]);
  expect(net(whole('a\n', 'b\n'), whole('b\nperson\n', 'c\nperson\n'))).toMatchObject([{ added: 2, removed: 1, certainty: 'inferred', outside: 1 }]);
  expect(net(patched('1\n2\n3\n', '1\nx\n3\n'), patched('1\ny\n3\n', '1\nz\n3\n'))).toMatchObject([{ certainty: 'unknown', outside: 1, gap: 'The changes of this file are shown one after the other: what lies between them is not known.' }]);
});

test('going back to an earlier state is told as that', () => {
  const composition = new Composition('/p');
  composition.apply(whole('a\n', 'b\n'));
  composition.see('a', { content: text('a\n'), source: 'checkpoint', place, evidence: 'x', settles: false });
  expect(composition.files()).toEqual([]);
  expect(composition.track('a')?.outside).toMatchObject([{ restored: true, added: 1, removed: 1 }]);
  expect(composition.track('a')?.trust().certainty).toBe('recorded');
});

test('certainty is never better than the worst step, until the whole file is seen', () => {
  const asked = patched('a\n', 'b\n', { source: 'tool input', certainty: 'inferred', placed: false, evidence: 'asked' });
  expect(net(whole('0\n', 'a\n'), asked)).toMatchObject([{ certainty: 'inferred', added: 1, removed: 1 }]);
  const composition = new Composition(null);
  composition.see('a', { content: text('a\n'), source: 'commit', place, evidence: '', settles: false });
  composition.apply(asked);
  composition.see('a', { content: text('b\n'), source: 'commit', place, evidence: '', settles: true });
  expect(composition.track('a')?.trust()).toEqual({ certainty: 'recorded', evidence: [], gaps: [] });
});

test('binary, mode, line ends', () => {
  const binary = (id: string): Content => ({ state: 'binary', bytes: 3, id });
  expect(net(step({ before: binary('1'), after: binary('2') }))).toMatchObject([{ kind: 'binary', added: null, removed: null }]);
  expect(net(step({ kind: 'mode', before: text('a\n'), after: text('a\n'), mode: { before: '100644', after: '100755' } }))).toMatchObject([{ kind: 'mode', added: 0, removed: 0 }]);
  // Agents record texts without their CR: that is no change by others.
  expect(net(whole('a\r\n', 'b\r\n'), whole('b\n', 'c\n'))).toMatchObject([{ outside: 0, certainty: 'recorded' }]);
});

const line = fc.constantFrom('a', 'b', 'c', '', ' indented', '+plus', '-minus', '--- x', '\\ no', '@@ -1 +1 @@', 'ü', 'tab\there', 'cr\r');
const file = fc.tuple(fc.array(line, { maxLength: 30 }), fc.boolean()).map(([lines, ends]) => lines.join('\n') + (ends && lines.length > 0 ? '\n' : ''));

test('property: the net difference of any chain of edits leads from the first state to the last, by the real git apply', { timeout: 120_000 }, () => {
  fc.assert(
    fc.property(fc.array(fc.option(file, { nil: null }), { minLength: 2, maxLength: 6 }), (states) => {
      const composition = new Composition(null);
      states.slice(1).forEach((after, index) => {
        const before = states[index] as string | null;
        if (before !== null || after !== null) composition.apply(whole(before, after));
      });
      const [first, last] = [states[0] as string | null, states.at(-1) as string | null];
      const [composed] = composition.files();
      const folder = applyFolder(first === null ? {} : { a: first });
      if (!composed) expect(first ?? '').toBe(last ?? '');
      else {
        const { kind, hunks, mode } = composed.net;
        folder.apply(writePatch({ path: 'a', oldPath: null, kind, mode, hunks: (hunks ?? []).map(drawnHunk) }));
        expect(folder.read('a')).toBe(last);
      }
    }),
    { numRuns: 60, seed: 7 },
  );
});

test('property: hunks alone, composed without the file, come to the same as the files', () => {
  fc.assert(
    fc.property(fc.array(file.map((each) => `head\n${each.endsWith('\n') || each === '' ? each : `${each}\n`}tail\n`), { minLength: 2, maxLength: 6 }), (states) => {
      const composition = new Composition(null);
      states.slice(1).forEach((after, index) => composition.apply(patched(states[index] as string, after)));
      const [composed] = composition.files();
      const [first, last] = [states[0] as string, states.at(-1) as string];
      if (!composed) return void expect(first).toBe(last);
      expect(composed.net.gap).toBeNull();
      expect(composed.track.outside).toEqual([]);
      const lines = linesOf(first);
      const rebuilt: string[] = [];
      let at = 0;
      for (const { oldStart, lines: own } of composed.net.hunks ?? []) {
        const start = own.some(({ mark }) => mark !== '+') ? oldStart - 1 : oldStart;
        rebuilt.push(...lines.slice(at, start));
        at = start;
        for (const { mark, text: value } of own) {
          if (mark !== '-') rebuilt.push(value);
          if (mark !== '+') expect(lines[at++]).toBe(value);
        }
      }
      expect([...rebuilt, ...lines.slice(at)].join('')).toBe(last);
    }),
    { numRuns: 400, seed: 11 },
  );
});

test('the counts are those git has', () => {
  const random = fc.sample(fc.tuple(file, file), { numRuns: 40, seed: 3 });
  const folder = applyFolder({});
  for (const [before, after] of random) {
    folder.write('x', before);
    folder.write('y', after);
    const told = gitNumbers(folder.folder);
    const edits = lineEdits(linesOf(before), linesOf(after));
    expect({ added: edits.reduce((sum, { inserted }) => sum + inserted.length, 0), removed: edits.reduce((sum, { removed }) => sum + removed.length, 0) }).toEqual(told);
  }
});

function gitNumbers(folder: string): { added: number; removed: number } {
  let out = '';
  try {
    execFileSync('git', ['diff', '--no-index', '--minimal', '--numstat', 'x', 'y'], { cwd: folder });
  } catch (error) {
    out = String((error as { stdout: Buffer }).stdout);
  }
  const [added = 0, removed = 0] = out.split('\t').map(Number);
  return { added, removed };
}
