import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { IndexOutcome } from '@shared/contract';
import type { Examination } from '@shared/model';
import type { KeepingAct, KeepingAnswer } from '../library/keep/keeping';
import type { FromThread, Indexing, IndexingEvents, IndexingSetup, ToThread } from './indexing';

/** Parsed records live as long as a batch: a young generation that holds one spares copying them. Three times this is taken at the most. */
const youngMegabytes = 8;

interface Waiting {
  resolve: (answer: unknown) => void;
  reject: (error: Error) => void;
}

/** The indexer in a thread of its own, with its own connection to the library. */
export class IndexerThread implements Indexing {
  readonly #worker: Worker;
  #runs = 0;
  #waiting = new Map<number, Waiting>();
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
      case 'done':
        this.#answered(message.run)?.resolve(message.outcome);
        return;
      case 'examined':
        this.#answered(message.run)?.resolve(message.examination);
        return;
      case 'kept':
        this.#answered(message.run)?.resolve(message.answer);
        return;
      case 'compaction':
        return events.compaction(message.progress);
      case 'failed':
        this.#answered(message.run)?.reject(Object.assign(new Error(message.message), { stack: message.stack }));
        return;
      case 'closed':
        this.#closed?.();
    }
  }

  #answered(run: number): Waiting | undefined {
    const waiting = this.#waiting.get(run);
    this.#waiting.delete(run);
    return waiting;
  }

  /** The thread is gone: whoever waits hears of it. */
  #end(error: Error): void {
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
    this.#closed?.();
  }

  run(): Promise<IndexOutcome> {
    return this.#ask<IndexOutcome>((run) => ({ type: 'run', run }));
  }

  examine(): Promise<Examination> {
    return this.#ask<Examination>((run) => ({ type: 'examine', run }));
  }

  keep(act: KeepingAct): Promise<KeepingAnswer> {
    return this.#ask<KeepingAnswer>((run) => ({ type: 'keep', run, act }));
  }

  cancelKeeping(): void {
    this.#post({ type: 'cancel keeping' });
  }

  #ask<T>(question: (run: number) => ToThread): Promise<T> {
    return new Promise((resolve, reject) => {
      const run = ++this.#runs;
      // The thread answers a number with what was asked under it.
      this.#waiting.set(run, { resolve: (answer) => resolve(answer as T), reject });
      this.#post(question(run));
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
