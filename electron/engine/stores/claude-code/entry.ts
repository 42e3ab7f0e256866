/** A JSON object as parsed. Nothing in it is believed until one of the readers below has looked at it. */
export type Entry = { readonly [key: string]: unknown };

/** True for a JSON object (not a list, not null). */
export function isEntry(value: unknown): value is Entry {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export const entryOf = (value: unknown): Entry | null => (isEntry(value) ? value : null);

export const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** A text with something in it; an empty one says no more than a missing one. */
export const nameOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

export const numberOf = (value: unknown): number | null => (typeof value === 'number' && Number.isFinite(value) ? value : null);

const nothing: readonly unknown[] = [];
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : nothing);

/** A recorded time as ms since 1970: ISO text; a number is taken for what its size says, seconds or milliseconds. */
export function timeOf(value: unknown): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? (value < 1e11 ? value * 1000 : value) : null;
  if (typeof value !== 'string') return null;
  const time = Date.parse(value);
  return Number.isNaN(time) ? null : time;
}

/** The first line's worth of a text, at most 200 characters, white space folded. Looks at no more than the beginning. */
export function oneLine(text: string, limit = 200): string {
  const folded = text.slice(0, limit * 4).replace(/\s+/g, ' ').trim();
  return folded.length <= limit ? folded : `${folded.slice(0, limit - 1)}…`;
}

const colour = new RegExp(`${String.fromCharCode(27)}\\[[0-9;?]*[A-Za-z]`, 'g');

/** Takes terminal colours out; only for the short outputs of local commands. */
export const withoutColour = (text: string): string => (text.includes(String.fromCharCode(27)) ? text.replace(colour, '') : text);
