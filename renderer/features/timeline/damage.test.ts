import { expect, it } from 'vitest';
import type { PlacedDamage, SessionDetail } from '@shared/model';
import { damageBefore, damageInRun, whereOf } from './damage';

const damage = (before: number, line: number | null = null): PlacedDamage => ({ place: 'a.jsonl', line, at: null, bytes: 1_200, reason: 'broken', before });
const detailWith = (places: PlacedDamage[]) => ({ damage: places }) as SessionDetail;

it('gives the damage between two parts, and the same list each time it is asked', () => {
  const detail = detailWith([damage(0), damage(2, 7), damage(2, 8), damage(5)]);
  expect(damageBefore(detail, 2).map(({ line }) => line)).toEqual([7, 8]);
  expect(damageBefore(detail, 2)).toBe(damageBefore(detail, 2));
  expect(damageBefore(detail, 3)).toBe(damageBefore(null, 0));
  expect(damageInRun(detail, 1, 4).map(({ before }) => before)).toEqual([2, 2]);
});

it('says where in its file a place lies', () => {
  expect(whereOf({ place: 'a', line: 1_234, at: 5, bytes: 1_200, reason: '' })).toBe('line 1,234, byte 5, 1.2 kB');
  expect(whereOf({ place: 'a', line: null, at: null, bytes: null, reason: '' })).toBe('');
});
