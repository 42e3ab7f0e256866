import { stripVTControlCharacters } from 'node:util';

/** All controls but the line feed and the tab. */
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;
/** Characters that turn the reading direction and could make a line say something else than it holds. */
const turns = /[\u202a-\u202e\u2066-\u2069]/g;

/** Text from outside made safe to print: no escape sequence, no control character, lines kept. */
export function plainText(text: string): string {
  return stripVTControlCharacters(text).replace(/\r\n?|[\u2028\u2029]/g, '\n').replace(controls, '').replace(turns, '').toWellFormed();
}

/** The same on one line: every run of white space is one space. */
export function plainLine(text: string): string {
  return plainText(text).replace(/\s+/g, ' ').trim();
}

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
const wide = /^[\p{Emoji_Presentation}\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|\ufe0f/u;
const ascii = /^[\x20-\x7e]*$/;

/** Columns that a line takes in a terminal: two for a wide letter or an emoji. */
export function widthOf(line: string): number {
  if (ascii.test(line)) return line.length;
  let width = 0;
  for (const { segment } of graphemes.segment(line)) width += wide.test(segment) ? 2 : 1;
  return width;
}

/** A line cut to a width, with `…` where something was left out. */
export function shorten(line: string, width: number): string {
  if (widthOf(line) <= width) return line;
  let kept = '';
  let room = width - 1;
  for (const { segment } of graphemes.segment(line)) {
    room -= wide.test(segment) ? 2 : 1;
    if (room < 0) break;
    kept += segment;
  }
  return `${kept.trimEnd()}…`;
}
