/** A crashed engine is started again at most so often in the window below; after that each start waits for an old one to leave it. */
const startsInWindow = 3;
/** ms */
const window = 60_000;
/** ms before the first new start, doubled for each further one in the window. */
const firstDelay = 250;

/** Decides how long to wait before a crashed engine is started again, so that one that always crashes costs little. */
export class Restarts {
  #starts: number[] = [];

  /** Delay (ms) until the next start, which is counted as done then. `now` is in ms. */
  next(now: number): number {
    this.#starts = this.#starts.filter((start) => now - start < window);
    const oldest = this.#starts.at(-startsInWindow);
    const delay = oldest === undefined ? firstDelay * 2 ** this.#starts.length : oldest + window - now;
    this.#starts.push(now + delay);
    return delay;
  }
}
