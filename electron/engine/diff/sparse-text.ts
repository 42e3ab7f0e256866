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

  /** True when all hunks of one patch fit; else nothing is changed. All of them speak of the file before the patch. */
  apply(hunks: readonly Hunk[]): boolean {
    /** Lines that this patch shows, to be forgotten should it not fit. */
    const learned: number[] = [];
    const pieces = this.#applied(hunks, learned);
    if (pieces !== null && pieces.length <= pieceLimit) {
      this.#pieces = pieces;
      return true;
    }
    for (const index of learned) this.#known.delete(index);
    return false;
  }

  /** What becomes of the pieces, in one walk over them; null where a hunk does not fit. */
  #applied(hunks: readonly Hunk[], learned: number[]): Piece[] | null {
    const reader = new PieceReader(this.#pieces);
    const made: Piece[] = [];
    for (const hunk of [...hunks].sort((a, b) => oldIndex(a) - oldIndex(b))) {
      if (!reader.copyTo(oldIndex(hunk), made)) return null;
      for (const { mark, text } of hunk.lines) {
        const piece: Piece | null = mark === '+' ? { lines: [text] } : this.#takeLine(reader, text, learned);
        if (!piece) return null;
        if (mark !== '-') append(made, piece);
      }
    }
    reader.copyTo(Infinity, made);
    return made;
  }

  /** Takes the next line, if it is, or may be, this one. */
  #takeLine(reader: PieceReader, text: string, learned: number[]): Piece | null {
    const taken = reader.take();
    if (!taken) return null;
    if ('lines' in taken) return sameLine(taken.lines[0] as string, text, reader.isAtEnd) ? taken : null;
    const known = this.#known.get(taken.from);
    if (known !== undefined && !sameLine(known, text, true)) return null;
    if (known === undefined) {
      this.#known.set(taken.from, text);
      learned.push(taken.from);
    }
    return taken;
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

/** Reads pieces line by line from the first on. */
class PieceReader {
  #index = 0;
  /** Lines of the piece at hand that were read. */
  #done = 0;
  /** Lines read in all. */
  #at = 0;

  constructor(readonly pieces: readonly Piece[]) {}

  get isAtEnd(): boolean {
    return this.#index >= this.pieces.length;
  }

  /** One line as a piece of its own; null behind the last. */
  take(): Piece | null {
    return this.#read(1);
  }

  /** Copies what stands before a line of the text; false when that line was read already, or lies beyond the end. */
  copyTo(line: number, into: Piece[]): boolean {
    if (line < this.#at) return false;
    while (this.#at < line) {
      const piece = this.#read(line - this.#at);
      if (!piece) break;
      append(into, piece);
    }
    return this.#at >= line || line === Infinity;
  }

  /** Up to so many lines of the piece at hand. */
  #read(most: number): Piece | null {
    const piece = this.pieces[this.#index];
    if (!piece) return null;
    const left = ('lines' in piece ? piece.lines.length : piece.count) - this.#done;
    const count = Math.min(most, left);
    const from = this.#done;
    this.#at += count;
    this.#done += count;
    if (count === left) [this.#index, this.#done] = [this.#index + 1, 0];
    return 'lines' in piece ? { lines: piece.lines.slice(from, from + count) } : { from: piece.from + from, count };
  }
}

/** Adds a piece that nobody else holds; what goes on with the last one is one piece with it. */
function append(pieces: Piece[], piece: Piece): void {
  const last = pieces.at(-1);
  if (last && 'lines' in last && 'lines' in piece) for (const line of piece.lines) last.lines.push(line);
  else if (last && !('lines' in last) && !('lines' in piece) && last.from + last.count === piece.from) last.count += piece.count;
  else pieces.push(piece);
}
