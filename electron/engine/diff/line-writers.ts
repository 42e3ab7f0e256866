import type { ChangePlace, LineWriter } from '@shared/model';
import { type Content, linesOf } from './content';
import type { ChangeStep } from './change-step';
import type { Hunk } from './hunks';
import { lineEdits } from './line-diff';

/** Stretches of lines with one writer that are held of a file; what a file with more says is not known. */
const pieceLimit = 50_000;

/** Equal lines that are followed from one to the next. */
const slides = 1_000;

/** Lines `at … at + removed` of the text so far give way to so many new ones. */
interface Edit {
  at: number;
  removed: number;
  inserted: number;
}

/** Lines that came from one place: `from` is where they stood in the original, null for those that were put in. */
interface Piece {
  from: number | null;
  count: number;
  writer: Writer | null;
}

interface Writer {
  state: 'written' | 'outside';
  place: ChangePlace;
}

/** Follows one file through its changes and remembers for every line who wrote it, and for lines of the original who took them away. */
export class LineWriters {
  #pieces: Piece[] = [{ from: 0, count: Infinity, writer: null }];
  readonly #taken: { from: number; count: number; writer: Writer }[] = [];
  /** The original's line numbers are still those of the first state. */
  #hasOriginal = true;

  /** A recorded change led from one content to another. */
  wrote(before: Content, after: Content, step: ChangeStep): void {
    const writer: Writer = { state: 'written', place: step.place };
    const edits = editsOf(before, after) ?? (step.placed && step.hunks !== null && step.hunks.length > 0 ? editsOfHunks(step.hunks) : null);
    if (edits) this.#take(edits, writer);
    else if (after.state === 'absent') this.#take([{ at: 0, removed: Infinity, inserted: 0 }], writer);
    else if (after.state === 'text') this.#anew(writer);
    else if (step.kind !== 'mode' && !(step.kind === 'rename' && (step.hunks === null || step.hunks.length === 0))) this.lose();
  }

  /** Somebody else changed it; that was seen at a place. */
  changedOutside(before: Content, after: Content, place: ChangePlace): void {
    const edits = editsOf(before, after);
    if (edits) this.#take(edits, { state: 'outside', place });
    else this.lose();
  }

  /** From here on it is not known which lines are which. */
  lose(): void {
    this.#anew(null);
  }

  #anew(writer: Writer | null): void {
    this.#pieces = [{ from: null, count: Infinity, writer }];
    this.#taken.length = 0;
    this.#hasOriginal = false;
  }

  /**
   * Who wrote a line of the last state (`new`), or took away a line of the first (`old`). Lines are counted from 1.
   * Of equal lines a difference may name others than the changes did: with its `hunks`, what it shows is told.
   */
  of(side: 'old' | 'new', line: number, hunks: readonly Hunk[] | null = null): LineWriter {
    const asked = new Set<number>();
    for (let at = line; asked.size < slides && !asked.has(at); ) {
      asked.add(at);
      const found = this.#at(side, at);
      if (found.state !== 'unchanged') return found;
      if (hunks === null || keptLine(hunks, side, at) !== null) return { state: 'unchanged' };
      // The same line stands on the other side; the one the difference keeps for it was changed instead.
      const instead = keptLine(hunks, side === 'new' ? 'old' : 'new', found.other);
      if (instead === null) break;
      at = instead;
    }
    return { state: 'unknown' };
  }

  /** As the changes have it; `other`: where an unchanged line stands on the other side. */
  #at(side: 'old' | 'new', line: number): Exclude<LineWriter, { state: 'unchanged' }> | { state: 'unchanged'; other: number } {
    if (side === 'old') {
      const taken = this.#taken.find(({ from, count }) => line - 1 >= from && line - 1 < from + count);
      return taken?.writer ?? this.#whereIs(line - 1);
    }
    let left = line - 1;
    for (const { from, count, writer } of this.#pieces) {
      if (left < count) return writer ?? (from === null ? { state: 'unknown' } : { state: 'unchanged', other: from + left + 1 });
      left -= count;
    }
    return { state: 'unknown' };
  }

  /** Where a line of the original stands now. */
  #whereIs(index: number): { state: 'unknown' } | { state: 'unchanged'; other: number } {
    let at = 0;
    for (const { from, count } of this.#hasOriginal ? this.#pieces : []) {
      if (from !== null && index >= from && index < from + count) return { state: 'unchanged', other: at + index - from + 1 };
      at += count;
    }
    return { state: 'unknown' };
  }

  /** Edits speak of the text before all of them, so the last is taken first. */
  #take(edits: readonly Edit[], writer: Writer): void {
    for (const edit of [...edits].sort((a, b) => b.at - a.at)) this.#takeOne(edit, writer);
    if (this.#pieces.length > pieceLimit) this.lose();
  }

  #takeOne({ at, removed, inserted }: Edit, writer: Writer): void {
    const [before, rest] = cut(this.#pieces, at);
    const [gone, after] = cut(rest, removed);
    if (this.#hasOriginal) for (const { from, count } of gone) if (from !== null) this.#taken.push({ from, count, writer });
    this.#pieces = [...before, ...(inserted > 0 ? [{ from: null, count: inserted, writer }] : []), ...after];
  }
}

function cut(pieces: readonly Piece[], index: number): [Piece[], Piece[]] {
  const before: Piece[] = [];
  let left = index;
  for (const [at, piece] of pieces.entries()) {
    if (left <= 0) return [before, pieces.slice(at)];
    if (piece.count > left) {
      const rest = { ...piece, from: piece.from === null ? null : piece.from + left, count: piece.count - left };
      return [[...before, { ...piece, count: left }], [rest, ...pieces.slice(at + 1)]];
    }
    before.push(piece);
    left -= piece.count;
  }
  return [before, []];
}

/** Null where a side is not known line by line. */
function editsOf(before: Content, after: Content): Edit[] | null {
  const lines = ({ state, ...content }: Content) => (state === 'absent' ? [] : 'text' in content ? linesOf(content.text) : null);
  const [old, now] = [lines(before), lines(after)];
  return old && now && lineEdits(old, now).map((edit) => ({ at: edit.at, removed: edit.removed.length, inserted: edit.inserted.length }));
}

/** The runs of changed lines in hunks that say where they stand. */
function editsOfHunks(hunks: readonly Hunk[]): Edit[] {
  const edits: Edit[] = [];
  for (const { oldStart, lines } of hunks) {
    let at = lines.some(({ mark }) => mark !== '+') ? oldStart - 1 : oldStart;
    let open: Edit | null = null;
    for (const { mark } of lines) {
      if (mark === ' ') {
        open = null;
        at++;
        continue;
      }
      if (!open) edits.push((open = { at, removed: 0, inserted: 0 }));
      if (mark === '+') open.inserted++;
      else {
        open.removed++;
        at++;
      }
    }
  }
  return edits;
}

/** Where a line stands on the other side of a difference; null when it is one of those that changed. */
export function keptLine(hunks: readonly Hunk[], side: 'old' | 'new', line: number): number | null {
  const own = side === 'old' ? '-' : '+';
  let shift = 0;
  for (const hunk of hunks) {
    // A side without lines names the line before it.
    const isBare = !hunk.lines.some(({ mark }) => mark === ' ' || mark === own);
    let at = (side === 'old' ? hunk.oldStart : hunk.newStart) + (isBare ? 1 : 0);
    if (line < at) break;
    for (const { mark } of hunk.lines) {
      if (mark !== ' ' && mark !== own) {
        shift++;
        continue;
      }
      if (at === line) return mark === own ? null : line + shift;
      if (mark === own) shift--;
      at++;
    }
  }
  return line + shift;
}
