import { asNumber } from '../foreign/fields';

/** A time in ms since 1970; zero and less are never real. */
export const asTime = (value: unknown): number | null => {
  const time = asNumber(value);
  return time !== null && time > 0 ? time : null;
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
