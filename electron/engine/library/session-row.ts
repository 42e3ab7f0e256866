import type { Tokens } from '@shared/model';
import type { EdgeFact, SessionFacts, Settled } from '../stores/store';
import { kindCode, messageFlag, recordFlag, roleCode } from './codes';
import type { Db } from './database';
import { Projects } from './projects';
import type { LoadedSpine } from './spine';

/** A branch that is not the current one, as the row keeps it: where it leaves the current branch, and what is its own. */
export interface StoredBranch {
  tip: string;
  /** Key of its last message that the current branch has too; null when it has none. */
  after: string | null;
  /** Keys of its own messages, from the first. */
  own: string[];
}

interface Sums extends Record<keyof Tokens, number | null> {
  messages: number;
  users: number;
  assistants: number;
  /** Requests of the session's own, whether or not the store tells their tokens. */
  requests: number;
}

const nothing: Tokens = { input: 0, output: 0, reasoning: 0, cacheRead: 0, cacheWrite: 0 };

const counted = `(flags & ${messageFlag.counted | messageFlag.uncounted}) = ${messageFlag.counted}`;
const own = `(flags & ${messageFlag.inherited}) = 0`;

/** Writes what is known of a session as a whole: its row, its figures, its edges. */
export class SessionRows {
  readonly #projects;
  readonly #sql;

  constructor(db: Db) {
    this.#projects = new Projects(db);
    this.#sql = {
      place: db.prepare(
        `UPDATE session SET kind = ?, title = ?, directory = ?, project = ?, branch = ?, model = ?, created = ?, updated = ?, archived = ?, local_time = ?, ignored = ?, head = 0,
          compactions = ?, reverted = ?, condition = ?, facts = ?, notices = ?, branches = ?, revision = ? WHERE id = ?`,
      ),
      agent: db.prepare('INSERT OR REPLACE INTO session_agent(session, name) VALUES (?, ?)'),
      noAgent: db.prepare('DELETE FROM session_agent WHERE session = ?'),
      countAgain: db.prepare(`UPDATE message SET flags = flags & ~${messageFlag.uncounted} WHERE session = ? AND (flags & ${messageFlag.uncounted}) != 0`),
      leaveOut: db.prepare(`UPDATE message SET flags = flags | ${messageFlag.uncounted} WHERE id = ?`),
      time: db.prepare('UPDATE message SET time = ? WHERE id = ? AND time IS NULL'),
      messages: db.prepare<[number], Sums>(
        `SELECT count(*) FILTER (WHERE ${counted}) AS messages, count(*) FILTER (WHERE ${counted} AND role = ${roleCode.code('user')}) AS users,
          count(*) FILTER (WHERE ${counted} AND role = ${roleCode.code('assistant')}) AS assistants,
          count(*) FILTER (WHERE ${counted} AND ${own} AND role = ${roleCode.code('assistant')}) AS requests,
          sum(input) FILTER (WHERE ${own}) AS input, sum(output) FILTER (WHERE ${own}) AS output, sum(reasoning) FILTER (WHERE ${own}) AS reasoning,
          sum(cache_read) FILTER (WHERE ${own}) AS cacheRead, sum(cache_write) FILTER (WHERE ${own}) AS cacheWrite
         FROM message WHERE session = ? AND EXISTS (SELECT 1 FROM record WHERE record.id = message.first AND (record.flags & ${recordFlag.gone}) = 0)`,
      ),
      parts: db.prepare<[number], { parts: number; tools: number }>(
        `SELECT count(*) AS parts, count(*) FILTER (WHERE kind = ${kindCode.code('tool')}) AS tools FROM part WHERE session = ?`,
      ),
      damage: db.prepare<[number], { n: number }>('SELECT count(*) AS n FROM damage WHERE session = ?'),
      count: db.prepare(
        'UPDATE session SET messages = ?, users = ?, assistants = ?, tools = ?, parts = ?, input = ?, output = ?, reasoning = ?, cache_read = ?, cache_write = ?, damage = ? WHERE id = ?',
      ),
      dropEdges: db.prepare('DELETE FROM edge WHERE child = ? AND origin = ?'),
      edge: db.prepare('INSERT OR REPLACE INTO edge(child, parent, kind, certainty, evidence, after, call, inherited, origin) VALUES (?,?,?,?,?,?,?,?,?)'),
    };
  }

  /** Writes what settling found into the session's row, figures and all. */
  place(session: number, facts: SessionFacts, settled: Settled, loaded: LoadedSpine, revision: number): void {
    const notices = [
      ...facts.notices.map((notice) => ({ ...notice, message: null })),
      ...settled.notices.map(({ record, ...notice }) => ({ ...notice, message: loaded.spine.records[record]?.messageKey ?? null })),
    ];
    this.#sql.place.run(
      facts.kind, facts.title, facts.directory, this.#projects.idOf(facts), facts.gitBranch, facts.model, facts.created, facts.updated, facts.archived,
      facts.localTime ? 1 : 0, facts.ignored ? 1 : 0, settled.compactions, settled.reverted ? 1 : 0, settled.condition, JSON.stringify(facts), JSON.stringify(notices),
      JSON.stringify(branchesOf(settled, loaded)), revision, session,
    );
    if (facts.agentName === null) this.#sql.noAgent.run(session);
    else this.#sql.agent.run(session, facts.agentName);
    this.#sql.countAgain.run(session);
    for (const record of settled.uncounted ?? []) this.#sql.leaveOut.run(loaded.messages[record] ?? null);
    for (const { record, time } of settled.times ?? []) this.#sql.time.run(time, loaded.messages[record] ?? null);
    this.replaceEdges(session, facts.edges, 'facts');
    this.count(session, facts.tokens);
  }

  /** Counts from the rows: what is gone from the store, and what the agent put in, is not counted; tokens leave out what came with a fork. */
  count(session: number, totals: Tokens | null): void {
    const sums = this.#sql.messages.get(session);
    const parts = this.#sql.parts.get(session);
    if (!sums || !parts) throw new Error(`session ${session} could not be counted`);
    // Without a request nothing was spent; only where there were some can the store have kept quiet.
    const tokens = totals ?? (sums.requests === 0 ? nothing : sums);
    this.#sql.count.run(
      sums.messages, sums.users, sums.assistants, parts.tools, parts.parts, tokens.input, tokens.output, tokens.reasoning, tokens.cacheRead, tokens.cacheWrite,
      this.#sql.damage.get(session)?.n ?? 0, session,
    );
  }

  /** Replaces the edges of a child that came from the same origin (`facts`: its own records; `lineage`: comparison). */
  replaceEdges(child: number, edges: EdgeFact[], origin: 'facts' | 'lineage'): void {
    this.#sql.dropEdges.run(child, origin);
    for (const edge of edges) {
      this.#sql.edge.run(child, edge.parent, edge.kind, edge.certainty, edge.evidence, edge.after, edge.callId, edge.inherited.length, origin);
    }
  }
}

/** The current branch is read from the rows when asked for: whatever is not off it. Only the others have to be written down. */
function branchesOf(settled: Settled, { spine }: LoadedSpine): StoredBranch[] {
  const current = settled.branches.find((branch) => branch.current);
  if (!current || settled.branches.length === 1) return [];
  const onCurrent = new Set(current.path.map((index) => spine.records[index]?.messageKey));
  return settled.branches.filter((branch) => !branch.current).map(({ path }) => {
    let after: string | null = null;
    const itsOwn = new Set<string>();
    for (const index of path) {
      const key = spine.records[index]?.messageKey ?? null;
      if (key === null) continue;
      if (!onCurrent.has(key)) itsOwn.add(key);
      else if (itsOwn.size === 0) after = key;
    }
    return { tip: spine.records[path.at(-1) ?? -1]?.key ?? '', after, own: [...itsOwn] };
  });
}
