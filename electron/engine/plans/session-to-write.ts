import { constants } from 'node:fs';
import { isAbsolute } from 'node:path';
import { type NativeId, nativeId, type SessionId } from '@shared/model';
import { findPlace } from '../context/place';
import { ContextSessions, type LoadedSession } from '../context/session';
import { encodeKey } from '../library/codes';
import type { Db } from '../library/database';
import { storeKey as keyOfStore } from '../library/library';
import { mapped, surroundingsOf } from '../library/surroundings';
import { findSession } from '../queries/session-summary';
import type { Timeline } from '../queries/timeline';
import type { Environment, SessionFacts, SessionStore, SessionToWrite, StoreLocation, WritePoint } from '../stores/store';
import { HeldFolder } from './disk/folder';
import type { FileSystem } from './disk/machine';
import { placeOf } from './disk/names';
import { Refused } from './refused';

/** Bytes of one file that a planner is given: a subagent's transcript, a saved output. */
const fileLimit = 256 * 1024 * 1024;

/** A session opened for writing: what its store's planner gets, and what plans need of it. */
export interface OpenedSession {
  id: SessionId;
  title: string | null;
  store: SessionStore;
  /** Key of the store that is written to: of an imported session the one of its agent here. */
  storeKey: string;
  isImport: boolean;
  write: SessionToWrite;
  loaded: LoadedSession;
}

/** Opens sessions for planners, and finds points in them. */
export class SessionsToWrite {
  readonly #sessions;
  readonly #records;
  readonly #source;

  constructor(
    readonly db: Db,
    readonly timeline: Timeline,
    readonly files: FileSystem,
    readonly environment: () => Environment,
  ) {
    this.#sessions = new ContextSessions(db, timeline.words);
    this.#records = db.prepare<[number], [id: number, source: number, at: number, bytes: number]>('SELECT id, source, at, bytes FROM record WHERE session = ?').raw();
    this.#source = db.prepare<[number, string], { id: number; length: number }>('SELECT id, length FROM source WHERE store = ? AND key = ? ORDER BY generation DESC LIMIT 1');
  }

  open(id: string, now: number): OpenedSession | null {
    const summary = findSession(this.db, id);
    const store = summary && this.timeline.storeOf(summary.agent);
    if (!summary || !store) return null;
    const row = this.db.prepare('SELECT store, facts FROM session WHERE id = ?').get(summary.id) as { store: number; facts: string | null };
    if (row.facts === null) throw new Refused('The session is not read yet: the library is being brought up to date.');
    const loaded = this.#sessions.load(summary.id, summary.native, store, now);
    const isImport = summary.origin === 'import';
    const live = isImport ? this.#usualPlace(store) : null;
    const location = isImport ? (live?.location ?? null) : this.location(summary.storeKey, store);
    if (location === null) return null;
    const record = this.#recordReader(id, loaded);
    const facts = JSON.parse(row.facts) as SessionFacts;
    const write: SessionToWrite = {
      location, native: nativeId(summary.native) satisfies NativeId, facts, folder: facts.directory === null ? null : mapped(facts.directory, this.environment()), spine: loaded.loaded.spine, settled: loaded.settled, record,
      file: (key) => (isImport ? null : this.#onDisk(location, key)) ?? this.#inLog(row.store, key), isLive: summary.gone === 0 && !isImport,
    };
    return { id: id as SessionId, title: summary.title, store, storeKey: live?.key ?? summary.storeKey, isImport, write, loaded };
  }

  /** Reads records from the log. Where they lie is asked once for all of them, at the first: a fork goes through a long session more than once. */
  #recordReader(id: string, { row, loaded }: LoadedSession): SessionToWrite['record'] {
    const { log } = this.timeline.bodies;
    let places: RecordPlaces | null = null;
    return (index) => {
      places ??= placesOf(this.#records.iterate(row), loaded.indexOf, loaded.ids.length);
      const bytes = log.read(places.source[index] ?? -1, places.at[index] ?? 0, places.bytes[index] ?? 0);
      if (!bytes) throw new Error(`record ${index} of ${id} is not in the log`);
      return bytes;
    };
  }

  /** Where the agent keeps its sessions here, for one that comes from elsewhere. Null where it has no place. */
  #usualPlace(store: SessionStore): { location: StoreLocation; key: string } | null {
    const [location] = store.locate(surroundingsOf(this.db, this.environment(), store.agent));
    if (!location) return null;
    const row = this.db.prepare<[string, string], { key: string }>("SELECT key FROM store WHERE agent = ? AND folder = ? AND origin <> 'import'").get(store.agent, location.folder);
    return { location, key: row?.key ?? keyOfStore(store.agent, location.folder, true) };
  }

  /** Where a store lies, as it tells itself; of one that is not looked for any more, where it lay. */
  location(storeKey: string, store: SessionStore): StoreLocation | null {
    const row = this.db.prepare<[string], { folder: string; origin: StoreLocation['origin'] }>('SELECT folder, origin FROM store WHERE key = ?').get(storeKey);
    if (!row) return null;
    const found = store.locate(surroundingsOf(this.db, this.environment(), store.agent)).find(({ folder }) => folder === row.folder);
    return found ?? { agent: store.agent, folder: row.folder, origin: row.origin };
  }

  /** The branch and the point, with the records that are kept; a sentence where there is none. */
  point({ id, loaded }: OpenedSession, branch: string | undefined, at: string | undefined): WritePoint | string {
    const row = at === undefined ? null : this.#pointRow(id, loaded.row, at);
    if (row === undefined) return `The session has no message or part ${at ?? ''}.`;
    const place = findPlace(loaded, id, branch, row && { record: loaded.loaded.indexOf.get(row.record) ?? -1, message: row.message });
    if (typeof place === 'string') return place;
    const { branches } = loaded.settled;
    const index = place.branch ?? Math.max(0, branches.findIndex(({ current }) => current));
    const path = branches[index]?.path ?? [];
    const on = place.before === null ? -1 : path.indexOf(place.before);
    // A point among turns that were taken back is on no branch: its store knows what stood there.
    const end = on < 0 ? path.length : on;
    return { branch: index, path, before: place.before, kept: finished(loaded, path.slice(0, end)) };
  }

  #pointRow(id: string, session: number, at: string): { record: number; message: number | null } | undefined {
    const key = at.startsWith(`${id}#`) ? at.slice(id.length + 1) : at;
    const row = this.timeline.row(`${id}#${key}`);
    if (row) return row;
    const message = this.db.prepare<[string | Buffer, number], { id: number; first: number }>('SELECT id, first FROM message WHERE key = ? AND session = ?').get(encodeKey(key), session);
    return message && { record: message.first, message: message.id };
  }

  /** A file of the store as it lies there now. A key that is no plain path below the store's folder names no file. */
  #onDisk({ folder }: StoreLocation, key: string): Uint8Array | null {
    if (isAbsolute(key)) return null;
    try {
      const place = placeOf(`${folder}/${key}`, folder);
      const held = HeldFolder.open(this.files, folder, place.folders, null);
      if (!held) return null;
      try {
        const fact = held.look(place.name);
        if (fact?.kind !== 'file' || fact.size > fileLimit) return null;
        return readWhole(this.files, held.at(place.name), fact.size);
      } finally {
        held.close();
      }
    } catch {
      return null;
    }
  }

  #inLog(store: number, key: string): Uint8Array | null {
    const source = this.#source.get(store, key);
    return source && source.length <= fileLimit ? this.timeline.bodies.log.read(source.id, 0, source.length) : null;
  }
}

/** Where records lie in the log, by their index: three numbers each. */
interface RecordPlaces {
  source: Float64Array;
  at: Float64Array;
  bytes: Float64Array;
}

function placesOf(rows: Iterable<[id: number, source: number, at: number, bytes: number]>, indexOf: ReadonlyMap<number, number>, count: number): RecordPlaces {
  const places: RecordPlaces = { source: new Float64Array(count).fill(-1), at: new Float64Array(count), bytes: new Float64Array(count) };
  for (const [id, source, at, bytes] of rows) {
    const index = indexOf.get(id);
    if (index === undefined) continue;
    places.source[index] = source;
    places.at[index] = at;
    places.bytes[index] = bytes;
  }
  return places;
}

function readWhole(files: FileSystem, path: string, size: number): Uint8Array {
  const handle = files.open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const bytes = Buffer.alloc(size);
    let length = 0;
    for (let more = 1; more > 0 && length < size; length += more) more = files.read(handle, bytes.subarray(length));
    return bytes.subarray(0, length);
  } finally {
    files.close(handle);
  }
}

/** A reply whose last calls never got a result is left out: the model would be sent a call without an answer. */
function finished(loaded: LoadedSession, path: readonly number[]): number[] {
  const { records } = loaded.loaded.spine;
  const kept = [...path];
  for (;;) {
    const last = kept.findLast((index) => (records[index]?.message ?? -1) >= 0);
    const record = last === undefined ? undefined : records[last];
    if (!record || record.role !== 'assistant') return kept;
    const own = new Set(kept.filter((index) => records[index]?.message === record.message));
    const there = new Set(kept);
    const isOpen = [...own].some((index) =>
      (loaded.byRecord[index] ?? []).some(({ kind, status, result, outputSize }) =>
        kind === 'tool' && (result >= 0 ? !there.has(result) : status === 'pending' || status === 'running' || (status === 'interrupted' && outputSize === 0))),
    );
    if (!isOpen) return kept;
    const first = kept.findIndex((index) => own.has(index));
    kept.splice(first);
  }
}
