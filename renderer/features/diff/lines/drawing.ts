import { visibleControls } from '../../../ui/controls';
import { Colours } from './colours';
import { type Gap, type GapEnd, Gaps } from './gaps';
import { changedWords, type Mark, piecesOf } from './marked';
import { type PatchHunk, type PatchLine, PatchLines } from './patch-lines';
import { type DiffLook, type Row, type Rows, rowsOf } from './rows';

/** Characters of a line that are drawn; the rest is counted, and comes in steps when asked for. */
const drawnChars = 2_000;
const moreChars = 20_000;
/** Characters shown before what changed in a line that is cut. */
const lead = 200;

/** One side of a row. */
export interface Cell {
  /** Index among the patch's lines. */
  line: number;
  mark: ' ' | '+' | '-';
  old: number | null;
  new: number | null;
  /** Text with the names of what holds there: `word`, and classes of colours. */
  pieces: [text: string, names: string][];
  /** Characters left out before and behind. */
  cut: { before: number; behind: number } | null;
  ends: boolean;
}

export type DrawnRow =
  /** `gap`: unchanged lines that are left out before it; `open`: where they can be had from. */
  | { kind: 'hunk'; gap: number | null; range: string; heading: string | null; file: string | null; open: Gap | null }
  | { kind: 'fold'; from: number; count: number }
  /** One cell when both sides are drawn in one column. */
  | { kind: 'line'; cells: (Cell | null)[] };

/** What a layout came to. */
export interface LaidOut {
  rows: number;
  stops: number[];
  /** Characters of the longest line as drawn. */
  longest: number;
  /** The highest line number. */
  highest: number;
}

/** A patch being drawn: read in pieces, laid out, and given out row by row. It knows nothing of the page. */
export class DiffDrawing {
  readonly #patch = new PatchLines();
  #laid: Rows = { rows: [], stops: [], partnerOf: () => undefined };
  #look: DiffLook = { split: false, blanks: 'shown' };
  readonly #unfolded = new Set<number>();
  /** How much of a long line is drawn beyond the usual. */
  readonly #widened = new Map<number, { before: number; behind: number }>();
  readonly #colours: Colours;
  readonly #gaps: Gaps;
  #isWhole = false;

  /** `wholeLines`: lines of the file before the change, null where it is not known whole. */
  constructor(
    language: string | null,
    readonly wholeLines: number | null = null,
  ) {
    this.#colours = new Colours(this.#patch.lines, this.#patch.runs, language, (line) => this.#text(line));
    this.#gaps = new Gaps(this.#patch, wholeLines);
  }

  get lines(): readonly PatchLine[] {
    return this.#patch.lines;
  }
  get hunks(): readonly PatchHunk[] {
    return this.#patch.hunks;
  }

  push(text: string, isLast: boolean): void {
    this.#patch.push(text);
    if (!isLast) return;
    this.#patch.end();
    this.#isWhole = true;
  }

  /** Draws unchanged lines that the patch leaves out; taken once it was read whole. */
  put(gap: number, end: GapEnd, from: number, texts: readonly string[]): LaidOut {
    if (this.#isWhole) this.#gaps.put(gap, end, from, texts);
    return this.lay(this.#look);
  }

  lay(look: DiffLook): LaidOut {
    this.#look = look;
    this.#laid = rowsOf(this.#patch.lines, this.#patch.hunks, look, this.#unfolded, this.#isWhole ? this.#gaps : null);
    let longest = 0;
    let highest = 0;
    for (const [at, { text, old, new: now }] of this.#patch.lines.entries()) {
      const { before = 0, behind = 0 } = this.#widened.get(at) ?? {};
      longest = Math.max(longest, Math.min(text.length, drawnChars + before + behind));
      highest = Math.max(highest, old ?? 0, now ?? 0);
    }
    return { rows: this.#laid.rows.length, stops: this.#laid.stops, longest, highest };
  }

  unfold(from: number): LaidOut {
    this.#unfolded.add(from);
    return this.lay(this.#look);
  }

  /** Draws more of a line that is cut. */
  widen(line: number, side: 'before' | 'behind'): LaidOut {
    const known = this.#widened.get(line) ?? { before: 0, behind: 0 };
    this.#widened.set(line, { ...known, [side]: known[side] + moreChars });
    return this.lay(this.#look);
  }

  /** Rows of a window; colours take longer and are asked for apart. */
  async draw(from: number, to: number, isColoured: boolean): Promise<DrawnRow[]> {
    const rows = this.#laid.rows.slice(from, to);
    const shown = rows.flatMap((row) => (row.kind === 'line' ? [row.left, row.right].filter((line) => line >= 0) : []));
    const colours = isColoured ? await this.#colours.of(shown) : new Map<number, Mark[]>();
    return rows.map((row) => this.#row(row, colours));
  }

  #row(row: Row, colours: ReadonlyMap<number, Mark[]>): DrawnRow {
    if (row.kind === 'fold') return row;
    if (row.kind === 'hunk') {
      const { gap = null, range = '', heading = null, file = null } = this.#patch.hunks[row.hunk] ?? {};
      const left = this.#isWhole ? this.#gaps.at(row.hunk) : null;
      return { kind: 'hunk', gap: left?.left ?? gap, range, heading: heading === null ? null : visibleControls(heading), file: file === null ? null : visibleControls(file), open: this.wholeLines !== null && left !== null && left.left > 0 ? left : null };
    }
    const { left, right } = row;
    const isSame = left >= 0 && right >= 0 && (left === right || this.#laid.partnerOf(left) !== right);
    if (this.#look.split) return { kind: 'line', cells: [this.#cell(left, colours, isSame), this.#cell(right, colours, isSame)] };
    const cell = this.#cell(right >= 0 ? right : left, colours, isSame);
    // A line that differs in blanks only has a number on each side.
    return { kind: 'line', cells: [cell && isSame && left !== right ? { ...cell, old: this.#patch.lines[left]?.old ?? null } : cell] };
  }

  #cell(index: number, colours: ReadonlyMap<number, Mark[]>, isSame: boolean): Cell | null {
    const line = this.#patch.lines[index];
    if (!line) return null;
    const text = this.#text(index);
    const words = isSame ? [] : this.#words(index, text);
    const marks = [...(colours.get(index) ?? []), ...words];
    const { from, to } = this.#shown(index, text, words);
    const pieces = from === to ? [] : piecesOf(text, marks, from, to);
    return {
      line: index, mark: isSame ? ' ' : line.mark, old: line.old, new: line.new, ends: line.ends,
      pieces: isLong(line) ? pieces.map(([piece, names]) => [readable(piece), names]) : pieces,
      cut: from > 0 || to < text.length ? { before: from, behind: text.length - to } : null,
    };
  }

  #words(index: number, text: string): Mark[] {
    const partner = this.#laid.partnerOf(index);
    if (partner === undefined) return [];
    const isRemoved = this.#patch.lines[index]?.mark === '-';
    const other = this.#text(partner);
    return isRemoved ? changedWords(text, other).removed : changedWords(other, text).added;
  }

  /** Which part of a long line is drawn: around what changed in it. */
  #shown(index: number, text: string, words: readonly Mark[]): { from: number; to: number } {
    if (text.length <= drawnChars) return { from: 0, to: text.length };
    const { before = 0, behind = 0 } = this.#widened.get(index) ?? {};
    const start = Math.max(0, Math.min((words[0]?.from ?? 0) - lead, text.length - drawnChars));
    return { from: Math.max(0, start - before), to: Math.min(text.length, start + drawnChars + behind) };
  }

  /** A line as it is drawn; of a line of megabytes only what is shown of it is made readable. */
  #text(index: number): string {
    const line = this.#patch.lines[index];
    if (!line) return '';
    // A carriage return is seen where not all lines end with one.
    const text = this.#patch.returns === this.#patch.lines.length && line.text.endsWith('\r') ? line.text.slice(0, -1) : line.text;
    return isLong(line) ? text : readable(text);
  }
}

const isLong = ({ text }: PatchLine): boolean => text.length > drawnChars * 50;

const readable = (text: string): string => visibleControls(text.includes('\r') ? text.replaceAll('\r', '␍') : text);
