import type { NativeId } from '@shared/model';
import { batchBytes, type RawBatch, type SessionStore, type SourceChange, type StoreLocation } from '../stores/store';
import { forgetProjectionsOf } from './forget';
import { dropHead } from './heads';
import { Ingest } from './ingest';
import { Companions } from './keep/companions';
import type { Exclusions } from './keep/exclusions';
import { Streams } from './keep/streams';
import type { Library } from './library';
import { Lineage } from './lineage';
import type { Ids } from './rows';
import { Settler } from './settle';
import { type SourceRow, Sources } from './sources';

export interface WorkCount {
  bytesRead: number;
  recordsProjected: number;
  partsWritten: number;
  sessionsSettled: number;
}

/** Reads the sources of one store into the library: log, projection, settling, lineage. Runs inside the caller's transactions. */
export class SourceReader {
  sources: Sources;
  readonly #ingest: Ingest;
  readonly #settler: Settler;
  readonly #lineage: Lineage;
  /** Settled since the last look for lineage. */
  #settled = new Map<number, NativeId>();
  /** Row ids of sources that something was read of since the last call of `leaveOut`. */
  readonly #taken = new Set<number>();
  readonly #linked;
  readonly #companions;

  constructor(
    readonly library: Library,
    readonly location: StoreLocation,
    readonly storeRow: number,
    readonly store: SessionStore,
    readonly ids: Ids,
    readonly count: WorkCount,
  ) {
    this.sources = new Sources(library.db, storeRow, store.reader);
    this.#ingest = new Ingest(library.db, storeRow, ids, library.words);
    this.#settler = new Settler(library.db, store, library.words);
    this.#lineage = new Lineage(library.db, storeRow, store);
    this.#companions = new Companions(library.db, () => store);
    this.#linked = library.db.prepare<[number], { id: number; native: string; project: string | null }>(
      'SELECT s.id, s.native, p.key AS project FROM source_session x JOIN session s ON s.id = x.session LEFT JOIN project p ON p.id = s.project WHERE x.source = ?',
    );
  }

  /** Batches of a source with something new; each `next` reads, logs and projects one. */
  *read(change: SourceChange): Iterable<number> {
    let nothing = true;
    for (const batch of this.store.read(this.location, change, this.sources.get(change.key))) {
      nothing = false;
      this.#take(batch);
      yield batch.bytes.length;
    }
    if (nothing && change.head !== undefined) dropHead(this.library.db, this.storeRow, change.head);
    this.#ingest.sessions.release();
  }

  #take(batch: RawBatch): void {
    const row = batch.restarts || this.sources.row(batch.source)?.gone ? this.#restart(batch.source) : this.sources.ensure(batch.source);
    this.#taken.add(row.id);
    this.count.bytesRead += batch.bytes.length;
    this.library.log.append(row.id, batch.at, batch.bytes);
    const carry = this.#project(row, batch);
    this.sources.advance(row, batch.at + batch.bytes.length, batch.cursor, carry);
  }

  #project(row: SourceRow, batch: Pick<RawBatch, 'at' | 'bytes' | 'damage'>) {
    const projection = this.store.project({
      source: row.key, at: batch.at, bytes: batch.bytes, carry: row.carry === null ? null : JSON.parse(row.carry),
    });
    const { records, parts } = this.#ingest.apply(row, batch, projection);
    this.count.recordsProjected += records;
    this.count.partsWritten += parts;
    return projection.carry;
  }

  #restart(key: string): SourceRow {
    const old = this.sources.row(key);
    if (old) this.#forget(old);
    return this.sources.restart(key);
  }

  #forget(row: SourceRow): void {
    const native = this.library.db.prepare<[number], { native: string }>('SELECT native FROM session WHERE id = ?');
    for (const session of forgetProjectionsOf(this.library.db, row.id)) {
      const found = native.get(session);
      if (found) this.#ingest.touched.set(session, found.native as NativeId);
    }
    this.#ingest.sessions.release();
  }

  /** Sources whose projections were made by an older reader. */
  outdated(): SourceRow[] {
    return this.sources.rows().filter((row) => row.reader < this.store.reader);
  }

  /** Projects a source anew from the log; the store itself is not read. */
  reproject(row: SourceRow): void {
    this.#forget(row);
    row.carry = null;
    const { length, cursor } = row;
    const wasGone = row.gone === 1;
    for (const batch of wholeRecords(this.library, row.id)) {
      row.carry = JSON.stringify(this.#project(row, { ...batch, damage: [] }));
    }
    this.sources.advance(row, length, cursor === null ? null : JSON.parse(cursor), row.carry === null ? null : JSON.parse(row.carry));
    // Reading its stream again has not brought the source back.
    if (wasGone) this.gone(row.key);
    this.#ingest.sessions.release();
  }

  /** True of a change that is not to be read: of a project that is left out, as far as the library knows whose it is. */
  isLeftOut({ key }: SourceChange, exclusions: Exclusions): boolean {
    const row = this.sources.row(key);
    if (!row) return false;
    if (this.library.db.prepare('SELECT 1 FROM emptied WHERE source = ?').get(row.id) !== undefined) return true;
    return this.#projectLeftOut(row.id, exclusions) !== null;
  }

  /** A file beside sessions, such as saved output: read only for a session that is not left out. */
  isWantedCompanion({ key }: SourceChange, exclusions: Exclusions): boolean {
    const project = this.library.db.prepare<[number], { key: string | null }>('SELECT p.key FROM session s LEFT JOIN project p ON p.id = s.project WHERE s.id = ?');
    return this.#companions.sessionsOf({ id: this.storeRow, agent: this.store.agent }, key).some((session) => !exclusions.coversProject(project.get(session)?.key ?? ''));
  }

  isCompanion({ key }: SourceChange): boolean {
    return this.#companions.isCompanion(this.store.agent, key);
  }

  /** The project for whose sake a source is left out: all its sessions are of such projects. */
  #projectLeftOut(source: number, exclusions: Exclusions): string | null {
    const sessions = this.#linked.all(source);
    const covered = sessions.every(({ project }) => project !== null && exclusions.coversProject(project));
    return covered ? (sessions[0]?.project ?? null) : null;
  }

  /** What was read and proved to be of a project that is left out goes again before it is committed: only where reading ended is kept. */
  leaveOut(exclusions: Exclusions): void {
    const taken = [...this.#taken];
    this.#taken.clear();
    if (!exclusions.hasProjects) return;
    const streams = new Streams(this.library.db);
    for (const source of taken) {
      const project = this.#projectLeftOut(source, exclusions);
      if (project === null) continue;
      const sessions = this.#linked.all(source);
      streams.empty(source, project);
      for (const { id, native } of sessions) {
        if (streams.isBare(id)) {
          streams.dropSession(id);
          this.#settled.delete(id);
          this.#ingest.touched.delete(id);
        } else this.#ingest.touched.set(id, native as NativeId);
      }
      this.#ingest.sessions.release();
    }
  }

  /** A source that the store does not have any more: its sessions stay, and say so. */
  gone(key: string): void {
    const row = this.sources.gone(key);
    if (!row) return;
    this.library.db
      .prepare(
        `UPDATE session SET gone = 1 WHERE id IN (SELECT session FROM source_session WHERE source = ?)
          AND NOT EXISTS (SELECT 1 FROM source_session x JOIN source ON source.id = x.source JOIN record ON record.source = source.id AND record.session = x.session
            WHERE x.session = session.id AND source.gone = 0)`,
      )
      .run(row.id);
  }

  /** Settles what the batches since the last call touched; returns the row ids. `failed` hears of a fault of ours in one session. */
  settle(revision: number, now: number, failed: (session: NativeId, error: unknown) => void): number[] {
    const touched = [...this.#ingest.touched];
    this.#ingest.touched.clear();
    for (const [session, native] of touched) {
      try {
        this.#settler.settle(session, native, revision, now);
      } catch (error) {
        failed(native, error);
      }
      this.#settled.set(session, native);
    }
    this.count.sessionsSettled += touched.length;
    return touched.map(([session]) => session);
  }

  findLineage(): number[] {
    const changed = this.#settled;
    this.#settled = new Map();
    return this.#lineage.update(changed);
  }

  /** After a rolled-back transaction nothing kept in memory can be trusted. */
  reset(): void {
    this.sources = new Sources(this.library.db, this.storeRow, this.store.reader);
    this.#ingest.sessions.release();
    this.#ingest.touched.clear();
    this.#taken.clear();
    this.library.words.forget();
  }
}

/** The log's chunks joined to batches that end where a record ends. */
function* wholeRecords(library: Library, source: number): Iterable<{ at: number; bytes: Buffer }> {
  let at = 0;
  let held: Buffer[] = [];
  let size = 0;
  const take = () => {
    const batch = { at, bytes: Buffer.concat(held) };
    held = [];
    size = 0;
    return batch;
  };
  for (const chunk of library.log.replay(library.db, source)) {
    if (size > 0 && chunk.at !== at + size) yield take();
    if (size === 0) at = chunk.at;
    held.push(chunk.bytes);
    size += chunk.bytes.length;
    if (size < batchBytes) continue;
    const batch = take();
    const end = batch.bytes.lastIndexOf(10) + 1;
    if (end > 0) yield { at: batch.at, bytes: batch.bytes.subarray(0, end) };
    const rest = batch.bytes.subarray(end);
    at = batch.at + end;
    held = rest.length > 0 ? [rest] : [];
    size = rest.length;
  }
  if (size > 0) yield take();
}
