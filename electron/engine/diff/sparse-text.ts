import { type Hunk, oldIndex, sameLine } from './hunks';
import type { LineEdit } from './line-diff';

/** Pieces of one file: beyond it the composing of small changes costs more than it tells. */
const pieceLimit = 4_000;

/** Lines of the original (`count` is Infinity for all that follow), or lines put in. */
type Piece = { from: number; count: number } | { lines: string[] };

/**
 * A file of which only what hunks show is known. Placed hunks are composed on it one after the other: what is kept of
 * the original, what went, what came. So changes that cancel each other are seen to, though nobody recorded the file.
 */
export class SparseText {
  #pieces: Piece[] = [{ from: 0, count: Infinity }];
  /** Lines of the original that hunks showed. */
  readonly #known = new Map<number, string>();
  /** Those of the patch that is being applied, to be forgotten should it not fit. */
  #learned: number[] = [];

  /** True when all hunks of one patch fit; else nothing is changed. All of them speak of the file before the patch. */
  apply(hunks: readonly Hunk[]): boolean {
    const pieces = this.#pieces;
    this.#learned = [];
    for (const hunk of [...hunks].sort((a, b) => oldIndex(b) - oldIndex(a))) {
      if (this.#applyOne(hunk) && this.#pieces.length <= pieceLimit) continue;
      this.#pieces = pieces;
      for (const index of this.#learned) this.#known.delete(index);
      return false;
    }
    return true;
  }

  #applyOne(hunk: Hunk): boolean {
    const split = splitAt(this.#pieces, oldIndex(hunk));
    if (!split) return false;
    const [before, rest] = split;
    const middle: Piece[] = [];
    for (const { mark, text } of hunk.lines) {
      if (mark === '+') {
        middle.push({ lines: [text] });
        continue;
      }
      const taken = this.#takeLine(rest, text);
      if (!taken) return false;
      if (mark === ' ') middle.push(taken);
    }
    this.#pieces = merged([...before, ...middle, ...rest]);
    return true;
  }

  /** Takes one line off the front, if it is, or may be, this one. */
  #takeLine(rest: Piece[], text: string): Piece | null {
    const first = rest[0];
    if (!first) return null;
    if ('lines' in first) {
      const line = first.lines[0] as string;
      if (!sameLine(line, text, false) && !sameLine(line, text, rest.length === 1)) return null;
      if (first.lines.length === 1) rest.shift();
      else rest[0] = { lines: first.lines.slice(1) };
      return { lines: [line] };
    }
    const known = this.#known.get(first.from);
    if (known !== undefined && !sameLine(known, text, true)) return null;
    if (known === undefined) {
      this.#known.set(first.from, text);
      this.#learned.push(first.from);
    }
    if (first.count === 1) rest.shift();
    else rest[0] = { from: first.from + 1, count: first.count - 1 };
    return { from: first.from, count: 1 };
  }

  /** The original, when this is what became of it; null when it does not fit, or when some of it is not known still. */
  originalOf(now: readonly string[]): string[] | null {
    const inserted = this.#pieces.reduce((sum, piece) => sum + ('lines' in piece ? piece.lines.length : 0), 0);
    const finite = this.#pieces.reduce((sum, piece) => sum + ('lines' in piece || piece.count === Infinity ? 0 : piece.count), 0);
    const tail = now.length - inserted - finite;
    if (tail < 0) return null;
    const original = new Map(this.#known);
    let at = 0;
    let end = 0;
    for (const piece of this.#pieces) {
      if ('lines' in piece) {
        if (!piece.lines.every((line, index) => sameLine(line, now[at + index] as string, true))) return null;
        at += piece.lines.length;
        continue;
      }
      const count = piece.count === Infinity ? tail : piece.count;
      for (let i = 0; i < count; i++) {
        const line = now[at + i] as string;
        const known = original.get(piece.from + i);
        if (known !== undefined && !sameLine(known, line, true)) return null;
        original.set(piece.from + i, line);
      }
      at += count;
      end = Math.max(end, piece.from + count);
    }
    for (const index of original.keys()) end = Math.max(end, index + 1);
    const lines: string[] = [];
    for (let i = 0; i < end; i++) {
      const line = original.get(i);
      if (line === undefined) return null;
      lines.push(line);
    }
    return lines;
  }

  /** What changed in all, against the original. */
  edits(): LineEdit[] {
    const edits: LineEdit[] = [];
    let next = 0;
    let inserted: string[] = [];
    for (const piece of this.#pieces) {
      if ('lines' in piece) {
        for (const line of piece.lines) inserted.push(line);
        continue;
      }
      const removed: string[] = [];
      for (let i = next; i < piece.from; i++) removed.push(this.#known.get(i) ?? '\n');
      if (removed.length > 0 || inserted.length > 0) edits.push({ at: next, removed, inserted });
      inserted = [];
      next = piece.from + piece.count;
    }
    if (inserted.length > 0) edits.push({ at: next, removed: [], inserted });
    return edits;
  }

  lineAt(index: number): string | undefined {
    return this.#known.get(index);
  }

  /** Where lines that do not say where they stand are found, if only in one place: the index in the present text. */
  find(hunk: Hunk): number | null {
    const wanted = hunk.lines.flatMap(({ mark, text }) => (mark === '+' ? [] : [text]));
    if (wanted.length === 0) return null;
    const found: number[] = [];
    const window: { text: string; at: number }[] = [];
    let at = 0;
    for (const piece of this.#pieces) {
      const count = 'lines' in piece ? piece.lines.length : piece.count;
      const known = 'lines' in piece ? piece.lines.map((text, i) => [i, text] as const) : [...this.#known].flatMap(([i, text]) => (i >= piece.from && i < piece.from + count ? [[i - piece.from, text] as const] : [])).sort(([a], [b]) => a - b);
      for (const [offset, text] of known) {
        if (window.length > 0 && window.at(-1)?.at !== at + offset - 1) window.length = 0;
        window.push({ text, at: at + offset });
        if (window.length > wanted.length) window.shift();
        if (window.length === wanted.length && window.every((line, i) => sameLine(line.text, wanted[i] as string, true))) found.push((window[0] as { at: number }).at);
      }
      at += count;
    }
    const [only] = found;
    return only === undefined || found.length > 1 ? null : only;
  }
}

/** The pieces before a line of the present text, and the others. */
function splitAt(pieces: readonly Piece[], index: number): [Piece[], Piece[]] | null {
  if (index < 0) return null;
  const before: Piece[] = [];
  let left = index;
  for (let i = 0; i < pieces.length; i++) {
    const piece = pieces[i] as Piece;
    const count = 'lines' in piece ? piece.lines.length : piece.count;
    if (left < count) {
      if (left === 0) return [before, pieces.slice(i)];
      const [head, tail]: [Piece, Piece] = 'lines' in piece
        ? [{ lines: piece.lines.slice(0, left) }, { lines: piece.lines.slice(left) }]
        : [{ from: piece.from, count: left }, { from: piece.from + left, count: piece.count - left }];
      return [[...before, head], [tail, ...pieces.slice(i + 1)]];
    }
    before.push(piece);
    left -= count;
  }
  return left === 0 ? [before, []] : null;
}

function merged(pieces: readonly Piece[]): Piece[] {
  const result: Piece[] = [];
  for (const piece of pieces) {
    const last = result.at(-1);
    if (last && 'lines' in last && 'lines' in piece) result[result.length - 1] = { lines: [...last.lines, ...piece.lines] };
    else if (last && !('lines' in last) && !('lines' in piece) && last.from + last.count === piece.from) result[result.length - 1] = { from: last.from, count: last.count + piece.count };
    else result.push(piece);
  }
  return result;
}

