import { expect, test } from 'vitest';
import { wallTime } from './time';

test.each([
  ['2026-11-29 15:40:36', Date.UTC(2026, 10, 29, 15, 40, 36)],
  ['2026-11-29 15:42:26.189697', Date.UTC(2026, 10, 29, 15, 42, 26, 189)],
  ['2026-11-29T15:45:29', Date.UTC(2026, 10, 29, 15, 45, 29)],
  ['2026-02-30 10:00:00', null],
  ['2026-02-03 25:00:00', null],
  ['2026-02-03', null],
  ['yesterday', null],
])('%s', (text, time) => {
  expect(wallTime(text)).toBe(time);
});
