/**
 * Private keys of every length. The rule of secretlint asks for more bytes than one of Ed25519 or of a short elliptic
 * curve has, and for an end, which what a program printed in part does not have. Patterns are bounded: no text makes
 * them slow.
 */

/** Between beginning and end anything but what code is made of: line numbers, quotes and escapes stand in a key that was printed. */
const whole = String.raw`[^(){};<>]{0,16000}?-----END ?\k<label>-----`;
/** Lines of base64 behind a beginning without an end. */
const begun = String.raw`(?:(?:\s|\\{1,8}[nr]|\d{1,6}[:|→]){1,40}[A-Za-z0-9+/=]{20,200}(?![A-Za-z0-9+/=])){1,400}`;
const key = new RegExp(String.raw`-----BEGIN ?(?<label>(?:[A-Z0-9]{1,16} ){0,3}PRIVATE KEY(?: BLOCK)?)-----(?:${whole}|${begun})`, 'g');
/** What a mention of the form does not have. */
const body = /-----[^-][^]*?[A-Za-z0-9+/=]{20}/;

/** Private keys in a text, as they are spelled there. */
export function privateKeysIn(text: string): string[] {
  if (!text.includes('PRIVATE KEY')) return [];
  return [...text.matchAll(key)].map(([found]) => found).filter((found) => body.test(found));
}
