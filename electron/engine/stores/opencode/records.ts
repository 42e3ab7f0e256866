/** Narrow readers for foreign data: nothing of a store is believed to have a shape before one of these looked at it. */
export type Fields = { readonly [key: string]: unknown };

export function asObject(value: unknown): Fields | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null;
}

export const asText = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** A text that says something: empty means not recorded (a schema default, say). */
export const asFilledText = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

export const asNumber = (value: unknown): number | null => (typeof value === 'number' && Number.isFinite(value) ? value : null);

/** A time in ms since 1970; zero and less are never real. */
export const asTime = (value: unknown): number | null => {
  const time = asNumber(value);
  return time !== null && time > 0 ? time : null;
};

export const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export const asObjects = (value: unknown): Fields[] => asList(value).map(asObject).filter((item) => item !== null);

export const asTexts = (value: unknown): string[] => asList(value).map(asText).filter((item) => item !== null);

/** What a JSON text holds, or undefined when it is none. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** An object that may still be JSON text, as columns of a database and files hold it. */
export const asJsonObject = (value: unknown): Fields | null => asObject(typeof value === 'string' ? parsed(value) : value);

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
