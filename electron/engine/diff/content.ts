import { createHash } from 'node:crypto';

/** Where bytes that are not held can be read once more: an object beside another that the session names, or a backup of the store. */
export type BytesFrom = { kind: 'git'; of: 'tree' | 'commit'; beside: string } | { kind: 'backup'; content: string };

/** What is known of a file at one moment. */
export type Content =
  | { state: 'absent' }
  | { state: 'text'; text: string }
  /** `id` is equal for equal bytes. */
  | { state: 'binary'; bytes: number; id: string; from?: BytesFrom }
  | { state: 'too large'; bytes: number; id: string }
  | { state: 'unknown' };

export const absent: Content = { state: 'absent' };
export const unknown: Content = { state: 'unknown' };

/** Characters of one content that are held and compared; a larger file is only known to differ. */
export const contentLimit = 16_000_000;

/** A text as content. */
export const textContent = (text: string): Content => (text.length > contentLimit ? { state: 'too large', bytes: text.length, id: idOf(text) } : { state: 'text', text });

/** Length and an FNV-1a of all characters: enough to see that two large texts of one session differ. */
function idOf(text: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return `${text.length}:${hash >>> 0}`;
}

/** Bytes in which git looks for a NUL to call a file binary. */
const binaryLook = 8_000;

/** The name git gives to these bytes: the same for a copy on the disk, a backup and an object of a tree. */
export const blobId = (bytes: Uint8Array): string => createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');

/** Bytes as content: binary as git sees it, or when they are no UTF-8, since lines of such a text could not be given back. */
export function bytesContent(bytes: Uint8Array, id: string): Content {
  if (bytes.length > contentLimit) return { state: 'too large', bytes: bytes.length, id };
  if (bytes.subarray(0, binaryLook).includes(0)) return { state: 'binary', bytes: bytes.length, id };
  try {
    return { state: 'text', text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    return { state: 'binary', bytes: bytes.length, id };
  }
}

/** A binary content that knows where its bytes are. */
export const readableFrom = (content: Content, from: BytesFrom | null): Content => (content.state === 'binary' && from !== null ? { ...content, from } : content);

/** True when two known contents are the same file. Line ends are not told apart: agents record texts without their `\r`. */
export function sameContent(a: Content, b: Content): boolean {
  if (a.state === 'text' && b.state === 'text') return a.text === b.text || (a.text.includes('\r') !== b.text.includes('\r') && withoutReturns(a.text) === withoutReturns(b.text));
  if (a.state === 'binary' && b.state === 'binary') return a.id === b.id;
  if (a.state === 'too large' && b.state === 'too large') return a.id === b.id;
  return a.state === 'absent' && b.state === 'absent';
}

/** Equal for equal contents. */
export const contentId = (content: Content): string => (content.state === 'text' ? idOf(content.text) : 'id' in content ? content.id : content.state);

const withoutReturns = (text: string): string => text.replaceAll('\r\n', '\n');

/** Lines with their own ends; the last may have none. */
export function linesOf(text: string): string[] {
  const lines: string[] = [];
  for (let from = 0; from < text.length; ) {
    const end = text.indexOf('\n', from);
    const to = end < 0 ? text.length : end + 1;
    lines.push(text.slice(from, to));
    from = to;
  }
  return lines;
}
