import type { SearchAnswer, SearchHit } from '@shared/contract';
import { type Agent, messageId, nativeId, partId, sessionId, splitSessionId, storeId } from '@shared/model';
import { kindCode, messageFlag, partFlag, roleCode, stateCode } from '../library/codes';
import type { Db } from '../library/database';
import { notExcluded } from '../library/keep/exclusions';
import { messageKeyOf, partKey } from '../queries/part-rows';
import { isoTime, toldAgent } from '../queries/session-summary';
import type { Timeline } from '../queries/timeline';
import { type ParsedQuery, parseQuery } from './query';
import { snippetOf } from './snippet';

/** Hits that are ranked: the newest ones. A word that stands in 100,000 parts would cost a second to rank whole. */
const rankedHits = 1_000;
/** Hits that are looked at when filters leave out most of them. */
const filteredHits = 50_000;

interface Candidate {
  doc: number;
  part: number;
  side: number;
  kind: number;
  state: number;
  role: number | null;
  flags: number | null;
  updated: number | null;
}

/** What a person looks for is more often said than printed: weights by kind of part, and less for what a tool put out. */
const kindWeight: Partial<Record<string, number>> = { text: 4, summary: 3, command: 3, reasoning: 2, tool: 2, file: 1.5 };

export interface SearchRequest {
  query: string;
  from: number;
  count: number;
  session?: string | undefined;
}

/** Full-text search over all parts: a bounded set of the newest hits, ranked by kind and age, with snippets for one page. */
export class Search {
  constructor(
    readonly db: Db,
    readonly timeline: Timeline,
  ) {}

  run({ query: text, from, count, session }: SearchRequest, indexing: boolean): SearchAnswer {
    const query = parseQuery(text);
    const answer: SearchAnswer = { query: text, total: 0, inherited: 0, capped: false, filters: query.filters, hits: [], indexing };
    // An agent that does not exist has said nothing; no word and no filter ask for nothing.
    if (query.filters.some((filter) => !filter.understood && filter.key === 'agent')) return answer;
    if (query.match === null && !query.filters.some((filter) => filter.understood)) return answer;
    const { candidates, capped } = this.#candidates(query, session);
    answer.total = candidates.length;
    answer.inherited = candidates.filter(({ candidate }) => isInherited(candidate.flags)).length;
    answer.capped = capped;
    answer.hits = candidates.slice(from, from + count).flatMap(({ candidate, score }) => this.#hit(candidate, score, query) ?? []);
    return answer;
  }

  /** How many parts of each of some sessions (row ids) match; only the first matches are counted. */
  countBySession(text: string, sessions: readonly number[]): { counts: Map<number, number>; capped: boolean } {
    const query = parseQuery(text);
    const filter = filterOf(query, undefined);
    const nothing = query.match === null && !query.filters.some((each) => each.understood);
    if (nothing || query.filters.some((each) => !each.understood && each.key === 'agent')) return { counts: new Map(), capped: false };
    const from = query.match === null ? 'part pt' : 'search JOIN doc d ON d.id = search.rowid JOIN part pt ON pt.id = d.part';
    const found = this.db
      .prepare<(string | number)[], { session: number; hits: number; looked: number }>(
        `SELECT session, count(DISTINCT part) AS hits, count(*) AS looked FROM (
           SELECT pt.session, pt.id AS part FROM ${from} JOIN session s ON s.id = pt.session JOIN store st ON st.id = s.store
           LEFT JOIN project p ON p.id = s.project LEFT JOIN message m ON m.id = pt.message LEFT JOIN word w ON w.id = pt.tool
           WHERE ${query.match === null ? 'pt.doc IS NOT NULL' : 'search MATCH ?'} AND pt.session IN (SELECT value FROM json_each(?)) ${filter.sql} LIMIT ?)
         GROUP BY session`,
      )
      .all(...(query.match === null ? [] : [query.match]), JSON.stringify(sessions), ...filter.values, filteredHits);
    return { counts: new Map(found.map(({ session, hits }) => [session, hits])), capped: found.reduce((sum, { looked }) => sum + looked, 0) >= filteredHits };
  }

  #candidates(query: ParsedQuery, session: string | undefined): { candidates: { candidate: Candidate; score: number }[]; capped: boolean } {
    const mark = (this.db.prepare("SELECT value FROM meta WHERE key = 'first pass'").get() as { value: number } | undefined)?.value ?? Number.MAX_SAFE_INTEGER;
    const filter = filterOf(query, session);
    const limit = filter.sql === '' ? rankedHits : filteredHits;
    // What is excluded is found by nobody who does not ask for its session.
    const hidden = session === undefined ? notExcluded : 'true';
    if (query.match === null) return this.#parts(filter, hidden);
    // Documents of the first pass were made newest first, later ones newest last: so the newest hits are found without sorting.
    const later = this.#documents(query.match as string, 'search.rowid > ?', 'DESC', mark, filter, hidden, limit);
    const earlier = later.length < limit ? this.#documents(query.match as string, 'search.rowid <= ?', 'ASC', mark, filter, hidden, limit - later.length) : [];
    const found = [...later, ...earlier];
    const now = Date.now();
    const candidates = found.map((candidate) => ({ candidate, score: scoreOf(candidate, now) }));
    candidates.sort((a, b) => b.score - a.score);
    return { candidates, capped: found.length >= limit };
  }

  /** Filters without words: the parts of the sessions that changed last, in their order. */
  #parts(filter: { sql: string; values: (string | number)[] }, hidden: string): { candidates: { candidate: Candidate; score: number }[]; capped: boolean } {
    const found = this.db
      .prepare(
        `SELECT 0 AS doc, pt.id AS part, 0 AS side, pt.kind, pt.state, m.role, m.flags, s.updated
         FROM session s CROSS JOIN part pt ON pt.session = s.id JOIN store st ON st.id = s.store
         LEFT JOIN project p ON p.id = s.project LEFT JOIN message m ON m.id = pt.message LEFT JOIN word w ON w.id = pt.tool
         WHERE s.ignored = 0 AND ${hidden} AND pt.doc IS NOT NULL ${filter.sql} ORDER BY s.updated DESC, s.id, pt.seq LIMIT ?`,
      )
      .all(...filter.values, rankedHits) as Candidate[];
    return { candidates: found.map((candidate) => ({ candidate, score: 0 })), capped: found.length >= rankedHits };
  }

  #documents(match: string, side: string, order: 'ASC' | 'DESC', mark: number, filter: { sql: string; values: (string | number)[] }, hidden: string, limit: number): Candidate[] {
    return this.db
      .prepare(
        `SELECT d.id AS doc, d.part, d.side, pt.kind, pt.state, m.role, m.flags, s.updated
         FROM search JOIN doc d ON d.id = search.rowid JOIN part pt ON pt.id = d.part JOIN session s ON s.id = pt.session JOIN store st ON st.id = s.store
         LEFT JOIN project p ON p.id = s.project LEFT JOIN message m ON m.id = pt.message LEFT JOIN word w ON w.id = pt.tool
         WHERE search MATCH ? AND ${side} AND s.ignored = 0 AND ${hidden} ${filter.sql} ORDER BY search.rowid ${order} LIMIT ?`,
      )
      .all(match, mark, ...filter.values, limit) as Candidate[];
  }

  #hit(candidate: Candidate, score: number, query: ParsedQuery): SearchHit | null {
    const row = this.timeline.rows.one(candidate.part);
    const session = row && (this.db
      .prepare(`SELECT s.native, s.title, st.id AS storeRow, st.key, st.agent, ${toldAgent} AS told, p.name AS project FROM session s JOIN store st ON st.id = s.store LEFT JOIN project p ON p.id = s.project WHERE s.id = ?`)
      .get(row.session) as { native: string; title: string | null; storeRow: number; key: string; agent: string; told: string; project: string | null } | undefined);
    const store = session && this.timeline.storeOf(session.agent);
    if (!row || !session || !store) return null;
    const body = this.timeline.bodies.body(store, session.storeRow, row);
    const text = candidate.side === 1 ? body?.tool?.output : (body?.text ?? body?.tool?.input ?? body?.file?.name);
    const id = sessionId(storeId(session.key), nativeId(session.native));
    return {
      session: id, sessionTitle: session.title, agent: session.told as Agent, project: session.project ?? 'no folder recorded',
      part: partId(id, partKey(row)), message: messageId(id, messageKeyOf(row)), index: row.seq, kind: kindCode.word(row.kind),
      role: row.role === null ? 'system' : roleCode.word(row.role), state: stateCode.word(row.state), seen: (row.flags & partFlag.seen) !== 0, tool: this.timeline.words.textOrNull(row.tool),
      inherited: isInherited(row.messageFlags),
      snippet: snippetOf(text ?? row.title ?? '', query.terms), score: Math.round(score * 1000) / 1000, time: isoTime(row.time ?? row.messageTime, row.localTime !== 0),
    };
  }
}

/** Filters as SQL over the joined rows; empty when there are none. */
function filterOf(query: ParsedQuery, session: string | undefined): { sql: string; values: (string | number)[] } {
  const sql: string[] = [];
  const values: (string | number)[] = [];
  const add = (text: string, ...bound: (string | number)[]) => {
    sql.push(`AND ${text}`);
    values.push(...bound);
  };
  const oneOf = (count: number) => Array.from({ length: count }, () => '?').join(', ');
  if (query.agents.length) add(`${toldAgent} IN (${oneOf(query.agents.length)})`, ...query.agents);
  for (const project of query.projects) {
    const like = `%${project.replace(/[\\%_]/g, '\\$&')}%`;
    add("(p.name LIKE ? ESCAPE '\\' OR p.folder LIKE ? ESCAPE '\\')", like, like);
  }
  if (query.roles.length) add(`m.role IN (${oneOf(query.roles.length)})`, ...query.roles.map((role) => roleCode.code(role)));
  for (const tool of query.tools) add("lower(w.text) LIKE ? ESCAPE '\\'", `%${tool.replace(/[\\%_]/g, '\\$&')}%`);
  if (query.before !== null) add('coalesce(m.time, s.updated) < ?', query.before);
  if (query.after !== null) add('coalesce(m.time, s.updated) >= ?', query.after);
  const parts = session === undefined ? null : splitSessionId(session);
  if (parts) add('st.key = ? AND s.native = ?', parts.store, parts.native);
  return { sql: sql.join(' '), values };
}

const isInherited = (flags: number | null): boolean => ((flags ?? 0) & messageFlag.inherited) !== 0;

const day = 86_400_000;

function scoreOf(candidate: Candidate, now: number): number {
  const weight = candidate.side === 1 ? 1 : (kindWeight[kindCode.word(candidate.kind)] ?? 1);
  const age = candidate.updated === null ? 365 : Math.max(0, (now - candidate.updated) / day);
  const state = stateCode.word(candidate.state) === 'live' ? 1 : 0.8;
  // A fork is newer than what it was copied from, which should still come first.
  const copy = isInherited(candidate.flags) ? 0.5 : 1;
  // Half the weight after a month: what was said last week comes before what was said last year.
  return weight * state * copy * (0.25 + 0.75 / (1 + age / 30));
}
