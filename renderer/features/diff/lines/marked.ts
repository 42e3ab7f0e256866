import { diffHighlight } from 'diff2html/lib/render-utils';

/** A stretch of a text that has a name: `word` for what changed in a line, else the class of a colour. */
export interface Mark {
  from: number;
  to: number;
  name: string;
}

/** Characters of a line up to which words are compared. */
export const wordLimit = 2_000;

/** What differs between two lines, word by word, as diff2html finds it. Long lines are told by what they have in common at both ends. */
export function changedWords(removed: string, added: string): { removed: Mark[]; added: Mark[] } {
  const marks = removed.length > wordLimit || added.length > wordLimit ? changedMiddle(removed, added) : changedPieces(removed, added);
  return { removed: wholeEscapes(removed, marks.removed), added: wholeEscapes(added, marks.added) };
}

function changedPieces(removed: string, added: string): { removed: Mark[]; added: Mark[] } {
  const { oldLine, newLine } = diffHighlight(`-${removed}`, `+${added}`, false, { matching: 'none', maxLineLengthHighlight: wordLimit + 1, diffStyle: 'word' });
  return { removed: wordsIn(oldLine.content), added: wordsIn(newLine.content) };
}

const wordsIn = (html: string): Mark[] => marksOf(html).map((mark) => ({ ...mark, name: 'word' }));

/** A character that is written out is one: no mark begins or ends inside of it. */
function wholeEscapes(text: string, marks: Mark[]): Mark[] {
  if (!text.includes('⟨U+')) return marks;
  const escapes = [...text.matchAll(/⟨U\+[0-9A-F]{4}⟩/g)].map(({ 0: { length }, index }) => ({ from: index, to: index + length }));
  const insideOf = (at: number) => escapes.find(({ from, to }) => at > from && at < to);
  return marks.map((mark) => ({ ...mark, from: insideOf(mark.from)?.from ?? mark.from, to: insideOf(mark.to)?.to ?? mark.to }));
}

/** Characters compared at once: of lines of megabytes most is the same. */
const stride = 65_536;

function changedMiddle(removed: string, added: string): { removed: Mark[]; added: Mark[] } {
  const most = Math.min(removed.length, added.length);
  let head = 0;
  while (head + stride <= most && removed.slice(head, head + stride) === added.slice(head, head + stride)) head += stride;
  while (head < most && removed.charCodeAt(head) === added.charCodeAt(head)) head++;
  const [endRemoved, endAdded, rest] = [removed.length, added.length, most - head];
  let tail = 0;
  while (tail + stride <= rest && removed.slice(endRemoved - tail - stride, endRemoved - tail) === added.slice(endAdded - tail - stride, endAdded - tail)) tail += stride;
  while (tail < rest && removed.charCodeAt(endRemoved - 1 - tail) === added.charCodeAt(endAdded - 1 - tail)) tail++;
  const mark = (text: string): Mark[] => (text.length - tail > head ? [{ from: head, to: text.length - tail, name: 'word' }] : []);
  return { removed: mark(removed), added: mark(added) };
}

const token = /<(\/?)(\w+)(?: class="([^"]*)")?>|&(?:#x?[0-9a-f]+|[a-z]+);|[^<&]+|[<&]/gi;

/** The stretches that simple HTML marks (`<ins>`, `<span class="…">`), as diff2html and highlight.js write it: nested, escaped, nothing else. */
export function marksOf(html: string): Mark[] {
  const marks: Mark[] = [];
  const open: Mark[] = [];
  let at = 0;
  for (const [whole, closes, tag, name] of html.matchAll(token)) {
    if (tag === undefined) at += whole.startsWith('&') ? 1 : whole.length;
    else if (closes === '') open.push({ from: at, to: at, name: name ?? tag });
    else {
      const mark = open.pop();
      if (mark && at > mark.from) marks.push({ ...mark, to: at });
    }
  }
  return marks;
}

/** A text cut where a mark begins or ends, each piece with the names that hold there, outer first. */
export function piecesOf(text: string, marks: readonly Mark[], from: number, to: number): [text: string, names: string][] {
  const borders = [...new Set([from, to, ...marks.flatMap((mark) => [mark.from, mark.to])])].filter((at) => at >= from && at <= to).sort((a, b) => a - b);
  return borders.slice(0, -1).map((start, index) => {
    const end = borders[index + 1] as number;
    const names = marks.filter((mark) => mark.from <= start && mark.to >= end).sort((a, b) => b.to - b.from - (a.to - a.from)).map(({ name }) => name);
    return [text.slice(start, end), names.join(' ')];
  });
}
