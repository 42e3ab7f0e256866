import type { IndexOutcome } from '@shared/contract';
import type { Examination } from '@shared/model';
import { Exclusions } from '../library/keep/exclusions';
import { Keeping, type KeepingAct, type KeepingAnswer, writes } from '../library/keep/keeping';
import { Library, locationKey } from '../library/library';
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
  readonly #keeping: Keeping;
  /** Acts that write come one after the other, and no pass begins while one runs. */
  #acts: Promise<unknown> = Promise.resolve();

  constructor(
    readonly setup: IndexingSetup,
    readonly stores: readonly SessionStore[],
    readonly events: IndexingEvents,
  ) {
    this.#library = new Library(setup.file);
    this.#keeping = new Keeping(this.#library, stores, {
      now: () => Date.now(),
      progress: (progress) => events.compaction(progress),
      changed: (revision) => events.changed(revision, []),
    });
  }

  run(): Promise<IndexOutcome> {
    this.#stopped = false;
    this.#running ??= this.#acts.then(() => this.#pass()).finally(() => {
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
      const exclusions = new Exclusions(this.#library.db);
      const isUsual = (store: SessionStore, folder: string) => store.locate({ home: environment.home, platform: environment.platform, variables: {}, added: [] })[0]?.folder === folder;
      const specs = this.stores.flatMap((store) =>
        store
          .locate(surroundingsOf(this.#library.db, environment, store.agent))
          .filter((location) => !exclusions.coversStore({ key: locationKey(location, isUsual(store, location.folder)), agent: location.agent }))
          .map((location) => store.watch(location)),
      );
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

  async keep(act: KeepingAct): Promise<KeepingAnswer> {
    if (!writes(act)) return this.#keeping.do(act);
    const answer = this.#acts.then(() => this.#betweenPasses(act));
    this.#acts = answer.catch(() => undefined);
    return answer;
  }

  async #betweenPasses(act: KeepingAct): Promise<KeepingAnswer> {
    const running = this.#running;
    const wasStopped = this.#stopped;
    if (running) {
      this.#stopped = true;
      await running.catch(() => undefined);
    }
    try {
      return await this.#keeping.do(act);
    } finally {
      this.#stopped = wasStopped;
      // What is watched may have changed: the next pass watches anew.
      if (act.act === 'exclude' || act.act === 'include') {
        this.#watch?.close();
        this.#watch = null;
      }
      const goesOn = (running !== null && !wasStopped) || act.act === 'include';
      if (this.setup.watch && goesOn) setImmediate(() => !this.#closed && this.#follow());
    }
  }

  cancelKeeping(): void {
    this.#keeping.cancel();
  }

  cancel(): void {
    this.#stopped = true;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#keeping.cancel();
    this.#watch?.close();
    await this.#acts;
    await this.#running?.catch(() => undefined);
    this.#library.close();
  }
}
