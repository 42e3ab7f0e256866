/**
 * Text from a store may hold characters that reorder or hide what stands around them (a right-to-left override makes
 * `exe.txt` of `txt.exe`), or that a terminal would obey. They are shown by their code point instead.
 * Zero-width joiners stay: emoji and several scripts need them.
 */
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const harmful = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2028\u2029\u2066-\u2069\ufff9-\ufffb]/g;

const named = (character: string): string => `⟨U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}⟩`;

/** The same text with reordering and control characters written out. Line feeds, returns and tabs stay. */
export function visibleControls(text: string): string {
  return text.replace(harmful, named);
}
