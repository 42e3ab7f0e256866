/** Narrow readers for foreign data: nothing of a store is believed to have a shape before one of these looked at it. */
export type Fields = { readonly [key: string]: unknown };

export function asObject(value: unknown): Fields | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null;
}

export const asText = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** A text that says something: an empty one says no more than a missing one. */
export const asFilledText = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

export const asNumber = (value: unknown): number | null => (typeof value === 'number' && Number.isFinite(value) ? value : null);

const nothing: readonly unknown[] = [];
export const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : nothing);

export const asObjects = (value: unknown): Fields[] => asList(value).map(asObject).filter((item) => item !== null);

export const asTexts = (value: unknown): string[] => asList(value).filter((item): item is string => typeof item === 'string');

/** What a JSON text holds, or undefined when it is none. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** An object that may still be JSON text: columns of a database, arguments and outputs of tools are. */
export const asJsonObject = (value: unknown): Fields | null => asObject(typeof value === 'string' ? parsed(value) : value);
