import { MessageChannel, type MessagePort, SHARE_ENV, Worker } from 'node:worker_threads';
import { Restarts } from '@shared/restarts';
import type { WorkerMessage } from '../engine/host';

/** ms the engine gets to end in order before its thread is stopped. */
const endLimit = 3_000;

/** Keeps one engine running in a thread of this process. A crashed one is started again; the ports to it close. */
export class EngineThread {
  readonly #entry: string;
  readonly #restarts = new Restarts();
  #worker: Worker | undefined;
  #ports = new Set<MessagePort>();
  #waiting: MessagePort[] = [];
  #timer: NodeJS.Timeout | undefined;
  #ended = false;

  constructor(entry: string) {
    this.#entry = entry;
    this.#start();
  }

  #start(): void {
    // One environment for both: SQLite reads settings from the process's own, which a thread's copy does not change.
    const worker = new Worker(this.#entry, { env: SHARE_ENV });
    worker.on('error', (error) => process.stderr.write(`retrace: the engine failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`));
    worker.on('exit', (code) => this.#exited(code));
    this.#worker = worker;
    for (const port of this.#waiting.splice(0)) this.#hand(worker, port);
  }

  #hand(worker: Worker, port: MessagePort): void {
    worker.postMessage({ port } satisfies WorkerMessage, [port]);
  }

  /** A fresh port wired to the engine. While no engine runs its messages wait for the next one. */
  connect(): MessagePort {
    const { port1, port2 } = new MessageChannel();
    this.#ports.add(port1);
    port1.on('close', () => this.#ports.delete(port1));
    if (this.#worker) this.#hand(this.#worker, port2);
    else this.#waiting.push(port2);
    return port1;
  }

  async end(): Promise<void> {
    this.#ended = true;
    clearTimeout(this.#timer);
    for (const port of [...this.#ports, ...this.#waiting]) port.close();
    const worker = this.#worker;
    if (!worker) return;
    const ended = new Promise<void>((done) => worker.once('exit', () => done()));
    worker.postMessage({ end: true } satisfies WorkerMessage);
    const limit = setTimeout(() => void worker.terminate(), endLimit);
    await ended;
    clearTimeout(limit);
  }

  #exited(code: number): void {
    this.#worker = undefined;
    if (this.#ended) return;
    // A port whose other end went with the thread closes by itself; one that was still on its way there does not.
    for (const port of this.#ports) port.close();
    const delay = this.#restarts.next(Date.now());
    process.stderr.write(`retrace: the engine ended (code ${code}); it starts again in ${(delay / 1000).toFixed(1)} s\n`);
    this.#timer = setTimeout(() => this.#start(), delay);
  }
}
