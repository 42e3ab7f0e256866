import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Agent, CompactionProgress, KeptOf, LibraryKeep } from '@shared/model';
import type { SessionStore } from '../../stores/store';
import type { Db } from '../database';
import { Companions } from './companions';
import { compactionView } from './compaction';
import { exclusionsOf } from './excluding';
import { Exclusions } from './exclusions';
import { dueSessions, keepDays } from './keep-rule';
import { keptSessions } from './kept-session';
import { measure, type Measure, roomOf, sizeOf } from './room';

/** Projects that are listed, those with the most room first. */
const projectsListed = 500;
/** Sessions that are due and named. */
const dueNamed = 100;

interface SessionRow {
  id: number;
  store: number;
  agent: Agent;
  storeKey: string;
  project: string | null;
  gone: number;
  ignored: number;
}

interface Sums {
  log: number;
  read: number;
  characters: number;
  entries: number;
  sessions: number;
  gone: number;
  agents: Set<Agent>;
}

/** What the library keeps, of whom, and what room it takes. Goes once over all streams and parts. */
export function keepFigures(db: Db, file: string, storeOf: (agent: string) => SessionStore | undefined, now: number, running: CompactionProgress | null): LibraryKeep {
  const whole = measure(db, file);
  const exclusions = new Exclusions(db);
  const tally = new Tally(db, storeOf);
  const days = keepDays(db);
  const due = dueSessions(db, days, now);
  const stored = Number(db.prepare('SELECT sum(length(data)) FROM chunk WHERE source IN (SELECT source FROM source_session WHERE session IN (SELECT value FROM json_each(?)))').pluck().get(JSON.stringify(due.sessions)) ?? 0);
  const projects = tally.projects(whole, exclusions);
  return {
    path: file, bytes: whole.file,
    room: { log: whole.log, words: whole.words, rows: whole.rows, free: whole.free, other: Math.max(0, whole.file - whole.log - whole.words - whole.rows - whole.free) },
    streams: db.prepare('SELECT count(*) AS total, coalesce(sum(gone), 0) AS gone, (SELECT coalesce(sum(bytes), 0) FROM chunk) AS read FROM source WHERE id IN (SELECT source FROM chunk)').get() as LibraryKeep['streams'],
    sessions: tally.sessions(exclusions),
    agents: tally.agents(whole, exclusions), projects: projects.slice(0, projectsListed), projectsTotal: projects.length,
    exclusions: exclusionsOf(db),
    rule: { days, due: { sessions: due.sessions.length, stored, named: keptSessions(db, due.sessions, dueNamed) }, held: due.held.length },
    compaction: compactionView(file, whole, running),
    copies: copiesOf(file),
  };
}

class Tally {
  readonly #sessions: SessionRow[];
  readonly #byProject = new Map<string | null, Sums>();
  readonly #byAgent = new Map<string, Sums>();
  readonly #names: Map<string, { name: string; folder: string | null }>;

  constructor(
    readonly db: Db,
    storeOf: (agent: string) => SessionStore | undefined,
  ) {
    this.#sessions = db.prepare<[], SessionRow>('SELECT s.id, s.store, st.agent, st.key AS storeKey, p.key AS project, s.gone, s.ignored FROM session s JOIN store st ON st.id = s.store LEFT JOIN project p ON p.id = s.project').all();
    this.#names = new Map((db.prepare('SELECT key, name, folder FROM project').all() as { key: string; name: string; folder: string | null }[]).map(({ key, ...rest }) => [key, rest]));
    const byId = new Map(this.#sessions.map((row) => [row.id, row]));
    for (const row of this.#sessions) {
      for (const sums of [this.#of(row), this.#ofAgent(row.agent)]) {
        sums.agents.add(row.agent);
        if (row.ignored !== 0) continue;
        sums.sessions++;
        sums.gone += row.gone;
      }
    }
    this.#addLog(byId, storeOf);
    this.#addRows(byId);
  }

  /** Each stream is counted once: for the session it belongs to, or the first of several in one file. */
  #addLog(byId: Map<number, SessionRow>, storeOf: (agent: string) => SessionStore | undefined): void {
    const { db } = this;
    const companions = new Companions(db, storeOf);
    const streams = db
      .prepare(
        `SELECT s.id, s.store, s.key, st.agent, c.stored, c.read, (SELECT min(x.session) FROM source o JOIN source_session x ON x.source = o.id WHERE o.store = s.store AND o.key = s.key) AS session
         FROM (SELECT source, sum(length(data)) AS stored, sum(bytes) AS read FROM chunk GROUP BY source) c JOIN source s ON s.id = c.source JOIN store st ON st.id = s.store`,
      )
      .all() as { id: number; store: number; key: string; agent: Agent; stored: number; read: number; session: number | null }[];
    for (const { store, key, agent, stored, read, session } of streams) {
      const owner = byId.get(session ?? companions.sessionsOf({ id: store, agent }, key)[0] ?? -1);
      for (const sums of [owner ? this.#of(owner) : this.#sums(this.#byProject, null), this.#ofAgent(agent)]) {
        sums.log += stored;
        sums.read += read;
        sums.agents.add(agent);
      }
    }
  }

  #addRows(byId: Map<number, SessionRow>): void {
    const add = (sql: string) => {
      for (const { session, characters, entries } of this.db.prepare(sql).iterate() as Iterable<{ session: number; characters: number; entries: number }>) {
        const row = byId.get(session);
        if (!row) continue;
        for (const sums of [this.#of(row), this.#ofAgent(row.agent)]) {
          sums.characters += characters;
          sums.entries += entries;
        }
      }
    };
    add('SELECT session, sum(size + coalesce(result_size, 0)) AS characters, count(*) AS entries FROM part GROUP BY session');
    add('SELECT session, 0 AS characters, count(*) AS entries FROM message GROUP BY session');
    add('SELECT session, 0 AS characters, count(*) AS entries FROM record GROUP BY session');
  }

  #of({ project }: SessionRow): Sums {
    return this.#sums(this.#byProject, project);
  }

  #ofAgent(agent: string): Sums {
    return this.#sums(this.#byAgent, agent);
  }

  #sums<K>(map: Map<K, Sums>, key: K): Sums {
    const known = map.get(key) ?? { log: 0, read: 0, characters: 0, entries: 0, sessions: 0, gone: 0, agents: new Set<Agent>() };
    map.set(key, known);
    return known;
  }

  projects(whole: Measure, exclusions: Exclusions): KeptOf[] {
    // A session that only another one names (a subagent's, where that was imported alone) has no project to speak of.
    const isSomething = ([key, { sessions, read, log }]: [string | null, Sums]) => sessions > 0 || read > 0 || log > 0 || (key !== null && exclusions.coversProject(key));
    return byRoom([...this.#byProject].filter(isSomething).map(([key, sums]) => {
      const known = key === null ? undefined : this.#names.get(key);
      return { ...keptOf(whole, sums), key, name: known?.name ?? 'of no project', folder: known?.folder ?? null, excluded: key !== null && exclusions.coversProject(key) };
    }));
  }

  agents(whole: Measure, exclusions: Exclusions): KeptOf[] {
    return byRoom([...this.#byAgent].map(([key, sums]) => ({ ...keptOf(whole, sums), key, name: key, folder: null, excluded: exclusions.coversAgent(key) })));
  }

  sessions(exclusions: Exclusions): LibraryKeep['sessions'] {
    const listed = this.#sessions.filter(({ ignored }) => ignored === 0);
    return {
      total: listed.length, gone: listed.filter(({ gone }) => gone !== 0).length,
      excluded: listed.filter((row) => exclusions.coversStore({ key: row.storeKey, agent: row.agent }) || (row.project !== null && exclusions.coversProject(row.project))).length,
    };
  }
}

const keptOf = (whole: Measure, { log, read, characters, entries, sessions, gone, agents }: Sums) => ({ ...roomOf(whole, { log, characters, entries }), read, sessions, gone, agents: [...agents].sort() });

const byRoom = (rows: KeptOf[]): KeptOf[] => rows.sort((a, b) => b.log + b.words + b.rows - (a.log + a.words + a.rows) || (a.name < b.name ? -1 : 1));

/** Copies that a migration or damage left beside the library: what is forgotten stands in them still. */
function copiesOf(file: string): LibraryKeep['copies'] {
  const begin = basename(file);
  try {
    return readdirSync(dirname(file))
      .filter((name) => name.startsWith(`${begin}.version-`) || name.startsWith(`${begin}.damaged-`))
      .sort()
      .map((name) => ({ file: join(dirname(file), name), bytes: sizeOf(join(dirname(file), name)) }));
  } catch {
    return [];
  }
}
