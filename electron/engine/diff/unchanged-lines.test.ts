import { afterEach, expect, test } from 'vitest';
import { textContent, unknown } from './content';
import { DiffHome } from './diff-home.test-support';
import { lineCountOf, lineWindow, wholeBefore } from './unchanged-lines';

const open: DiffHome[] = [];
afterEach(() => open.splice(0).forEach((each) => each.dispose()));

async function home(...of: Parameters<typeof DiffHome.open>): Promise<DiffHome> {
  const opened = await DiffHome.open(...of);
  open.push(opened);
  return opened;
}

test('a window of lines, with or without an end at the end', () => {
  expect(['', 'a', 'a\n', 'a\n\nb'].map(lineCountOf)).toEqual([0, 1, 1, 3]);
  expect(lineWindow('one\ntwo\r\n\nfour', 2, 2)).toEqual({ state: 'known', from: 2, lines: ['two\r', ''], cut: 0 });
  expect(lineWindow('one\ntwo\r\n\nfour', 4, 9)).toEqual({ state: 'known', from: 4, lines: ['four'], cut: 0 });
  expect(lineWindow('one\n', 2, 9)).toEqual({ state: 'known', from: 2, lines: [], cut: 0 });
});

test('an answer is bounded in characters: it ends before a line that is too much, and cuts one that stands first', () => {
  const text = `a\n${'x'.repeat(999_999)}\n${'y'.repeat(3_000_000)}\nz\n`;
  const told = (from: number) => {
    const answer = lineWindow(text, from, 5_000);
    return answer.state === 'known' ? { lines: answer.lines.map(({ length }) => length), cut: answer.cut } : null;
  };
  expect(told(1)).toEqual({ lines: [1, 999_999], cut: 0 });
  expect(told(3)).toEqual({ lines: [1_000_000], cut: 2_000_000 });
  expect(told(4)).toEqual({ lines: [1], cut: 0 });
});

test('only a change that leads from one whole text to another has lines around it', () => {
  const net = { kind: 'edit' as const, added: 1, removed: 0, hunks: [], mode: null, gap: null, before: textContent('a\n'), after: textContent('b\n') };
  expect(wholeBefore(net)).toBe('a\n');
  expect(wholeBefore({ ...net, before: unknown })).toBeNull();
  expect(wholeBefore({ ...net, gap: 'The changes of this file are shown one after the other.' })).toBeNull();
});

test('OpenCode: lines between the hunks of a file come from its snapshot', async () => {
  const opened = await home('opencode', 'v118-main', 'opencode');
  const session = opened.session('ses_e1c685695');
  const { file, wholeLines, hunks } = await opened.diff(session, '/home/dev/projects/notes-api/src/server.js');
  expect({ wholeLines, hunks: hunks?.map(({ oldStart, oldLines }) => [oldStart, oldLines]) }).toEqual({ wholeLines: 13, hunks: [[1, 9]] });
  const lines = (path: string, from: number) => opened.diffs.lines({ session, scope: { kind: 'session' }, path, from, count: 3 });
  expect(await lines(file.path, 1)).toEqual({ state: 'known', from: 1, lines: ["import http from 'node:http';", "import { list, add } from './store.js';", ''], cut: 0 });
  expect(await lines('/none', 1)).toBeNull();
});

test('Codex: where only hunks are recorded that is said', async () => {
  const opened = await home('codex', 'exec-patch-plan', 'codex');
  const session = opened.session('01a22802-7c44');
  const path = '/home/dev/projects/tidepool/src/tides.js';
  expect((await opened.diff(session, path)).wholeLines).toBeNull();
  expect(await opened.diffs.lines({ session, scope: { kind: 'session' }, path, from: 1, count: 3 })).toEqual({ state: 'not recorded' });
});
