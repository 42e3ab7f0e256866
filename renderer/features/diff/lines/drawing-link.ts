import type { DrawingAnswer, DrawingQuestion } from './drawing-worker';

let lastDrawing = 0;
/** A number for a patch that is drawn, of this page alone. */
export const newDrawing = (): number => ++lastDrawing;

/** A worker that reads and lays out patches, each by its number, and the questions that wait for it. */
export class DrawingLink {
  readonly #worker = new Worker(new URL('drawing-worker.ts', import.meta.url), { type: 'module' });
  readonly #waiting = new Map<number, { resolve(answer: DrawingAnswer): void; reject(error: Error): void }>();
  #number = 0;
  #failed = false;

  constructor() {
    this.#worker.addEventListener('message', ({ data }: MessageEvent<{ number: number; answer?: DrawingAnswer; problem?: string }>) => {
      const waiting = this.#waiting.get(data.number);
      this.#waiting.delete(data.number);
      if (data.problem === undefined) waiting?.resolve(data.answer ?? null);
      else waiting?.reject(new Error(data.problem));
    });
    this.#worker.addEventListener('error', (event) => {
      this.#failed = true;
      for (const { reject } of this.#waiting.values()) reject(new Error(event.message || 'the worker that reads diffs could not be started'));
      this.#waiting.clear();
    });
  }

  /** Nothing that was asked is still being worked at. */
  get isIdle(): boolean {
    return this.#waiting.size === 0 && !this.#failed;
  }

  ask(drawing: number, question: DrawingQuestion): Promise<DrawingAnswer> {
    const number = this.#number++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(number, { resolve, reject });
      this.#worker.postMessage({ number, drawing, question });
    });
  }

  /** Forgets a patch. */
  close(drawing: number): void {
    this.ask(drawing, { ask: 'close' }).catch(() => undefined);
  }

  end(): void {
    this.#worker.terminate();
  }
}

/** A worker that waits: to start one takes longer than to draw a small file. */
let spare: DrawingLink | null = null;

/** Starts a worker for the file that will be shown. */
export function awaitDrawing(): void {
  spare ??= new DrawingLink();
}

/** A worker for one file: of any size, and so not shared. */
export function takeLink(): DrawingLink {
  const link = spare ?? new DrawingLink();
  spare = null;
  return link;
}

/** A worker that is still at work may be at it for long: another takes its place. */
export function giveBack(link: DrawingLink, drawing: number): void {
  if (spare === null && link.isIdle) {
    spare = link;
    link.close(drawing);
  } else link.end();
}

let shared: DrawingLink | null = null;

/** The worker of all small diffs. */
export const sharedLink = (): DrawingLink => (shared ??= new DrawingLink());
