import type { SessionStore } from '../../stores/store';
import type { Db } from '../database';

/** Sessions a companion may be named by that are looked at; a name that more of them have is kept. */
const namers = 1_000;

interface Companion {
  id: number;
  key: string;
  /** Row ids of the sessions it belongs to. */
  sessions: number[];
}

/** Files that lie beside sessions and hold no session's records: saved output, memory. Tells whose they are. */
export class Companions {
  readonly #alone;
  readonly #beside;
  readonly #named;

  constructor(
    db: Db,
    readonly storeOf: (agent: string) => SessionStore | undefined,
  ) {
    this.#alone = db.prepare<[number], { id: number; key: string }>(
      'SELECT s.id, s.key FROM source s WHERE s.store = ? AND NOT EXISTS (SELECT 1 FROM source_session x WHERE x.source = s.id)',
    );
    this.#beside = db
      .prepare<[number, string, string], number>('SELECT DISTINCT x.session FROM source s JOIN source_session x ON x.source = s.id WHERE s.store = ? AND s.key >= ? AND s.key < ?')
      .pluck();
    this.#named = db
      .prepare<[string, number, number], number>(
        'SELECT DISTINCT p.session FROM search JOIN doc d ON d.id = search.rowid JOIN part p ON p.id = d.part JOIN session s ON s.id = p.session WHERE search MATCH ? AND s.store = ? LIMIT ?',
      )
      .pluck();
  }

  /** True of the key of a file that lies beside sessions. */
  isCompanion(agent: string, key: string): boolean {
    return (this.storeOf(agent)?.companionOf?.(key) ?? null) !== null;
  }

  /** The sessions a file belongs to that the library knows; empty where it knows none. */
  sessionsOf(store: { id: number; agent: string }, key: string): number[] {
    const whose = this.storeOf(store.agent)?.companionOf?.(key) ?? null;
    if (whose === null) return [];
    if ('beside' in whose) return this.#beside.all(store.id, whose.beside, whose.beside.slice(0, -1) + String.fromCharCode(whose.beside.charCodeAt(whose.beside.length - 1) + 1));
    return this.#named.all(phraseOf(whose.named), store.id, namers);
  }

  *of(store: { id: number; agent: string }): Iterable<Companion> {
    for (const { id, key } of this.#alone.all(store.id)) if (this.isCompanion(store.agent, key)) yield { id, key, sessions: this.sessionsOf(store, key) };
  }
}

/** A name as the search index splits it: words beside each other. */
const phraseOf = (name: string): string => `"${name.replaceAll('"', ' ')}"`;
