import { highlighted } from '../../timeline/text/highlight';
import { marksOf, type Mark } from './marked';
import type { LineRun, PatchLine } from './patch-lines';

/** Lines coloured at once, and characters of them: a hunk that is larger is coloured in stretches, each as if it began there. */
const stretch = { lines: 400, chars: 50_000 };
/** Stretches whose colours are kept. */
const kept = 60;

/** Syntax colours of a patch's lines, found stretch by stretch when its rows are looked at. */
export class Colours {
  readonly #known = new Map<number, Promise<Map<number, Mark[]>>>();

  constructor(
    readonly lines: readonly PatchLine[],
    /** Each is coloured as if it were a text of its own. */
    readonly runs: readonly LineRun[],
    readonly language: string | null,
    /** The text of a line as it is drawn. */
    readonly textOf: (line: number) => string,
  ) {}

  /** The colours of some lines; those of a language that is not known have none. */
  async of(wanted: readonly number[]): Promise<Map<number, Mark[]>> {
    const found = new Map<number, Mark[]>();
    if (this.language === null) return found;
    for (const line of wanted) {
      for (const [at, marks] of await this.#stretch(this.#startOf(line))) found.set(at, marks);
    }
    return found;
  }

  /** The first line of the stretch a line is in. */
  #startOf(line: number): number {
    let [low, high] = [0, this.runs.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.runs[middle]?.from ?? 0) <= line) low = middle;
      else high = middle - 1;
    }
    const from = this.runs[low]?.from ?? 0;
    return from + Math.floor((line - from) / stretch.lines) * stretch.lines;
  }

  #stretch(from: number): Promise<Map<number, Mark[]>> {
    const known = this.#known.get(from);
    if (known) return known;
    const made = this.#colour(from);
    this.#known.set(from, made);
    const oldest = this.#known.keys().next();
    if (this.#known.size > kept && !oldest.done) this.#known.delete(oldest.value);
    return made;
  }

  /** Both sides are coloured apart, since each is a text of its own. */
  async #colour(from: number): Promise<Map<number, Mark[]>> {
    const run = this.runs.find((each) => from >= each.from && from < each.to);
    const to = Math.min(run?.to ?? from, from + stretch.lines);
    const marks = new Map<number, Mark[]>();
    for (const hidden of ['+', '-']) {
      const side: number[] = [];
      for (let at = from; at < to; at++) if (this.lines[at]?.mark !== hidden) side.push(at);
      const texts = side.map((at) => this.textOf(at));
      if (this.language === null || texts.reduce((sum, { length }) => sum + length, 0) > stretch.chars) continue;
      shared(marksOf(await highlighted(texts.join('\n'), this.language)), side, texts, marks);
    }
    return marks;
  }
}

/** Gives each line the marks that lie on it. */
function shared(all: readonly Mark[], side: readonly number[], texts: readonly string[], into: Map<number, Mark[]>): void {
  const sorted = [...all].sort((a, b) => a.from - b.from);
  let start = 0;
  let first = 0;
  side.forEach((line, index) => {
    const end = start + (texts[index]?.length ?? 0);
    const own: Mark[] = [];
    while (first < sorted.length && (sorted[first] as Mark).to <= start) first++;
    for (let at = first; at < sorted.length && (sorted[at] as Mark).from < end; at++) {
      const { from, to, name } = sorted[at] as Mark;
      if (to > start) own.push({ from: Math.max(0, from - start), to: Math.min(end, to) - start, name });
    }
    into.set(line, own);
    start = end + 1;
  });
}
