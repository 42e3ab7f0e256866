import { asNumber } from '../foreign/fields';
import { isOddTime } from '../foreign/odd-time';

/** A time in ms since 1970; one that cannot be true is none. */
export const asTime = (value: unknown): number | null => {
  const time = asNumber(value);
  return time !== null && !isOddTime(time) ? time : null;
};

/** Something is marked as done by a time, whatever the clock said. */
export const isMarked = (value: unknown): boolean => (asNumber(value) ?? 0) !== 0;

/** When an output was cleared; it was also where the time cannot be true. */
export const clearedAt = (value: unknown): number | null => (isMarked(value) ? (asTime(value) ?? asNumber(value)) : null);

/** A time is recorded and cannot be true. Zero stands for none. */
export const isFalseTime = (value: unknown): boolean => {
  const time = asNumber(value);
  return time !== null && time !== 0 && isOddTime(time);
};

/** One line of at most 200 characters, for titles. */
export function oneLine(text: string): string {
  const start = text.length > 2_000 ? text.slice(0, 2_000) : text;
  const line = start.replace(/\s+/g, ' ').trim();
  return line.length <= 200 ? line : `${line.slice(0, 199).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** Compares ids as the store's program does: by code units, never by locale. */
export const byId = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** A time in words people and scripts can both read; a number that is no date stays a number. */
export const isoTime = (time: number): string => (Math.abs(time) <= 8.64e15 ? new Date(time).toISOString() : String(time));
