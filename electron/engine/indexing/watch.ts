import { existsSync, type FSWatcher, watch } from 'node:fs';
import type { WatchSpec } from '../stores/store';

/** Milliseconds without an event before a pass begins: a turn of an agent writes many lines. */
const quiet = 400;
/** Milliseconds after which a pass begins though events keep coming. */
const longest = 3_000;
/**
 * Milliseconds between looks that need no event: some file systems send none, and a watcher can be lost. While nothing
 * is found they become rarer, so that an idle evening costs next to nothing; what is found makes them frequent again.
 */
const poll = { shortest: 20_000, longest: 80_000 };

/** Calls `changed` when a store may have something new; many events make one call. */
export class StoreWatch {
  #watchers: FSWatcher[] = [];
  #soon: NodeJS.Timeout | undefined;
  #since = 0;
  #pause = poll.shortest;
  #poll: NodeJS.Timeout | undefined;

  constructor(
    specs: WatchSpec[],
    readonly changed: () => void,
  ) {
    for (const { folders, ignore } of specs) for (const folder of folders) this.#watch(folder, ignore);
    this.#wait();
  }

  /** Says what a pass over the stores found, whatever it was run for. */
  found(something: boolean): void {
    this.#pause = something ? poll.shortest : Math.min(this.#pause * 2, poll.longest);
    this.#wait();
  }

  #wait(): void {
    clearTimeout(this.#poll);
    this.#poll = setTimeout(() => {
      // A pass that fails says nothing of what it found.
      this.#wait();
      this.changed();
    }, this.#pause);
    this.#poll.unref();
  }

  #watch(folder: string, ignore: RegExp): void {
    if (!existsSync(folder)) return;
    try {
      const watcher = watch(folder, { recursive: true, persistent: false }, (_event, name) => {
        if (name === null || !ignore.test(name)) this.#event();
      });
      // A folder that goes away, or a limit of the system: the poll still finds what is new.
      watcher.on('error', () => watcher.close());
      this.#watchers.push(watcher);
    } catch {
      // No watcher to be had here; the poll serves.
    }
  }

  #event(): void {
    const now = Date.now();
    if (this.#soon === undefined) this.#since = now;
    clearTimeout(this.#soon);
    this.#soon = setTimeout(() => {
      this.#soon = undefined;
      this.changed();
    }, Math.max(0, Math.min(quiet, this.#since + longest - now)));
  }

  close(): void {
    clearTimeout(this.#soon);
    clearTimeout(this.#poll);
    for (const watcher of this.#watchers) watcher.close();
    this.#watchers = [];
  }
}
