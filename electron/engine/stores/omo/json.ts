import { asObject, type Fields, parsed } from '../foreign/fields';
import { isTooDeep, mayBeTooDeep } from '../foreign/nesting';

/** An overlay's JSON file: its object, or in one sentence why there is none. */
export type JsonFile = { fields: Fields; reason?: never } | { fields?: never; reason: string };

/** Reads bytes of an agent's small JSON file. A file that is being written may be empty or cut off: that is said, nothing is thrown. */
export function jsonFile(bytes: Uint8Array): JsonFile {
  const text = Buffer.from(bytes).toString('utf8').replace(/^\uFEFF/, '');
  if (text.trim() === '') return { reason: 'The file is empty.' };
  const value = parsed(text);
  if (value === undefined) return { reason: 'It is no JSON.' };
  if (mayBeTooDeep(bytes.length) && isTooDeep(value)) return { reason: 'It is nested too deeply to be read.' };
  const fields = asObject(value);
  return fields ? { fields } : { reason: 'It is JSON, but no object.' };
}

/** A recorded time as ISO 8601 in UTC; null for what is no time. */
export function timeOf(value: unknown): string | null {
  const ms = typeof value === 'string' ? Date.parse(value) : typeof value === 'number' ? value : Number.NaN;
  return Number.isFinite(ms) && Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString() : null;
}

/** Goals keep their times in seconds. */
export const timeOfSeconds = (value: unknown): string | null => (typeof value === 'number' ? timeOf(value * 1_000) : null);
