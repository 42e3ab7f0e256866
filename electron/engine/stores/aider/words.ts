import { createHash } from 'node:crypto';

/**
 * Enough of a hash to find a text again in another file of the program. Blanks at line ends and empty lines do not
 * count: one file or the other leaves them out (FORMAT.md, "Typed input").
 */
export function wordsOf(text: string): string {
  const lines = text.split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/).map((line) => line.trimEnd()).filter((line) => line !== '');
  return createHash('sha256').update(lines.join('\n').trim()).digest('base64url').slice(0, 12);
}
