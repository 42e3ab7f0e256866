import { isOddTime } from '../foreign/odd-time';

/** A recorded RFC 3339 time as ms since 1970; one that cannot be true is none. */
export function timeOf(value: unknown): number | null {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) || isOddTime(time) ? null : time;
}

/** A time is recorded and cannot be true. */
export function isFalseTime(value: unknown): boolean {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return !Number.isNaN(time) && isOddTime(time);
}

/** One line of at most 200 characters, for titles. Looks at no more than the beginning. */
export function oneLine(text: string, limit = 200): string {
  const line = text.slice(0, limit * 4).replace(/\s+/g, ' ').trim();
  return line.length <= limit ? line : `${line.slice(0, limit - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** Equal texts have equal numbers: enough to see that one thing is told twice. */
export function digestOf(text: string): number {
  let hash = 0x811c9dc5 ^ text.length;
  const end = Math.min(text.length, 512);
  for (let i = 0; i < end; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}

/** `1 turn`, `2 turns`. */
export const counted = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`;
