import type { Damage } from '@shared/model';
import { batchBytes, type JsonObject, type RawBatch } from '../store';

/** Gathers lines of one source into batches of bounded size. */
export class Batches {
  #lines: Buffer[] = [];
  #bytes = 0;
  #damage: Damage[] = [];

  constructor(
    readonly source: string,
    /** Where the next batch begins in the stream. */
    public at: number,
    public restarts: boolean,
  ) {}

  add(line: Buffer): void {
    this.#lines.push(line);
    this.#bytes += line.length;
  }

  /**
   * Names a place that could not be taken in. Damage is replaced from a place in the stream on, so it is tied to where
   * the stream stands.
   */
  report(damage: Omit<Damage, 'at'>): void {
    this.#damage.push({ ...damage, at: this.at + this.#bytes });
  }

  get isFull(): boolean {
    return this.#bytes >= batchBytes;
  }

  /** Nothing was gathered, and nothing has to be said. */
  get isEmpty(): boolean {
    return this.#lines.length === 0 && this.#damage.length === 0 && !this.restarts;
  }

  take(cursor: JsonObject): RawBatch {
    const batch = { source: this.source, restarts: this.restarts, at: this.at, bytes: Buffer.concat(this.#lines), cursor, damage: this.#damage };
    this.at += this.#bytes;
    this.restarts = false;
    this.#lines = [];
    this.#bytes = 0;
    this.#damage = [];
    return batch;
  }
}
