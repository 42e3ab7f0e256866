import { contextStates, partKinds, roles, toolFamilies, toolStatuses } from '@shared/model';

/** Small numbers that stand for the words of a union in a row: its place in the list. The lists only grow at their end. */
const coder = <T extends string>(words: readonly T[], what: string) => ({
  code(word: T): number {
    const code = words.indexOf(word);
    if (code < 0) throw new Error(`${what} has no code for ${JSON.stringify(word)}`);
    return code;
  },
  word(code: number): T {
    const word = words[code];
    if (word === undefined) throw new Error(`${what} has no word for ${code}`);
    return word;
  },
});

export const roleCode = coder(roles, 'role');
export const kindCode = coder(partKinds, 'part kind');
export const stateCode = coder(contextStates, 'context state');
export const familyCode = coder(toolFamilies, 'tool family');
export const statusCode = coder(toolStatuses, 'tool status');

/** `uncounted`: settling found that the message is left out of the counts after all. */
export const messageFlag = { counted: 1, prompt: 2, inherited: 4, uncounted: 8 } as const;
export const recordFlag = { inChain: 1, injected: 2, gone: 4 } as const;
export const partFlag = { injected: 1, seen: 2 } as const;

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** A lower-case UUID takes 16 bytes in a row instead of 36; any other key stays text. */
export function encodeKey(key: string): string | Buffer {
  return key.length === 36 && uuid.test(key) ? Buffer.from(key.replaceAll('-', ''), 'hex') : key;
}

export function decodeKey(stored: string | Buffer): string {
  if (typeof stored === 'string') return stored;
  const hex = stored.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** 32-bit FNV-1a over the first 256 characters and the length: equal content has an equal digest. */
export function digestOf(text: string): number {
  let hash = 0x811c9dc5 ^ text.length;
  const end = Math.min(text.length, 256);
  for (let i = 0; i < end; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}
