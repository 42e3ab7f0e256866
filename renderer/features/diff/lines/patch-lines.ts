/** A line of a patch. Numbers are from 1; null on the side it is not on. */
export interface PatchLine {
  mark: ' ' | '+' | '-';
  text: string;
  old: number | null;
  new: number | null;
  /** False for the last line of a file that has no line end. */
  ends: boolean;
}

/** Where a hunk's lines stand among all lines of the patch. */
export interface PatchHunk {
  from: number;
  to: number;
  /** Unchanged lines before it that the patch leaves out; null where line numbers do not tell. */
  gap: number | null;
  /** Line numbers it begins at. */
  old: number;
  new: number;
  /** As in the patch: `-3,7 +3,9`. */
  range: string;
  heading: string | null;
  /** Name of its file where the patch has more than one, and the hunk is the first of it. */
  file: string | null;
}

const header = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)$/s;

/** Lines that stand one after the other in the file. */
export interface LineRun {
  from: number;
  to: number;
}

/** The name in a `+++` or `---` line; some writers put a tab and a time behind it. */
const namedIn = (line: string): string => line.slice(4).replace(/\t.*$/s, '').replace(/^[ab]\//, '');

/**
 * Reads a patch as it comes, in pieces of any length. A hunk ends when its header's counts are full and
 * not where a line looks like the next header: a changed line may begin with `--- ` or `@@`.
 */
export class PatchLines {
  readonly lines: PatchLine[] = [];
  readonly hunks: PatchHunk[] = [];
  /** Hunks, and after them unchanged lines that were put in. */
  readonly runs: LineRun[] = [];
  /** Changed and context lines that end with a carriage return. */
  returns = 0;
  /** What came since the last line end: a line of megabytes comes in many pieces, and is put together once. */
  #rest: string[] = [];
  /** The last file that headers named, and that of the first hunk. */
  #file: string | null = null;
  #firstFile: string | null = null;
  #isNewFile = false;
  #old = { at: 0, left: 0 };
  #new = { at: 0, left: 0 };

  push(text: string): void {
    let from = 0;
    for (let end = text.indexOf('\n', from); end >= 0; end = text.indexOf('\n', from)) {
      this.#take(this.#whole(text.slice(from, end)));
      from = end + 1;
    }
    if (from < text.length) this.#rest.push(text.slice(from));
  }

  #whole(end: string): string {
    if (this.#rest.length === 0) return end;
    const line = [...this.#rest, end].join('');
    this.#rest = [];
    return line;
  }

  /** What is left without a line end is a line, too. */
  end(): void {
    if (this.#rest.length > 0) this.#take(this.#whole(''));
  }

  /** Line numbers behind the last hunk. */
  get next(): { old: number; new: number } {
    return this.hunks.length === 0 ? { old: 1, new: 1 } : { old: this.#old.at, new: this.#new.at };
  }

  /** Adds unchanged lines that the patch leaves out, when it was read whole; gives the index of the first. */
  add(lines: readonly PatchLine[]): number {
    const from = this.lines.length;
    for (const line of lines) {
      if (line.text.endsWith('\r')) this.returns++;
      this.lines.push(line);
    }
    this.runs.push({ from, to: this.lines.length });
    return from;
  }

  #take(line: string): void {
    const hunk = this.hunks.at(-1);
    const mark = line[0];
    if (hunk && mark === '\\') {
      const last = this.lines.at(-1);
      if (last) last.ends = false;
      return;
    }
    const isFull = this.#old.left <= 0 && this.#new.left <= 0;
    // No line of a hunk begins otherwise: the one before was cut. One that is longer than its header says goes on.
    if (!hunk || (isFull ? mark === undefined || !' +-'.includes(mark) || /^(?:---|\+\+\+) /.test(line) : mark === '@')) {
      this.#begin(line);
      return;
    }
    // Some tools cut the blank off an empty line of context.
    if (mark === undefined || line === '\r') return this.#add(hunk, ' ', line);
    if (mark === ' ' || mark === '+' || mark === '-') this.#add(hunk, mark, line.slice(1));
  }

  #add(hunk: PatchHunk, mark: PatchLine['mark'], text: string): void {
    if (text.endsWith('\r')) this.returns++;
    this.lines.push({ mark, text, old: mark === '+' ? null : next(this.#old), new: mark === '-' ? null : next(this.#new), ends: true });
    hunk.to = this.lines.length;
  }

  #begin(line: string): void {
    if (line.startsWith('--- ') || (line.startsWith('+++ ') && namedIn(line) !== '/dev/null')) {
      this.#file = namedIn(line);
      this.#isNewFile = true;
    }
    const found = header.exec(line);
    if (!found) return;
    const first = this.hunks[0];
    if (first === undefined) this.#firstFile = this.#file;
    else if (this.#isNewFile) first.file = this.#firstFile;
    const file = first && this.#isNewFile ? this.#file : null;
    const isGoingOn = first !== undefined && !this.#isNewFile;
    this.#isNewFile = false;
    const [, oldStart, oldCount = '1', newStart, newCount = '1', heading] = found;
    const before = isGoingOn ? this.#old.at : 1;
    // A side without lines names the line before it.
    this.#old = { at: Number(oldStart) + (oldCount === '0' ? 1 : 0), left: Number(oldCount) };
    this.#new = { at: Number(newStart) + (newCount === '0' ? 1 : 0), left: Number(newCount) };
    const gap = this.#old.at - before;
    const at = this.lines.length;
    const hunk: PatchHunk = { from: at, to: at, gap: gap >= 0 ? gap : null, old: this.#old.at, new: this.#new.at, range: `-${oldStart},${oldCount} +${newStart},${newCount}`, heading: heading === '' || heading === undefined ? null : heading, file };
    this.hunks.push(hunk);
    this.runs.push(hunk);
  }
}

function next(side: { at: number; left: number }): number {
  side.left--;
  return side.at++;
}
