import type { ChangePlace } from '@shared/model';
import { asMessageId, asPartId } from '@shared/model';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ChangeStep } from './change-step';
import { absent, textContent, unknown } from './content';
import { DiffHome } from './diff-home.test-support';
import { LineWriters } from './line-writers';
import { parsePatch } from './patch-text';

const placeAt = (turn: number): ChangePlace => ({ part: asPartId(`s/x#${turn}`), message: asMessageId(`s/x#m${turn}`), turn, current: true });
const step = (turn: number, more: Partial<ChangeStep> = {}): ChangeStep => ({
  path: 'a.txt', oldPath: null, kind: 'edit', before: unknown, after: unknown, hunks: null, placed: true, added: null, removed: null, mode: null,
  source: 'tool result', certainty: 'recorded', evidence: null, gap: null, place: placeAt(turn), ...more,
});
const text = (...lines: string[]) => textContent(lines.map((line) => `${line}\n`).join(''));
const hunksOf = (patch: string) => parsePatch(`--- a.txt\n+++ a.txt\n${patch}`).files[0]?.hunks ?? [];
/** One letter a line: the turn that wrote it, `-` for unchanged, `o` for outside, `?`. */
const told = (writers: LineWriters, side: 'old' | 'new', lines: number) =>
  Array.from({ length: lines }, (_, at) => {
    const writer = writers.of(side, at + 1);
    return writer.state === 'written' ? String(writer.place.turn) : writer.state === 'outside' ? 'o' : writer.state === 'unchanged' ? '-' : '?';
  }).join('');

describe('a file of which the contents are known', () => {
  test('each line is told by the last change that wrote it, and each lost line by the one that took it away', () => {
    const writers = new LineWriters();
    const states = [text('one', 'two', 'three', 'four'), text('one', 'TWO', 'three', 'four', 'five'), text('zero', 'one', 'TWO', 'five')] as const;
    writers.wrote(states[0], states[1], step(1));
    writers.wrote(states[1], states[2], step(2));
    expect(told(writers, 'new', 4)).toBe('2-11');
    expect(told(writers, 'old', 4)).toBe('-122');
  });

  test('what others changed is theirs', () => {
    const writers = new LineWriters();
    writers.wrote(text('a', 'b'), text('a', 'B'), step(1));
    writers.changedOutside(text('a', 'B'), text('A', 'B', 'c'), placeAt(2));
    writers.wrote(text('A', 'B', 'c'), text('A', 'B', 'c', 'd'), step(3));
    expect(told(writers, 'new', 4)).toBe('o1o3');
    expect(told(writers, 'old', 2)).toBe('o1');
  });

  test('a file that was made is all its own, and made anew after it was deleted, too', () => {
    const writers = new LineWriters();
    writers.wrote(absent, text('a', 'b'), step(1, { kind: 'create' }));
    expect(told(writers, 'new', 2)).toBe('11');
    writers.wrote(text('a', 'b'), absent, step(2, { kind: 'delete' }));
    writers.wrote(absent, text('c'), step(3, { kind: 'create' }));
    expect(told(writers, 'new', 2)).toBe('3-');
  });
});

describe('a difference of equal lines', () => {
  /** The change put `} x` before the brace; the difference may as well show `x }` behind it. */
  const made = () => {
    const writers = new LineWriters();
    writers.wrote(unknown, unknown, step(1, { hunks: hunksOf('@@ -1,3 +1,5 @@\n a\n+}\n+x\n }\n b\n') }));
    return writers;
  };

  test('what it shows as added was added', () => {
    const hunks = hunksOf('@@ -1,3 +1,5 @@\n a\n }\n+x\n+}\n b\n');
    expect(Array.from({ length: 5 }, (_, at) => made().of('new', at + 1, hunks).state)).toEqual(['unchanged', 'written', 'written', 'written', 'unchanged']);
    expect(made().of('new', 4).state).toBe('unchanged');
  });

  test('what it shows as removed was removed', () => {
    const writers = new LineWriters();
    writers.wrote(unknown, unknown, step(1, { hunks: hunksOf('@@ -1,5 +1,3 @@\n a\n-}\n-x\n }\n b\n') }));
    const hunks = hunksOf('@@ -1,5 +1,3 @@\n a\n }\n-x\n-}\n b\n');
    expect([3, 4].map((line) => writers.of('old', line, hunks).state)).toEqual(['written', 'written']);
    expect(writers.of('old', 5, hunks).state).toBe('unchanged');
  });
});

describe('a file of which only hunks are known', () => {
  test('hunks say which lines they wrote, and move those below', () => {
    const writers = new LineWriters();
    writers.wrote(unknown, unknown, step(1, { hunks: hunksOf('@@ -10,2 +10,3 @@\n ten\n+ten and a half\n eleven\n') }));
    writers.wrote(unknown, unknown, step(2, { hunks: hunksOf('@@ -1,2 +1,2 @@\n-one\n+ONE\n two\n') }));
    expect(told(writers, 'new', 13)).toBe('2---------1--');
    expect(told(writers, 'old', 3)).toBe('2--');
  });

  test('a change without its place makes all lines unknown; one after it is known again', () => {
    const writers = new LineWriters();
    writers.wrote(unknown, unknown, step(1, { hunks: hunksOf('@@ -1 +1 @@\n-a\n+b\n') }));
    writers.wrote(unknown, unknown, step(2, { placed: false, hunks: hunksOf('@@ -1 +1 @@\n-x\n+y\n') }));
    expect([told(writers, 'new', 2), told(writers, 'old', 2)]).toEqual(['??', '??']);
    writers.wrote(unknown, unknown, step(3, { hunks: hunksOf('@@ -2 +2 @@\n-a\n+b\n') }));
    expect(told(writers, 'new', 3)).toBe('?3?');
  });

  test('a file written over whole is all of that change', () => {
    const writers = new LineWriters();
    writers.wrote(unknown, text('a', 'b'), step(4));
    expect(told(writers, 'new', 2)).toBe('44');
    expect(told(writers, 'old', 1)).toBe('?');
  });
});

describe('sessions of real programs', () => {
  let opencode: DiffHome;
  let claude: DiffHome;
  beforeAll(async () => {
    opencode = await DiffHome.open('opencode', 'v118-main', 'opencode');
    claude = await DiffHome.open('claude-code', 'rewind', 'claude-code');
  });
  afterAll(() => {
    opencode.dispose();
    claude.dispose();
  });

  test('two edits of one file in one turn are told apart', async () => {
    const session = opencode.session('ses_e1c685695ffext9gqa0c8sgW3P');
    const [file] = await opencode.files(session);
    const of = (side: 'old' | 'new', line: number) => opencode.diffs.writer({ session, scope: { kind: 'session' }, path: file?.path ?? '', side, line });
    const [places, imported, route, before] = [file?.places ?? [], await of('new', 2), await of('new', 9), await of('new', 1)];
    // The difference shows the first of two equal lines as added.
    expect(await of('new', 7)).toEqual({ state: 'written', place: places[0] });
    expect(file?.relative).toBe('src/server.js');
    expect(places).toHaveLength(2);
    expect(route).toEqual({ state: 'written', place: places[0] });
    expect(imported).toEqual({ state: 'written', place: places[1] });
    expect(await of('old', 2)).toEqual({ state: 'written', place: places[1] });
    expect(before).toEqual({ state: 'unchanged' });
  });

  test('the turn of a part is that of its change', async () => {
    const session = claude.session('668bfb69');
    const [file] = await claude.files(session);
    const [place] = file?.places ?? [];
    expect(claude.diffs.turn({ session, part: place?.part ?? '' })?.turn).toBe(place?.turn);
    expect(claude.diffs.turn({ session, part: 'claude-code/none#x' })).toBeNull();
    expect(await claude.diffs.writer({ session, scope: { kind: 'session' }, path: '/nowhere', side: 'new', line: 1 })).toBeNull();
  });
});
