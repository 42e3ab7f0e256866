import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { IndexOutcome } from '@shared/contract';
import type { FromThread, Indexing, IndexingEvents, IndexingSetup, ToThread } from './indexing';

/** Parsed records live as long as a batch: a young generation that holds one spares copying them. Three times this is taken at the most. */
const youngMegabytes = 16;

/** The indexer in a thread of its own, with its own connection to the library. */
export class IndexerThread implements Indexing {
  readonly #worker: Worker;
  #waiting: { resolve: (outcome: IndexOutcome) => void; reject: (error: Error) => void }[] = [];
  #closed: (() => void) | null = null;
  #exited = false;

  constructor(setup: IndexingSetup, events: IndexingEvents) {
    this.#worker = new Worker(join(import.meta.dirname, 'indexer.js'), { workerData: setup, resourceLimits: { maxYoungGenerationSizeMb: youngMegabytes } });
    this.#worker.on('message', (message: FromThread) => this.#take(message, events));
    this.#worker.on('error', (error) => this.#end(error instanceof Error ? error : new Error(String(error))));
    this.#worker.on('exit', () => {
      this.#exited = true;
      this.#end(new Error('The indexing thread ended.'));
    });
  }

  #take(message: FromThread, events: IndexingEvents): void {
    switch (message.type) {
      case 'progress':
        return events.progress(message.progress);
      case 'changed':
        return events.changed(message.revision, message.sessions);
      case 'done': {
        const waiting = this.#waiting;
        this.#waiting = [];
        for (const { resolve } of waiting) resolve(message.outcome);
        return;
      }
      case 'failed':
        return this.#end(Object.assign(new Error(message.message), { stack: message.stack }));
      case 'closed':
        this.#closed?.();
    }
  }

  #end(error: Error): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { reject } of waiting) reject(error);
    this.#closed?.();
  }

  run(): Promise<IndexOutcome> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.#post({ type: 'run' });
    });
  }

  cancel(): void {
    this.#post({ type: 'cancel' });
  }

  async close(): Promise<void> {
    // A thread that has failed answers nothing any more.
    if (this.#exited) return;
    const closed = new Promise<void>((resolve) => (this.#closed = resolve));
    this.#post({ type: 'close' });
    await closed;
    await this.#worker.terminate();
  }

  #post(message: ToThread): void {
    this.#worker.postMessage(message);
  }
}
