import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTick } from 'node:timers/promises';
import type { IndexOutcome, IndexProgress } from '@shared/contract';
import type { Environment, SessionStore, SourceChange, StoreLocation } from '../stores/store';
import type { Db } from './database';
import { writeHeads } from './heads';
import { Exclusions } from './keep/exclusions';
import { noteGone } from './keep/keep-rule';
import { type Library, locationKey } from './library';
import { OpenTransaction } from './open-transaction';
import { Overlays } from './overlays';
import { fileAgain } from './projects';
import { Ids } from './rows';
import { SourceReader } from './source-reader';
import { surroundingsOf } from './surroundings';

export interface PassHooks {
  progress(progress: IndexProgress): void;
  /** Row ids of sessions that changed. */
  changed(revision: number, sessions: number[]): void;
  stopped(): boolean;
  now(): number;
}

interface Work {
  reader: SourceReader;
  change: SourceChange;
}

/**
 * One pass over all stores: survey (a list of what there is), then reading what is new, newest first, then lineage.
 * Work is in proportion to what changed; every step is kept, so that a stopped pass goes on where it stood.
 */
export class Pass {
  readonly #progress: IndexProgress = { running: true, phase: 'survey', sourcesDone: 0, sourcesTotal: 0, bytesDone: 0, bytesTotal: 0, cancelled: false, error: null };
  readonly #outcome: IndexOutcome = { cancelled: false, sourcesSeen: 0, sourcesChanged: 0, bytesRead: 0, recordsProjected: 0, partsWritten: 0, sessionsSettled: 0 };

  readonly #open: OpenTransaction;
  readonly #exclusions: Exclusions;

  constructor(
    readonly library: Library,
    readonly stores: readonly SessionStore[],
    readonly environment: Environment,
    readonly hooks: PassHooks,
  ) {
    this.#open = new OpenTransaction(library.db);
    this.#exclusions = new Exclusions(library.db);
  }

  async run(): Promise<IndexOutcome> {
    try {
      return await this.#run();
    } catch (error) {
      this.#open.rollback();
      throw error;
    }
  }

  async #run(): Promise<IndexOutcome> {
    const readers: SourceReader[] = [];
    const work: Work[] = [];
    const ids = new Ids(this.library.db);
    const first = this.library.meta('first pass') === null;
    this.#report();
    if (fileAgain(this.library)) this.hooks.changed(this.library.nextRevision(), []);
    for (const store of this.stores) {
      for (const location of store.locate(surroundingsOf(this.library.db, this.environment, store.agent))) {
        const reader = this.#survey(store, location, ids, work);
        if (reader) readers.push(reader);
        await nextTick();
      }
    }
    if (goneImports(this.library.db)) this.hooks.changed(this.library.nextRevision(), []);
    work.sort((a, b) => b.change.changed - a.change.changed);
    this.#outcome.sourcesChanged = work.length;
    this.#progress.phase = 'index';
    this.#progress.sourcesTotal = work.length;
    this.#progress.bytesTotal = work.reduce((sum, { change }) => sum + change.bytes, 0);
    this.#report();
    await this.#reproject(readers);
    // Whose a file beside sessions is shows once those are read; it is only asked where something is left out.
    const later = this.#exclusions.hasProjects ? work.filter(({ reader, change }) => reader.isCompanion(change)) : [];
    await this.#readAll(work.filter((item) => !later.includes(item)), readers);
    await this.#readAll(later.filter(({ reader, change }) => reader.isWantedCompanion(change, this.#exclusions)), readers);
    await this.#readOverlays();
    this.#findLineage(readers);
    this.#outcome.cancelled = this.hooks.stopped();
    noteGone(this.library.db, this.hooks.now());
    if (first && !this.#outcome.cancelled) this.#endFirstPass(ids);
    if (work.length > 0) this.library.tidy();
    this.#progress.phase = 'idle';
    this.#progress.running = false;
    this.#progress.cancelled = this.#outcome.cancelled;
    this.#report();
    return this.#outcome;
  }

  #survey(store: SessionStore, location: StoreLocation, ids: Ids, work: Work[]): SourceReader | null {
    const { library } = this;
    const usual = store.locate({ home: this.environment.home, platform: this.environment.platform, variables: {}, added: [] })[0]?.folder === location.folder;
    const isThere = existsSync(location.folder);
    // Where histories are single files in a folder of something else, the folder alone says nothing.
    const found = isThere && (location.files?.some((name) => existsSync(join(location.folder, name))) ?? true);
    const row = library.storeRow(location, usual, found, null);
    if (!isThere || this.#exclusions.coversStore({ key: locationKey(location, usual), agent: location.agent })) return null;
    const reader = new SourceReader(library, location, row, store, ids, this.#outcome);
    const denied = refusalToRead(location.folder);
    if (denied !== null) {
      library.storeRow(location, usual, found, denied);
      return null;
    }
    const survey = store.survey(location, reader.sources);
    this.#outcome.sourcesSeen += survey.changes.length;
    if (survey.problem !== null) library.storeRow(location, usual, found, survey.problem);
    library.db.transaction(() => {
      const damage = library.db.prepare('INSERT INTO damage(store, source, place, line, at, bytes, reason) VALUES (?, NULL, ?, ?, ?, ?, ?)');
      library.db.prepare('DELETE FROM damage WHERE store = ? AND source IS NULL').run(row);
      for (const place of survey.damage) damage.run(row, place.place, place.line, place.at, place.bytes, place.reason);
      if (survey.heads.length === 0 && survey.gone.length === 0) return;
      const revision = library.nextRevision();
      writeHeads(library.db, row, survey.heads, revision, (project) => this.#exclusions.coversProject(project));
      for (const key of survey.gone) reader.gone(key);
      this.hooks.changed(revision, []);
    })();
    for (const change of survey.changes) if (!this.#exclusions.hasProjects || !reader.isLeftOut(change, this.#exclusions)) work.push({ reader, change });
    return reader;
  }

  /** Sources that an older reader projected are projected again from the log. */
  async #reproject(readers: SourceReader[]): Promise<void> {
    for (const reader of readers) {
      for (const row of reader.outdated()) {
        if (this.hooks.stopped()) return;
        this.#open.begin();
        reader.reproject(row);
        this.#commit([reader]);
        await nextTick();
      }
    }
  }

  async #readAll(work: Work[], readers: SourceReader[]): Promise<void> {
    const queue = work.slice().reverse();
    // What the open transaction holds: should a source fail, the others are read again without it.
    let inTransaction: Work[] = [];
    for (let item = queue.pop(); item && !this.hooks.stopped(); item = queue.pop()) {
      inTransaction.push(item);
      try {
        if (await this.#read(item, readers)) inTransaction = [];
        this.#progress.sourcesDone++;
      } catch (error) {
        this.#open.rollback();
        for (const reader of readers) reader.reset();
        this.#refuse(item.reader, item.change.key, error);
        queue.push(...inTransaction.filter((other) => other !== item).reverse());
        this.#progress.sourcesDone -= inTransaction.length - 1;
        inTransaction = [];
      }
    }
    this.#commit(readers);
  }

  /** Reads one source; true when the transaction was closed on the way, so that nothing before can be lost. */
  async #read({ reader, change }: Work, readers: SourceReader[]): Promise<boolean> {
    let committed = false;
    let read = 0;
    this.#open.begin();
    for (const bytes of reader.read(change)) {
      read += bytes;
      this.#progress.bytesDone += bytes;
      // Lets a request to stop come in; the transaction stays open.
      await nextTick();
      const stopped = this.hooks.stopped();
      if (!stopped && !this.#open.isFull(bytes)) continue;
      this.#commit(readers);
      committed = true;
      if (stopped) break;
      this.#open.begin();
    }
    // A survey can only guess at what there is to read; the bar still ends at its end.
    this.#progress.bytesTotal += read - change.bytes;
    return committed;
  }

  /** A fault of our own in one place must not cost the others: it is named, and the place is tried again when it changes. */
  #refuse(reader: SourceReader, place: string, error: unknown): void {
    const reason = `could not be read: ${error instanceof Error ? error.message : String(error)}`;
    this.#progress.error = `${place} ${reason}`;
    this.library.db.prepare('INSERT INTO damage(store, source, place, reason) VALUES (?, NULL, ?, ?)').run(reader.storeRow, place, reason);
  }

  #commit(readers: SourceReader[]): void {
    if (!this.#open.isOpen) return;
    const revision = this.library.nextRevision();
    const sessions = readers.flatMap((reader) => reader.settle(revision, this.hooks.now(), (session, error) => this.#refuse(reader, session, error)));
    for (const reader of readers) reader.leaveOut(this.#exclusions);
    // What a stream that was left out told of a session that stays is taken back.
    if (this.#exclusions.hasProjects) for (const reader of readers) reader.settle(revision, this.hooks.now(), (session, error) => this.#refuse(reader, session, error));
    this.#open.commit();
    if (sessions.length > 0) this.hooks.changed(revision, sessions);
    this.#report();
  }

  /** Files of plugins about sessions, in the folders that sessions are now known to have run in. */
  async #readOverlays(): Promise<void> {
    const { bytesRead, changed } = await new Overlays(this.library, this.environment, this.hooks.now(), this.#exclusions).update(() => this.hooks.stopped());
    this.#outcome.bytesRead += bytesRead;
    if (changed) this.hooks.changed(this.library.nextRevision(), []);
  }

  #findLineage(readers: SourceReader[]): void {
    this.#progress.phase = 'lineage';
    this.#report();
    for (const reader of readers) {
      this.library.db.transaction(() => {
        const revision = this.library.nextRevision();
        const sessions = reader.findLineage();
        if (sessions.length > 0) this.hooks.changed(revision, sessions);
      })();
    }
  }

  /** Documents up to here were made newest first; later ones are newer the higher their id. Search orders by this. */
  #endFirstPass(ids: Ids): void {
    this.library.setMeta('first pass', ids.last('doc'));
  }

  #report(): void {
    this.hooks.progress({ ...this.#progress });
  }
}

/** Imports are the library's own files: where the folder of one is not there any more, its sessions are gone. True when that is news. */
function goneImports(db: Db): boolean {
  const imports = db.prepare("SELECT id, folder FROM store WHERE origin = 'import'").all() as { id: number; folder: string }[];
  const gone = db.prepare('UPDATE session SET gone = 1 WHERE store = ? AND gone = 0');
  const sources = db.prepare('UPDATE source SET gone = 1 WHERE store = ?');
  let news = 0;
  for (const { id, folder } of imports) {
    if (existsSync(folder)) continue;
    news += gone.run(id).changes;
    sources.run(id);
  }
  return news > 0;
}

/** Why a store's folder cannot be looked into, in one sentence; null when it can. What lies in it stays in the library. */
function refusalToRead(folder: string): string | null {
  try {
    readdirSync(folder);
    return null;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'EACCES' || code === 'EPERM' ? `${folder} may not be read by this user.` : `${folder} could not be read (${code ?? String(error)}).`;
  }
}
