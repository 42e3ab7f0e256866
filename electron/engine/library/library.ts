import { type Agent, storeId } from '@shared/model';
import type { StoreLocation } from '../stores/store';
import { type Db, openLibrary } from './database';
import { RawLog } from './log';
import { Words } from './words';

/** The library as its writer holds it: one connection, the log, the words. */
export class Library {
  readonly db: Db;
  readonly log: RawLog;
  readonly words: Words;
  readonly damagedCopy: string | null;
  readonly #revision;

  constructor(readonly file: string) {
    const opened = openLibrary(file);
    this.db = opened.db;
    this.damagedCopy = opened.damagedCopy;
    this.log = new RawLog(this.db);
    this.words = new Words(this.db);
    this.#revision = this.db.prepare("INSERT INTO meta(key, value) VALUES ('revision', 1) ON CONFLICT DO UPDATE SET value = value + 1 RETURNING value");
  }

  /** The next running number: whatever changes in this transaction carries it. */
  nextRevision(): number {
    return (this.#revision.get() as { value: number }).value;
  }

  meta(key: string): string | number | null {
    return (this.db.prepare('SELECT value FROM meta WHERE key = ?').get(key) as { value: string | number } | undefined)?.value ?? null;
  }

  setMeta(key: string, value: string | number): void {
    this.db.prepare('INSERT INTO meta(key, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value').run(key, value);
  }

  /** The row of a store: an agent and its folder. The agent's usual folder in this home has the agent's plain name. */
  storeRow(location: StoreLocation, usual: boolean, found: boolean, problem: string | null): number {
    const key = locationKey(location, usual);
    const row = this.db
      .prepare(
        `INSERT INTO store(key, agent, folder, origin, found, problem) VALUES (?, ?, ?, ?, ?, ?)
         ON CONFLICT(key) DO UPDATE SET folder = excluded.folder, origin = excluded.origin, found = excluded.found, problem = excluded.problem RETURNING id`,
      )
      .get(key, location.agent, location.folder, location.origin, found ? 1 : 0, problem) as { id: number };
    return row.id;
  }

  /** After a pass that wrote: what stands in the log file of SQLite goes into the library, and the log file shrinks. */
  tidy(): void {
    this.db.pragma('wal_checkpoint(TRUNCATE)');
  }

  close(): void {
    this.db.close();
  }
}

/** The id of the store at a place. */
export const locationKey = (location: StoreLocation, usual: boolean) => location.key ?? storeKey(location.agent, location.folder, usual);

/** `claude-code` for the agent's usual folder, `claude-code~3f2a9c01` for another one: a store is an agent and its folder. */
export function storeKey(agent: Agent, folder: string, usual: boolean) {
  if (usual) return storeId(agent);
  let hash = 0xcbf29ce484222325n;
  for (const byte of Buffer.from(folder)) hash = ((hash ^ BigInt(byte)) * 0x100000001b3n) & 0xffffffffffffffffn;
  return storeId(`${agent}~${hash.toString(16).padStart(16, '0').slice(0, 8)}`);
}
