import { createHash } from 'node:crypto';
import type { ForgetPlan, ForgetRefusal, ForgetTarget } from '@shared/model';
import { splitSessionId } from '@shared/model';
import { count } from '../../stores/foreign/said';
import type { SessionStore } from '../../stores/store';
import type { Db } from '../database';
import { Companions } from './companions';
import { type Exclusions, notExcluded } from './exclusions';
import type { Due } from './keep-rule';
import { keptSessions } from './kept-session';
import { measure, roomOf } from './room';

/** Sessions that are named in a plan; the rest is counted. */
const named = 50;

/**
 * What goes when something is forgotten: sessions, streams, overlays. A stream goes whole or not at all, since all rows
 * point into it; so a session that lies in one file with another goes with it or stays.
 */
export class ForgetSet {
  readonly sessions: ReadonlySet<number>;
  readonly asked: ReadonlySet<number>;
  readonly sources: ReadonlySet<number>;
  readonly overlays: readonly number[];
  readonly #all: string;

  constructor(
    readonly db: Db,
    readonly file: string,
    readonly target: ForgetTarget,
    readonly exclusions: Exclusions,
    storeOf: (agent: string) => SessionStore | undefined,
    readonly due: Due,
  ) {
    this.asked = new Set(this.#asked());
    this.sessions = new Set(this.#withSubagents());
    this.#all = JSON.stringify([...this.sessions]);
    this.sources = new Set([...this.#streams(), ...this.#companions(new Companions(db, storeOf))]);
    this.overlays = this.#overlays();
  }

  #ids(sql: string, ...values: (string | number)[]): number[] {
    return this.db.prepare(sql).pluck().all(...values) as number[];
  }

  #asked(): number[] {
    const { target } = this;
    switch (target.kind) {
      case 'sessions':
        return target.sessions.flatMap((id) => {
          const parts = splitSessionId(id);
          return parts ? this.#ids('SELECT s.id FROM session s JOIN store st ON st.id = s.store WHERE st.key = ? AND s.native = ?', parts.store, parts.native) : [];
        });
      case 'project':
        return this.#ids('SELECT s.id FROM session s JOIN project p ON p.id = s.project WHERE p.key = ?', target.key);
      case 'agent':
        return this.#ids('SELECT s.id FROM session s JOIN store st ON st.id = s.store WHERE st.agent = ?', target.key);
      case 'store':
        return this.#ids('SELECT s.id FROM session s JOIN store st ON st.id = s.store WHERE st.key = ?', target.key);
      case 'due':
        return this.due.sessions;
    }
  }

  /** Subagents have no life without the session that started them. */
  #withSubagents(): number[] {
    return this.#ids(
      `WITH RECURSIVE gone(id) AS (SELECT value FROM json_each(?) UNION
         SELECT c.id FROM gone JOIN session s ON s.id = gone.id JOIN session c ON c.store = s.store AND c.parent = s.native AND c.parent_kind = 'subagent')
       SELECT id FROM gone`,
      JSON.stringify([...this.asked]),
    );
  }

  /** Streams that tell of these sessions, and what the same sources held before. */
  #streams(): number[] {
    const { target } = this;
    const whole = target.kind === 'agent' ? this.#ids('SELECT s.id FROM source s JOIN store st ON st.id = s.store WHERE st.agent = ?', target.key)
      : target.kind === 'store' ? this.#ids('SELECT s.id FROM source s JOIN store st ON st.id = s.store WHERE st.key = ?', target.key) : [];
    return [
      ...whole,
      ...this.#ids(
        `SELECT DISTINCT o.id FROM json_each(?) j JOIN source_session x ON x.session = j.value JOIN source s ON s.id = x.source JOIN source o ON o.store = s.store AND o.key = s.key`,
        this.#all,
      ),
    ];
  }

  #companions(companions: Companions): number[] {
    const stores = this.db.prepare('SELECT DISTINCT st.id, st.agent FROM json_each(?) j JOIN session s ON s.id = j.value JOIN store st ON st.id = s.store').all(this.#all) as { id: number; agent: string }[];
    return stores.flatMap((store) => [...companions.of(store)].filter(({ sessions }) => sessions.length > 0 && sessions.every((id) => this.sessions.has(id))).map(({ id }) => id));
  }

  /** A plugin's files in folders that only sessions ran in which go now. */
  #overlays(): number[] {
    if (this.target.kind === 'agent' && this.target.key === 'opencode') return this.#ids('SELECT id FROM overlay');
    return this.#ids(
      `SELECT o.id FROM overlay o WHERE EXISTS (SELECT 1 FROM json_each(?) j JOIN session s ON s.id = j.value WHERE s.directory = o.folder)
         AND NOT EXISTS (SELECT 1 FROM session s WHERE s.directory = o.folder AND s.id NOT IN (SELECT value FROM json_each(?)))`,
      this.#all, this.#all,
    );
  }

  /** What is told of it before it is done. */
  plan(): ForgetPlan {
    const whole = measure(this.db, this.file);
    const sources = JSON.stringify([...this.sources]);
    const log = Number(this.db.prepare('SELECT sum(length(c.data)) FROM json_each(?) j JOIN chunk c ON c.source = j.value').pluck().get(sources) ?? 0);
    const own = this.db
      .prepare(
        `SELECT (SELECT coalesce(sum(p.size + coalesce(p.result_size, 0)), 0) FROM json_each(@all) j JOIN part p ON p.session = j.value) AS characters,
           (SELECT count(*) FROM json_each(@all) j JOIN part p ON p.session = j.value) + (SELECT count(*) FROM json_each(@all) j JOIN message m ON m.session = j.value)
             + (SELECT count(*) FROM json_each(@all) j JOIN record r ON r.session = j.value) AS entries`,
      )
      .get({ all: this.#all }) as { characters: number; entries: number };
    const descendants = this.#ids(
      `SELECT DISTINCT c.id FROM json_each(?) j JOIN session s ON s.id = j.value JOIN edge e ON e.parent = s.native JOIN session c ON c.id = e.child AND c.store = s.store
       WHERE c.id NOT IN (SELECT value FROM json_each(?)) AND c.ignored = 0`,
      this.#all, this.#all,
    );
    return {
      token: this.token(), sessions: this.sessions.size, along: this.sessions.size - this.asked.size,
      onlyCopies: this.#ids('SELECT count(*) FROM json_each(?) j JOIN session s ON s.id = j.value WHERE s.gone = 1', this.#all)[0] ?? 0,
      named: keptSessions(this.db, [...this.sessions], named), streams: this.sources.size, overlays: this.overlays.length, frees: roomOf(whole, { log, ...own }),
      descendants: keptSessions(this.db, descendants, named), descendantsTotal: descendants.length, refusals: this.#refusals(),
    };
  }

  /** Equal as long as the same sessions and streams would go, and those hold the same. */
  token(): string {
    const hash = createHash('sha256');
    for (const id of [...this.sessions].sort((a, b) => a - b)) hash.update(`${id} `);
    const streams = this.db.prepare('SELECT s.id, s.length, s.gone FROM json_each(?) j JOIN source s ON s.id = j.value ORDER BY s.id').all(JSON.stringify([...this.sources])) as { id: number; length: number; gone: number }[];
    for (const { id, length, gone } of streams) hash.update(`/${id}:${length}:${gone}`);
    for (const id of this.overlays) hash.update(`+${id}`);
    return hash.digest('hex').slice(0, 32);
  }

  #refusals(): ForgetRefusal[] {
    const { target } = this;
    const refusals: ForgetRefusal[] = [];
    const refuse = (reason: ForgetRefusal['reason'], text: string, ids: number[] = []) => refusals.push({ reason, text, sessions: keptSessions(this.db, ids, named), total: ids.length });
    if (target.kind !== 'sessions' && target.kind !== 'due' && !this.exclusions.has(target)) {
      refuse('not excluded', `This ${target.kind} is still indexed: it would be read again. Exclude it first.`);
    } else if (this.sessions.size === 0 && this.sources.size === 0) refuse('nothing', 'The library has nothing of it.');
    const there = this.#ids(
      `SELECT s.id FROM json_each(?) j JOIN session s ON s.id = j.value JOIN store st ON st.id = s.store LEFT JOIN project p ON p.id = s.project WHERE s.gone = 0 AND ${notExcluded}`,
      this.#all,
    );
    if (there.length > 0 && refusals.length === 0) {
      const imported = this.#ids("SELECT s.id FROM json_each(?) j JOIN session s ON s.id = j.value JOIN store st ON st.id = s.store WHERE st.origin = 'import'", JSON.stringify(there));
      if (imported.length === there.length) refuse('still there', `${there.length === 1 ? 'This session is' : 'These sessions are'} imported and would be read again. Undo the import to take ${there.length === 1 ? 'it' : 'them'} out.`, there);
      else refuse('still there', `The agent still has ${there.length === 1 ? 'this session' : count(there.length, 'of these sessions', 'of these sessions')}: ${there.length === 1 ? 'it' : 'they'} would be read again. Only what is gone or excluded can be forgotten.`, there);
    }
    const outside: number[] = this.#ids(
      'SELECT DISTINCT x.session FROM json_each(?) j JOIN source_session x ON x.source = j.value WHERE x.session NOT IN (SELECT value FROM json_each(?))',
      JSON.stringify([...this.sources]), this.#all,
    );
    if (outside.length > 0) {
      refuse('shared', `What the library has of ${this.sessions.size === 1 ? 'it' : 'them'} lies in one file with ${count(outside.length, 'other session')}. Forget ${outside.length === 1 ? 'it' : 'them'} too, or neither.`, outside);
    }
    return refusals;
  }
}
