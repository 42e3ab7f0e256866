import { expect, test } from 'vitest';
import { Restarts } from './restarts';

test('three starts a minute come with growing delay, the fourth waits until the first is a minute old', () => {
  const restarts = new Restarts();
  expect(restarts.next(1_000)).toBe(250);
  expect(restarts.next(2_000)).toBe(500);
  expect(restarts.next(3_000)).toBe(1_000);
  expect(restarts.next(5_000)).toBe(1_250 + 60_000 - 5_000);
  expect(restarts.next(61_300)).toBe(2_500 + 60_000 - 61_300);
});

test('a crash after a quiet time is a first one', () => {
  const restarts = new Restarts();
  expect(restarts.next(1_000)).toBe(250);
  expect(restarts.next(100_000)).toBe(250);
});
