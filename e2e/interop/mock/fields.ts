/** An object from outside, whose fields are looked at one by one. */
export type Fields = Record<string, unknown>;

export const fieldsOf = (value: unknown): Fields => (value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Fields) : {});
export const listOf = (value: unknown): Fields[] => (Array.isArray(value) ? value.map(fieldsOf) : []);
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Texts of a content that is a string or a list of blocks. */
export const textsOf = (content: unknown): string[] => (typeof content === 'string' ? [content] : listOf(content).flatMap(({ text }) => (typeof text === 'string' ? [text] : [])));
