import type { SearchTerm } from './query';

export const markStart = '\u0001';
export const markEnd = '\u0002';
/** Characters of text around the first match, before and after. */
const before = 60;
const after = 140;

/** One line of text around the first place where a term occurs; matches stand between U+0001 and U+0002. */
export function snippetOf(text: string, terms: readonly SearchTerm[]): string {
  const patterns = terms.map(patternOf);
  const first = firstMatch(text, terms, patterns);
  const start = wordBorder(text, Math.max(0, first - before), -1);
  const end = wordBorder(text, Math.min(text.length, first + after), 1);
  const cut = text.slice(start, end).toWellFormed();
  return `${start > 0 ? '…' : ''}${marked(cut, patterns).replace(/\s+/g, ' ').trim()}${end < text.length ? '…' : ''}`;
}

/** Letters match with or without their accents, as they do in the index. */
function patternOf(term: SearchTerm): RegExp {
  const between = '[^\\p{L}\\p{N}\\p{M}\\p{Co}]+';
  const words = term.words.map((word) => [...word.normalize('NFD').replace(/\p{M}/gu, '')].map((letter) => `${letter}\\p{M}*`).join(''));
  const begins = '(?<![\\p{L}\\p{N}\\p{Co}])';
  const ends = term.prefix ? '[\\p{L}\\p{N}\\p{M}\\p{Co}]*' : '(?![\\p{L}\\p{N}\\p{M}\\p{Co}])';
  return new RegExp(begins + words.join(between) + ends, 'giu');
}

/** Looks with a plain search first: the pattern is slow on a text of a million characters. */
function firstMatch(text: string, terms: readonly SearchTerm[], patterns: readonly RegExp[]): number {
  const lower = text.toLowerCase();
  for (const [index, term] of terms.entries()) {
    const pattern = patterns[index] as RegExp;
    const word = (term.words[0] ?? '').toLowerCase();
    for (let at = lower.indexOf(word), tries = 0; at >= 0 && tries < 200; at = lower.indexOf(word, at + 1), tries++) {
      pattern.lastIndex = 0;
      const near = text.slice(Math.max(0, at - 1), at + 400);
      const found = pattern.exec(near);
      if (found && found.index <= 1) return Math.max(0, at - 1) + found.index;
    }
  }
  // Accents differ between query and text: look in the decomposed head of the text.
  for (const pattern of patterns) {
    pattern.lastIndex = 0;
    const found = pattern.exec(text.slice(0, 200_000).normalize('NFD'));
    if (found) return Math.min(found.index, text.length);
  }
  return 0;
}

function marked(text: string, patterns: readonly RegExp[]): string {
  const clean = text.replaceAll(markStart, '').replaceAll(markEnd, '');
  const ranges: [number, number][] = [];
  for (const pattern of patterns) {
    pattern.lastIndex = 0;
    for (const match of clean.matchAll(pattern)) ranges.push([match.index, match.index + match[0].length]);
  }
  ranges.sort((a, b) => a[0] - b[0]);
  let out = '';
  let at = 0;
  for (const [from, to] of ranges) {
    if (from < at) continue;
    out += clean.slice(at, from) + markStart + clean.slice(from, to) + markEnd;
    at = to;
  }
  return out + clean.slice(at);
}

/** Moves a cut to the nearest space within 20 characters. */
function wordBorder(text: string, at: number, direction: 1 | -1): number {
  if (at === 0 || at === text.length) return at;
  for (let i = 0; i < 20; i++) {
    const place = at + i * direction;
    if (place <= 0 || place >= text.length) return Math.min(Math.max(place, 0), text.length);
    if (/\s/.test(text[place] ?? '')) return place;
  }
  return at;
}
