import type { IndexOutcome } from '@shared/contract';
import type { Examination } from '@shared/model';
import { Library } from '../library/library';
import { overlayFolders } from '../library/overlays';
import { Pass } from '../library/pass';
import { examine } from '../queries/doctor';
import { surroundingsOf } from '../library/surroundings';
import type { SessionStore } from '../stores/store';
import { environmentOf } from './environment';
import type { Indexing, IndexingEvents, IndexingSetup } from './indexing';
import { StoreWatch } from './watch';

/** The one writer of a library's projections: runs passes, one at a time, and follows the stores. */
export class Indexer implements Indexing {
  readonly #library: Library;
  #running: Promise<IndexOutcome> | null = null;
  #again = false;
  #stopped = false;
  #closed = false;
  #watch: StoreWatch | null = null;

  constructor(
    readonly setup: IndexingSetup,
    readonly stores: readonly SessionStore[],
    readonly events: IndexingEvents,
  ) {
    this.#library = new Library(setup.file);
  }

  run(): Promise<IndexOutcome> {
    this.#stopped = false;
    this.#running ??= this.#pass().finally(() => {
      this.#running = null;
      if (this.#again && !this.#closed) {
        this.#again = false;
        this.#follow();
      }
    });
    return this.#running;
  }

  async #pass(): Promise<IndexOutcome> {
    const environment = environmentOf(this.setup.options, this.setup.home, this.#library);
    const pass = new Pass(this.#library, this.stores, environment, {
      progress: (progress) => this.events.progress(progress),
      changed: (revision, sessions) => this.events.changed(revision, sessions),
      stopped: () => this.#stopped || this.#closed,
      now: () => Date.now(),
    });
    const outcome = await pass.run();
    this.#watch?.found(outcome.sourcesChanged > 0);
    if (this.setup.watch && !this.#watch && !this.#closed) {
      const specs = this.stores.flatMap((store) => store.locate(surroundingsOf(this.#library.db, environment, store.agent)).map((location) => store.watch(location)));
      // Proofs that agents file there are no part of the overlay.
      specs.push({ folders: overlayFolders(this.#library), ignore: /^evidence[\\/]/ });
      this.#watch = new StoreWatch(specs, () => this.#follow());
    }
    return outcome;
  }

  /** A pass because something may be new. A failure shows in the next pass somebody asks for. */
  #follow(): void {
    if (this.#running) this.#again = true;
    else if (!this.#stopped) this.run().catch((error: unknown) => console.error('A pass over the stores failed:', error));
  }

  async examine(): Promise<Examination> {
    return await Promise.resolve(examine(this.#library.db, this.setup.file, this.stores, Date.now()));
  }

  cancel(): void {
    this.#stopped = true;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#watch?.close();
    await this.#running?.catch(() => undefined);
    this.#library.close();
  }
}
