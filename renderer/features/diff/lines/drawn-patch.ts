import type { DrawnRow, LaidOut } from './drawing';
import type { DrawingAnswer, DrawingQuestion } from './drawing-worker';
import { type DrawingLink, giveBack, newDrawing, sharedLink, takeLink } from './drawing-link';
import type { GapEnd } from './gaps';
import type { DiffLook } from './rows';

/** Rows asked for at once, and windows that are kept. */
export const windowRows = 100;
const keptWindows = 40;

/** One patch on the page: a worker reads and lays it out; only the windows that were looked at are here. */
export class DrawnPatch {
  readonly #link: DrawingLink;
  readonly #drawing = newDrawing();
  readonly #windows = new Map<number, { rows: DrawnRow[]; isColoured: boolean }>();
  readonly #asked = new Set<number>();
  /** Rows of the newest layout. */
  rows = 0;
  /** Grows with every layout: an answer to an older one is thrown away. */
  #layout = 0;

  /** `worker`: a patch of any size has one of its own, small ones share one. `onChange`: rows came. */
  constructor(
    readonly worker: 'own' | 'shared',
    language: string | null,
    wholeLines: number | null,
    readonly onChange: () => void,
  ) {
    this.#link = worker === 'own' ? takeLink() : sharedLink();
    void this.#ask({ ask: 'open', language, wholeLines });
  }

  #ask(question: DrawingQuestion): Promise<DrawingAnswer> {
    return this.#link.ask(this.#drawing, question);
  }

  push(text: string, isLast: boolean): void {
    void this.#ask({ ask: 'push', text, isLast });
  }

  /** `onlyGrew`: rows came at the end, so that what is here still holds. */
  lay({ split, blanks }: DiffLook, onlyGrew = false): Promise<LaidOut> {
    return this.#lay({ ask: 'lay', look: { split, blanks } }, onlyGrew);
  }
  unfold(from: number): Promise<LaidOut> {
    return this.#lay({ ask: 'unfold', from });
  }
  put(gap: number, end: GapEnd, from: number, texts: string[]): Promise<LaidOut> {
    return this.#lay({ ask: 'put', gap, end, from, texts });
  }
  widen(line: number, side: 'before' | 'behind'): Promise<LaidOut> {
    return this.#lay({ ask: 'widen', line, side });
  }

  async #lay(question: DrawingQuestion, onlyGrew = false): Promise<LaidOut> {
    const answer = await this.#ask(question);
    this.#layout++;
    for (const [window, { rows, isColoured }] of this.#windows) if (!onlyGrew || !isColoured || rows.length < windowRows) this.#windows.delete(window);
    this.#asked.clear();
    for (const window of this.#windows.keys()) this.#asked.add(window);
    const laid = answer as LaidOut;
    this.rows = laid.rows;
    return laid;
  }

  /** A row, if its window is here. */
  row(index: number): DrawnRow | undefined {
    return this.#windows.get(Math.floor(index / windowRows))?.rows[index % windowRows];
  }

  /** Asks for the windows of some rows: first as they are, then with their colours. */
  want(first: number, last: number): void {
    for (let window = Math.floor(first / windowRows); window <= Math.floor(last / windowRows); window++) {
      if (this.#asked.has(window)) continue;
      this.#asked.add(window);
      void this.#load(window, this.#layout);
    }
  }

  async #load(window: number, layout: number): Promise<void> {
    for (const isColoured of [false, true]) {
      const rows = await this.#ask({ ask: 'draw', from: window * windowRows, to: (window + 1) * windowRows, isColoured }).catch(() => null);
      if (rows === null || layout !== this.#layout) return;
      this.#windows.set(window, { rows: rows as DrawnRow[], isColoured });
      const oldest = this.#windows.keys().next();
      if (this.#windows.size > keptWindows && !oldest.done) {
        this.#windows.delete(oldest.value);
        this.#asked.delete(oldest.value);
      }
      this.onChange();
    }
  }

  close(): void {
    if (this.worker === 'own') giveBack(this.#link, this.#drawing);
    else this.#link.close(this.#drawing);
  }
}
