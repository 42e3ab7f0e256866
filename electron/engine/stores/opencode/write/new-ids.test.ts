import { expect, test } from 'vitest';
import { timeOfId } from '../ids';
import { NewIds, newSlug } from './new-ids';

const zeros = (bytes: number) => new Uint8Array(bytes);

test('ids are as the program makes them: ascending for messages and parts, inverted for sessions', () => {
  const ids = new NewIds(Date.UTC(2026, 10, 29, 23), zeros, 3);
  const made = [ids.descending('ses'), ids.ascending('msg'), ids.ascending('prt')];
  expect(made).toEqual(['ses_dd6769a7fffe00000000000000', 'msg_22989658000200000000000000', 'prt_22989658000300000000000000']);
  expect(made.map((id) => timeOfId(id, Date.UTC(2026, 10, 1)))).toEqual([Date.UTC(2026, 10, 29, 23), Date.UTC(2026, 10, 29, 23), Date.UTC(2026, 10, 29, 23)]);
});

test('a run of ids that would go over the wrap of the 48 bits begins behind it, so that it stays in order', () => {
  const wrap = Date.parse('2026-08-14T11:19:55.136Z');
  const before = new NewIds(wrap - 1, zeros, 4_000);
  expect(before.ascending('msg')).toBe('msg_fffffffff00100000000000000');
  const over = new NewIds(wrap - 1, zeros, 5_000);
  const run = Array.from({ length: 5_000 }, () => over.ascending('prt'));
  expect([run[0], run[4_999]]).toEqual(['prt_00000000000000000000000000', 'prt_00000000138700000000000000']);
  expect(run).toEqual(run.toSorted());
  expect(new NewIds(wrap, zeros, 1).ascending('msg')).toBe('msg_00000000000100000000000000');
});

test('a short name is two words', () => {
  expect([newSlug(zeros), newSlug(() => Uint8Array.of(15, 31))]).toEqual(['amber-anchor', 'sunny-willow']);
});
