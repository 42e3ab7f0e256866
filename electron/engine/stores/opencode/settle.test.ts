import { nativeId } from '@shared/model';
import { expect, test } from 'vitest';
import type { SpineRecord } from '../store';
import { forkTitle } from './lineage';
import { settle } from './settle';

const now = Date.UTC(2026, 10, 1);
const record = (index: number, fields: Partial<SpineRecord>): SpineRecord => ({
  index, key: null, parent: -1, inChain: false, missing: null, joins: -1, type: 'part/text', time: null, order: null, message: -1, messageKey: null, role: null,
  prompt: false, injected: false, note: null, source: 'opencode.db/ses_1', gone: false, ...fields,
});
const settled = (records: SpineRecord[], evidence: { [key: string]: string | number | boolean | null }[] = []) =>
  settle({ session: nativeId('ses_1'), records, evidence: evidence.map(({ slot, ...data }) => ({ source: 'opencode.db/ses_1', slot: String(slot), data })), now });
const message = (index: number, key: string, time: number | null, note: SpineRecord['note'] = null, role: SpineRecord['role'] = 'user') =>
  record(index, { key, messageKey: key, type: `message/${role}`, order: time, time, role, note });
const part = (index: number, key: string, messageKey: string, time: number | null, fields: Partial<SpineRecord> = {}) => record(index, { key, messageKey, order: time, ...fields });

test('an empty session settles to nothing', () => {
  expect(settled([])).toEqual({ records: [], order: null, branches: [], compactions: 0, reverted: false, notices: [], condition: 'finished', tools: [], diagnoses: [] });
});

test('messages of one moment stand by id, parts by id, and a message’s own record behind its parts', () => {
  const { order } = settled([message(0, 'msg_b', 5), message(1, 'msg_a', 5), part(2, 'prt_2', 'msg_a', 5), part(3, 'prt_1', 'msg_a', 5), part(4, 'prt_0', 'msg_b', 5), message(5, 'msg_z', 4)]);
  expect(order).toEqual([5, 3, 2, 1, 4, 0]);
});

test('odd times are marked: none, in the future, a reply before its prompt', () => {
  const { notices } = settled([message(0, 'msg_none', null), message(1, 'msg_future', now + 3 * 86_400_000), message(2, 'msg_prompt', 1_000), message(3, 'msg_reply', 900, { done: true, parent: 'msg_prompt' }, 'assistant')]);
  expect(notices.map(({ kind, text }) => `${kind}: ${text}`)).toEqual([
    'time: msg_none has no time; it stands where its id puts it.',
    'order: The reply msg_reply is dated before the prompt it answers.',
    'time: msg_future is dated in the future.',
  ]);
});

test('parts without their message are shown, and the gap is told', () => {
  const { condition, notices, order } = settled([message(0, 'msg_1', 10), part(1, 'prt_1', 'msg_lost', 5, { note: { orphan: true } })]);
  expect({ condition, order }).toEqual({ condition: 'recovered', order: [1, 0] });
  expect(notices).toEqual([{ kind: 'gap', text: '1 part belongs to messages that are not in the store, such as msg_lost.', record: 1 }]);
});

test('a revert of something that is not here hides nothing and says so', () => {
  const { records, reverted, notices } = settled([message(0, 'msg_1', 10)], [{ slot: 'revert', pending: true, message: 'msg_9', part: null }]);
  expect({ states: records.map(({ state }) => state), reverted }).toEqual({ states: ['live'], reverted: true });
  expect(notices[0]?.text).toBe('A revert is pending that names msg_9, which is not here.');
});

test('a session that went as a whole is told as it was', () => {
  const gone = { gone: true };
  const { records } = settled([{ ...message(0, 'msg_1', 10), ...gone }, { ...part(1, 'prt_1', 'msg_1', 10), ...gone }]);
  expect(records.map(({ state }) => state)).toEqual(['live', 'live']);
});

test('the model is said to see what it is sent: no borders of steps, patches, errors or ignored texts', () => {
  const { records } = settled([
    message(0, 'msg_1', 10), part(1, 'prt_1', 'msg_1', 10, { type: 'part/step-start' }), part(2, 'prt_2', 'msg_1', 10, { type: 'part/patch' }), part(3, 'prt_3', 'msg_1', 10, { note: { ignored: true } }),
    part(4, 'prt_4', 'msg_1', 10, { injected: true }), part(5, 'prt_5', 'msg_1', 10),
  ]);
  expect(records.map(({ state, seen }) => `${state} ${seen}`)).toEqual(['live false', 'live false', 'live false', 'live false', 'hidden true', 'live true']);
});

test('a compaction that was taken back by a revert does not count for what is seen', () => {
  const summary = message(2, 'msg_3', 30, { done: true, finish: 'stop', summary: true, parent: 'msg_2' }, 'assistant');
  const records = [message(0, 'msg_1', 10), part(1, 'prt_1', 'msg_1', 10), summary, part(3, 'prt_3', 'msg_3', 30), message(4, 'msg_2', 20), part(5, 'prt_2', 'msg_2', 20, { type: 'part/compaction', note: { auto: false, overflow: false, tail: null } })];
  expect(settled(records).records.map(({ state }) => state)).toEqual(['compacted', 'compacted', 'live', 'summary', 'live', 'live']);
  const reverted = settled(records, [{ slot: 'revert', pending: true, message: 'msg_2', part: null }]);
  expect(reverted.records.map(({ state }) => state)).toEqual(['live', 'live', 'reverted', 'reverted', 'reverted', 'reverted']);
  expect(reverted.compactions).toBe(1);
});

test('titles of forks', () => {
  expect(['Work', 'Work (fork #1)', 'Work (fork #9)', '(fork #1)'].map(forkTitle)).toEqual(['Work (fork #1)', 'Work (fork #2)', 'Work (fork #10)', '(fork #1) (fork #1)']);
});
