import type { IndexOutcome, IndexProgress } from '@shared/contract';
import { assertNever } from '@shared/model';
import type { LongWork } from './command-context';
import type { Connection } from './engine-connection';
import { byteCount, countOf } from './figures';
import { Interrupted } from './interrupted';
import type { Surroundings } from './surroundings';

/** Milliseconds between two states of the progress line. */
const pace = 100;

/**
 * Brings the library up to date, with a progress line where stderr is a terminal. Ctrl-C stops a pass of our own, which
 * keeps what it read; a pass of another process is left to go on, and `Interrupted` is thrown.
 */
export async function bringUpToDate({ engine, isOwner }: Connection, surroundings: Pick<Surroundings, 'stderr' | 'onInterrupt'>): Promise<IndexOutcome> {
  const line = new ProgressLine(surroundings.stderr);
  const stopListening = engine.on('index.progress', (progress) => line.show(progress));
  let giveUp: (reason: Interrupted) => void = () => undefined;
  const interrupted = new Promise<never>((_done, fail) => (giveUp = fail));
  const stopWaiting = surroundings.onInterrupt(() => {
    if (isOwner()) void engine.call('index.cancel', {});
    else giveUp(new Interrupted());
  });
  try {
    return await Promise.race([engine.call('index.run', {}), interrupted]);
  } finally {
    stopWaiting();
    stopListening();
    line.clear();
  }
}

/** Does long work with a line of progress; Ctrl-C asks it to stop, and it still says what it came to. */
export async function withProgress<T>({ work, follow, stop }: LongWork<T>, surroundings: Pick<Surroundings, 'stderr' | 'onInterrupt'>): Promise<T> {
  const line = new ProgressLine(surroundings.stderr);
  const stopFollowing = follow((text) => line.print(text));
  const stopWaiting = surroundings.onInterrupt(stop);
  try {
    return await work();
  } finally {
    stopWaiting();
    stopFollowing();
    line.clear();
  }
}

class ProgressLine {
  #shown = 0;

  constructor(readonly stream: Surroundings['stderr']) {}

  show(progress: IndexProgress): void {
    if (progress.running) this.print(textOf(progress));
  }

  print(text: string): void {
    if (!this.stream.isTTY) return;
    const now = performance.now();
    if (this.#shown > 0 && now - this.#shown < pace) return;
    this.#shown = now;
    this.stream.write(`\r\u001b[K${text}`);
  }

  clear(): void {
    if (this.#shown > 0) this.stream.write('\r\u001b[K');
    this.#shown = 0;
  }
}

function textOf({ phase, sourcesDone, sourcesTotal, bytesDone, bytesTotal }: IndexProgress): string {
  switch (phase) {
    case 'survey':
      return 'Looking for sessions…';
    case 'index': {
      const share = bytesTotal > 0 ? ` · ${Math.min(99, Math.floor((bytesDone / bytesTotal) * 100))} % of ${byteCount(bytesTotal)}` : '';
      return `Reading ${sourcesDone + 1 > sourcesTotal ? sourcesTotal : sourcesDone + 1} of ${countOf(sourcesTotal, 'source')}${share}`;
    }
    case 'lineage':
      return 'Looking for forks…';
    case 'idle':
      return 'Up to date';
    default:
      return assertNever(phase, 'phase');
  }
}
