import { nativeId, sessionId, storeId, type WorkSessionRef } from '@shared/model';
import type { Db } from '../../library/database';
import type { SessionName } from '../../stores/omo/session-name';
import { isoTime } from '../session-summary';

interface Row {
  row: number;
  store: string;
  native: string;
  title: string | null;
  agentName: string | null;
  updated: number | null;
  gone: number;
  condition: string;
}

export interface FoundSession extends WorkSessionRef {
  /** Row in the library; null where it is in none. */
  row: number | null;
  /** ms since 1970. */
  written: number | null;
}

/** Finds the sessions that overlays name. Asked anew for every answer: sessions change without their overlays. */
export class WorkSessions {
  readonly #find;
  readonly #children;
  readonly #project;
  readonly #known = new Map<string, FoundSession>();

  constructor(readonly db: Db) {
    this.#find = db.prepare<[string, string], Row>(
      `SELECT s.id AS row, st.key AS store, s.native, s.title, json_extract(s.facts, '$.agentName') AS agentName, s.updated, s.gone, s.condition
       FROM session s JOIN store st ON st.id = s.store WHERE st.agent = ? AND s.native = ? ORDER BY s.gone, st.key LIMIT 1`,
    );
    this.#children = db.prepare<[string], { updated: number | null }>(
      `SELECT max(s.updated) AS updated FROM session s JOIN store st ON st.id = s.store WHERE st.agent = 'opencode' AND s.parent = ?`,
    );
    this.#project = db.prepare<[string], { key: string; name: string }>(
      `SELECT p.key, p.name FROM session s JOIN store st ON st.id = s.store JOIN project p ON p.id = s.project WHERE st.agent = 'opencode' AND s.directory = ? LIMIT 1`,
    );
  }

  find({ agent, native }: SessionName): FoundSession {
    const key = `${agent}:${native}`;
    const known = this.#known.get(key);
    if (known) return known;
    const row = this.#find.get(agent, native);
    const found: FoundSession = row
      ? {
          row: row.row, id: sessionId(storeId(row.store), nativeId(row.native)), nativeId: native, title: row.title, agentName: row.agentName,
          state: row.gone ? 'gone' : row.condition === 'interrupted' ? 'dead' : 'living', updated: isoTime(row.updated), written: row.updated,
        }
      : { row: null, id: null, nativeId: native, title: null, agentName: null, state: 'missing', updated: null, written: null };
    this.#known.set(key, found);
    return found;
  }

  /** A session by the bare id of most files: OpenCode's. */
  named(native: string): FoundSession {
    return this.find({ agent: 'opencode', native });
  }

  /** When a session's helpers last wrote, ms since 1970. */
  helpersWrote(native: string): number | null {
    return this.#children.get(native)?.updated ?? null;
  }

  projectOf(folder: string): { key: string; name: string } | null {
    return this.#project.get(folder) ?? null;
  }
}

/** What goes over the link of a session. */
export const refOf = ({ row: _row, written: _written, ...ref }: FoundSession): WorkSessionRef => ref;
