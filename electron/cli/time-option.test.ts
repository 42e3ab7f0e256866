import { afterAll, beforeAll, expect, test } from 'vitest';
import { momentOf } from './time-option';

const now = Date.parse('2026-11-20T12:00:00Z');
const zone = process.env['TZ'];
beforeAll(() => void (process.env['TZ'] = 'Europe/Berlin'));
afterAll(() => {
  if (zone === undefined) delete process.env['TZ'];
  else process.env['TZ'] = zone;
});

test.each([
  ['12h', 'begin', '2026-11-20T00:00:00.000Z'],
  ['4w', 'end', '2026-10-23T12:00:00.000Z'],
  // A date is one of this machine's zone: one hour before UTC in winter, two in summer.
  ['2026-11-02', 'begin', '2026-11-01T23:00:00.000Z'],
  ['2026-11-02', 'end', '2026-11-02T22:59:59.999Z'],
  ['2026-10-25', 'end', '2026-10-25T22:59:59.999Z'],
  ['2026-07', 'begin', '2026-06-30T22:00:00.000Z'],
  ['2026-12', 'end', '2026-12-31T22:59:59.999Z'],
  ['2026', 'end', '2026-12-31T22:59:59.999Z'],
  ['2026-11-02T14:30', 'begin', '2026-11-02T13:30:00.000Z'],
  ['2026-11-02 14:30', 'begin', '2026-11-02T13:30:00.000Z'],
  ['2026-11-02T14:30:05Z', 'end', '2026-11-02T14:30:05.000Z'],
  ['2026-11-02T14:30+05:00', 'begin', '2026-11-02T09:30:00.000Z'],
] as const)('%s as %s', (value, edge, moment) => {
  expect(momentOf(value, edge, now)).toBe(moment);
});

test.each(['yesterday', '2026-02-30', '2026-13', '7', '7y', '2026-11-02T25:00', ''])('%j is no time', (value) => {
  expect(() => momentOf(value, 'begin', now)).toThrow(/no time|no such day/);
});
