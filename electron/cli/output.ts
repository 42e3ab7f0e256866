import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { jsonText } from './json-text';

/** Characters gathered before they are written: a system call for every small piece would cost more than making it. */
const gathered = 64 * 1024;

/** Whoever read our output went away (`| head`). No fault: there is just nothing more to do. */
export class OutputClosed extends Error {
  override name = 'OutputClosed';
}

/** Writes text to a stream as fast as it is taken, so that a large document never waits in memory. */
export class Output {
  #held = '';
  #failure: Error | null = null;
  /** Nothing was written yet: a refusal can still be the whole answer. */
  isUntouched = true;

  constructor(readonly stream: Writable) {
    stream.on('error', (error) => (this.#failure ??= error));
  }

  async write(text: string): Promise<void> {
    this.#held += text;
    this.isUntouched = false;
    if (this.#held.length >= gathered) await this.#flush();
  }

  async line(text = ''): Promise<void> {
    await this.write(`${text}\n`);
  }

  /** A value as one line of JSON. */
  async json(value: unknown): Promise<void> {
    await this.line(jsonText(value));
  }

  /** A JSON list with one element a line. */
  async jsonList(values: Iterable<unknown> | AsyncIterable<unknown>): Promise<void> {
    let separator = '[\n';
    for await (const value of values) {
      await this.write(separator + jsonText(value));
      separator = ',\n';
    }
    await this.write(separator === ',\n' ? '\n]' : '[]');
  }

  async #flush(): Promise<void> {
    this.#check();
    const text = this.#held;
    this.#held = '';
    if (this.stream.write(text)) return;
    await once(this.stream, 'drain').catch(() => undefined);
    this.#check();
  }

  #check(): void {
    if (this.#failure === null) return;
    const { code } = this.#failure as { code?: string };
    throw code === 'EPIPE' || code === 'ERR_STREAM_DESTROYED' ? new OutputClosed() : this.#failure;
  }

  /** Writes what is held and waits until the stream has taken all. */
  async finish(): Promise<void> {
    if (this.#held !== '') await this.#flush();
    await new Promise<void>((done) => this.stream.write('', () => done()));
    // The error of a write comes after its callback.
    await new Promise<void>((done) => setImmediate(done));
    this.#check();
  }
}
