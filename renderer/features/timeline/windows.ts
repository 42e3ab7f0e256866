import type { PartView } from '@shared/model';

/** Parts asked for at once. */
export const windowSize = 50;
/** Windows kept; with `windowSize` some 2,000 parts. What is further away is asked for again when it comes into view. */
export const windowLimit = 40;

/** The loaded stretches of one session, least recently seen dropped first. */
export class PartWindows {
  #windows = new Map<number, PartView[]>();
  /** Windows whose parts may have changed since: still shown, asked for again. */
  #stale = new Set<number>();

  get(index: number): PartView | undefined {
    return this.#windows.get(Math.floor(index / windowSize))?.[index % windowSize];
  }

  /** Numbers of the windows between two parts that have to be asked for; those that are there count as seen. */
  missing(first: number, last: number, total: number): number[] {
    const wanted: number[] = [];
    const end = Math.floor(Math.min(last, total - 1) / windowSize);
    for (let number = Math.max(0, Math.floor(first / windowSize)); number <= end; number += 1) {
      const parts = this.#windows.get(number);
      const full = parts !== undefined && parts.length >= Math.min(windowSize, total - number * windowSize);
      if (parts) {
        this.#windows.delete(number);
        this.#windows.set(number, parts);
      }
      if (!full || this.#stale.has(number)) wanted.push(number);
    }
    return wanted;
  }

  /** Takes an answer whose first part starts a window. Parts that did not change keep their identity, so that their rows are not drawn again. */
  put(from: number, parts: PartView[]): void {
    for (let at = 0; at < parts.length; at += windowSize) {
      const number = Math.floor((from + at) / windowSize);
      const before = this.#windows.get(number);
      const now = parts.slice(at, at + windowSize);
      this.#windows.delete(number);
      this.#windows.set(number, before ? now.map((part, place) => keepSame(before[place], part)) : now);
      this.#stale.delete(number);
    }
    for (const number of this.#windows.keys()) {
      if (this.#windows.size <= windowLimit) break;
      this.#windows.delete(number);
      this.#stale.delete(number);
    }
  }

  /** Everything loaded is to be asked for again when it is seen. */
  age(): void {
    for (const number of this.#windows.keys()) this.#stale.add(number);
  }

  get size(): number {
    let parts = 0;
    for (const window of this.#windows.values()) parts += window.length;
    return parts;
  }
}

function keepSame(before: PartView | undefined, now: PartView): PartView {
  return before?.id === now.id && JSON.stringify(before) === JSON.stringify(now) ? before : now;
}
