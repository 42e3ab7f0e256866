import { describe, expect, test } from 'vitest';
import type { JsonObject, Settled, Spine, SpineRecord } from '../../store';
import { settle } from './index';

type Given = Partial<Omit<SpineRecord, 'index' | 'parent'>> & { key: string | null; parent?: string | null };

/** A spine from records that name their parents by key, as a library makes it. */
function spine(given: Given[], now = Date.UTC(2027, 0, 1)): Spine {
  const indexOf = new Map(given.map(({ key }, index) => [key, index]));
  const messages = new Map<string, number>();
  const records = given.map((record, index): SpineRecord => {
    const messageKey = record.messageKey === undefined ? record.key : record.messageKey;
    if (messageKey !== null && !messages.has(messageKey)) messages.set(messageKey, messages.size);
    const parent = typeof record.parent === 'string' ? (indexOf.get(record.parent) ?? -2) : -1;
    return {
      joins: -1, type: 'user', time: index * 1000, order: null, role: 'user', prompt: false, injected: false, note: null, source: 's', gone: false, inChain: record.parent !== undefined,
      ...record, index, parent, missing: parent === -2 ? (record.parent ?? null) : null, message: messageKey === null ? -1 : (messages.get(messageKey) ?? -1), messageKey,
    };
  });
  return { session: 's' as Spine['session'], records, evidence: [], now };
}

const prompt = (key: string, parent: string | null): Given => ({ key, parent, prompt: true });
const answer = (key: string, parent: string, messageKey = key, note: JsonObject | null = null): Given => ({ key, parent, type: 'assistant', role: 'assistant', messageKey, note });
const result = (key: string, parent: string, calls: string[]): Given => ({ key, parent, messageKey: null, role: null, note: { results: calls } });
const system = (key: string, parent: string | null, subtype: string, more: Partial<Given> = {}): Given => ({ key, parent, type: `system/${subtype}`, role: 'system', messageKey: null, note: { unsent: true }, ...more });
const boundary = (key: string, joins: number, note: JsonObject = {}): Given => ({ key, parent: null, joins, type: 'system/compact_boundary', role: 'system', note: { unsent: true, trigger: 'auto', before: 1000, ...note } });
const summary = (key: string, parent: string): Given => ({ key, parent, note: { summary: true } });

const keys = (given: Given[], settled: Settled) => settled.branches.map(({ current, path }) => `${current ? '*' : ' '} ${path.map((index) => given[index]?.key).join(' ')}`);
const stateOf = (given: Given[], settled: Settled, key: string) => settled.records[given.findIndex((record) => record.key === key)];

describe('the chain', () => {
  test('a missing parent is bridged by the order of the file', () => {
    const given = [prompt('a', null), answer('b', 'a'), prompt('c', 'never-written'), answer('d', 'c')];
    const settled = settle(spine(given));
    expect(keys(given, settled)).toEqual(['* a b c d']);
    expect(settled.condition).toBe('recovered');
    expect(settled.notices).toEqual([{ kind: 'gap', text: 'Record c follows record never-written, which is not in the file; the order shown is that of the file.', record: 2 }]);
    // Without a compaction the program sends everything, as was seen.
    expect(settled.records.map(({ seen }) => seen)).toEqual([true, true, true, true]);
  });

  test.each([
    ['an entry that is its own parent', [prompt('a', null), answer('b', 'a'), prompt('c', 'c'), answer('d', 'c')], 2],
    ['a circle of three', [prompt('a', null), answer('b', 'e'), prompt('c', 'b'), answer('e', 'c'), prompt('f', 'e')], 1],
    ['a circle from the first record on', [prompt('a', 'd'), answer('b', 'a'), prompt('c', 'b'), answer('d', 'c')], 0],
  ])('%s ends, and everything is still there', (_, given, first) => {
    const settled = settle(spine(given));
    expect(keys(given, settled)).toEqual([`* ${given.map((record) => record.key).join(' ')}`]);
    expect(settled.condition).toBe('recovered');
    expect(settled.notices).toMatchObject([{ kind: 'order', record: first }]);
  });

  test('a compaction whose logical parent is in no file follows what stands before it', () => {
    const given = [prompt('a', null), answer('b', 'a'), boundary('c', -1, { logical: 'deleted' }), summary('d', 'c'), prompt('e', 'd')];
    expect(keys(given, settle(spine(given)))).toEqual(['* a b c d e']);
  });

  test('a line of an answer that is written twice side by side makes no branch', () => {
    const given = [prompt('a', null), answer('b', 'a', 'm'), answer('c', 'a', 'm'), prompt('d', 'c')];
    expect(keys(given, settle(spine(given)))).toEqual(['* a b c d']);
  });
});

describe('branches', () => {
  test('dead ends hang beside the line they belong to', () => {
    const given = [
      prompt('a', null), answer('call1', 'a', 'm'), answer('call2', 'call1', 'm'), system('progress', 'call1', 'informational', { type: 'progress/bash_progress' }),
      result('r2', 'call2', ['2']), result('r1', 'call1', ['1']), answer('b', 'r1'), system('end', 'b', 'turn_duration'), prompt('c', 'end'),
    ];
    expect(keys(given, settle(spine(given)))).toEqual(['* a call1 call2 progress r2 r1 b end c']);
  });

  test('two prompts under one record are two branches; the later one in the file is current', () => {
    const given = [prompt('a', null), answer('b', 'a'), prompt('old', 'b'), answer('x', 'old'), prompt('new', 'b'), answer('y', 'new')];
    const settled = settle(spine(given));
    expect(keys(given, settled)).toEqual(['  a b old x', '* a b new y']);
    expect(stateOf(given, settled, 'x')).toEqual({ state: 'off-branch', reason: 'The session went on from record b with record new; this branch was left.', cause: 4, seen: false });
  });

  test('a second root without a compaction is a branch of its own', () => {
    const given = [prompt('a', null), answer('b', 'a'), prompt('c', null), answer('d', 'c')];
    const settled = settle(spine(given));
    expect(keys(given, settled)).toEqual(['  a b', '* c d']);
    expect(stateOf(given, settled, 'a')?.reason).toBe('The session was begun anew with record c; this branch was left.');
  });

  test('a root that leads nowhere belongs to what stands before it', () => {
    const given = [prompt('a', null), answer('b', 'a'), system('hook', null, 'informational', { type: 'attachment/hook_success' }), prompt('c', 'b')];
    expect(keys(given, settle(spine(given)))).toEqual(['* a b hook c']);
  });

  test('an explicit pointer into the middle of a branch ends the current one there', () => {
    const given: Given[] = [prompt('a', null), answer('b', 'a'), system('end', 'b', 'turn_duration'), prompt('c', 'end'), answer('d', 'c'), { key: null, type: 'last-prompt', role: null, messageKey: null, note: { leaf: 'b' } }];
    const settled = settle(spine(given));
    expect(keys(given, settled)).toEqual(['  a b end c d', '* a b']);
    expect(stateOf(given, settled, 'd')?.state).toBe('off-branch');
    expect(settled.records.at(-1)).toMatchObject({ state: 'hidden', seen: false });
  });

  test('a pointer counts only until new lines follow it', () => {
    const given: Given[] = [prompt('a', null), answer('b', 'a'), prompt('c', 'b'), { key: null, type: 'last-prompt', role: null, messageKey: null, note: { leaf: 'b' } }, prompt('d', 'c')];
    expect(keys(given, settle(spine(given)))).toEqual(['* a b c d']);
  });

  test('a line of unknown type at the end does not move the tip; live output neither', () => {
    const given = [prompt('a', null), answer('b', 'a'), prompt('old', 'b'), prompt('new', 'b'), system('odd', 'old', '', { type: 'thought' }), system('live', 'old', '', { type: 'progress/bash_progress' })];
    expect(keys(given, settle(spine(given)))).toEqual(['  a b old odd live', '* a b new']);
  });
});

describe('compaction', () => {
  test('with nothing preserved, all before the boundary is compacted', () => {
    const given = [prompt('a', null), answer('b', 'a'), boundary('c', 1), summary('d', 'c'), prompt('e', 'd')];
    const settled = settle(spine(given));
    expect(settled.records.map(({ state, seen }) => `${state}${seen ? ' seen' : ''}`)).toEqual(['compacted', 'compacted', 'hidden', 'summary seen', 'live seen']);
    expect(settled.compactions).toBe(1);
  });

  test('a stretch that is kept is told by its two ends, dead ends inside it included', () => {
    const given = [
      prompt('a', null), answer('b', 'a'), prompt('c', 'b'), answer('k1', 'c', 'm'), answer('k2', 'k1', 'm'), result('r1', 'k1', ['1']), result('r2', 'k2', ['2']), answer('d', 'r2'),
      boundary('e', 7, { head: 'c', tail: 'd' }), summary('f', 'e'), prompt('g', 'f'),
    ];
    expect(settle(spine(given)).records.map(({ state }) => state)).toEqual(['compacted', 'compacted', 'live', 'live', 'live', 'live', 'live', 'live', 'hidden', 'summary', 'live']);
  });

  test('a boundary that cannot find what it keeps compacts everything', () => {
    const given = [prompt('a', null), answer('b', 'a'), boundary('c', 1, { head: 'gone', tail: 'b' }), summary('d', 'c')];
    expect(settle(spine(given)).records.map(({ state }) => state)).toEqual(['compacted', 'compacted', 'hidden', 'summary']);
  });

  test('outputs that were cleared alone are named by the record that did it', () => {
    const given = [prompt('a', null), answer('b', 'a', 'b', { calls: [[0, 'x']] }), result('c', 'b', ['x']), answer('d', 'c'), system('e', 'd', 'microcompact_boundary', { note: { unsent: true, cleared: ['x'] } })];
    const settled = settle(spine(given));
    expect(settled.records.map(({ state }) => state)).toEqual(['live', 'cleared', 'live', 'live', 'live']);
    expect(settled.records[1]?.reason).toBe("Its output was cleared from the model's view by record e.");
    expect(settled.compactions).toBe(0);
  });
});

describe('how it ended', () => {
  const call = [prompt('a', null), answer('b', 'a', 'b', { calls: [[0, 'x']] })];
  const now = Date.UTC(2026, 0, 1);
  const at = (given: Given[], age: number) => spine(given.map((record) => ({ ...record, time: now - age })), now);

  test('a call without result is interrupted when nothing can run it any more', () => {
    const settled = settle(at(call, 3_600_000));
    expect(settled.tools).toEqual([{ record: 1, block: 0, status: 'interrupted', note: 'No result was recorded: the program ended, or went on, before the call did.' }]);
    expect(settled.condition).toBe('interrupted');
  });

  test('a fresh one at the end of the session may be running', () => {
    const settled = settle(at(call, 60_000));
    expect({ tools: settled.tools, condition: settled.condition }).toEqual({ tools: [], condition: 'finished' });
  });

  test('a call that the session went on from is interrupted however fresh it is', () => {
    expect(settle(at([...call, prompt('c', 'b'), answer('d', 'c')], 60_000)).tools).toHaveLength(1);
  });

  test.each([
    ['a prompt without an answer', [prompt('a', null)], 'interrupted'],
    ['a result without an answer', [...call, result('c', 'b', ['x'])], 'interrupted'],
    ['an answer', [prompt('a', null), answer('b', 'a'), system('c', 'b', 'turn_duration')], 'finished'],
    ['the person pressed Esc', [prompt('a', null), answer('b', 'a'), { key: 'c', parent: 'b', note: { interrupt: true } }], 'interrupted'],
    ['a broken-off answer', [prompt('a', null), answer('b', 'a', 'b', { aborted: true })], 'interrupted'],
    ['a summary', [prompt('a', null), answer('b', 'a'), boundary('c', 1), summary('d', 'c')], 'finished'],
  ])('%s', (_, given, condition) => {
    expect(settle(at(given, 3_600_000)).condition).toBe(condition);
  });

  test('odd times are said once', () => {
    const given = [prompt('a', null), { ...answer('b', 'a'), time: now + 40 * 86_400_000 }, { ...prompt('c', 'b'), time: now - 86_400_000 }, { ...answer('d', 'c'), time: now - 86_000_000 }].map((record, index) => ({ time: now - 100 * 86_400_000 + index, ...record }));
    expect(settle(spine(given, now)).notices).toEqual([
      { kind: 'time', text: 'Times go back at record c; the order shown is that of the records, not of their times.', record: 2 },
      { kind: 'time', text: 'The time of record b lies in the future.', record: 1 },
    ]);
  });
});

describe('size', () => {
  test('a chain of 20,000 and one that is written backwards', () => {
    const line = Array.from({ length: 20_000 }, (_, i) => (i % 2 ? answer(`k${i}`, `k${i - 1}`) : prompt(`k${i}`, i === 0 ? null : `k${i - 1}`)));
    expect(settle(spine(line)).branches[0]?.path).toHaveLength(20_000);
    const backwards = Array.from({ length: 20_000 }, (_, i) => prompt(`k${i}`, i === 19_999 ? null : `k${i + 1}`));
    expect(settle(spine(backwards)).branches.map(({ path }) => path.length)).toContain(20_000);
  });

  test('a session with very many branches lists the newest ones and says how many are left out', () => {
    const given = [prompt('a', null), ...Array.from({ length: 1_500 }, (_, i) => prompt(`p${i}`, 'a'))];
    const settled = settle(spine(given));
    expect(settled.branches).toHaveLength(1_000);
    expect(settled.branches.at(-1)).toEqual({ current: true, path: [0, 1_500] });
    expect(settled.notices).toMatchObject([{ kind: 'other', text: '500 older branches are not listed; their records are shown as off-branch.' }]);
  });
});

test('nothing at all', () => {
  expect(settle(spine([]))).toEqual({ records: [], order: null, branches: [], compactions: 0, reverted: false, notices: [], condition: 'finished', tools: [] });
});
