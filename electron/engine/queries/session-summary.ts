import { type Agent, type Certainty, type EdgeKind, nativeId, sessionId, type SessionKind, type SessionSummary, storeId } from '@shared/model';
import type { Db } from '../library/database';

export interface SummaryRow {
  id: number;
  native: string;
  storeKey: string;
  agent: string;
  origin: string;
  kind: string;
  title: string | null;
  directory: string | null;
  project: string | null;
  branch: string | null;
  model: string | null;
  agentName: string | null;
  created: number | null;
  updated: number | null;
  archived: number | null;
  localTime: number;
  head: number;
  messages: number;
  users: number;
  assistants: number;
  tools: number;
  parts: number;
  input: number | null;
  output: number | null;
  reasoning: number | null;
  cacheRead: number | null;
  cacheWrite: number | null;
  compactions: number;
  reverted: number;
  gone: number;
  damage: number;
  parent: string | null;
  parentKind: string | null;
  parentCertainty: string | null;
  parentEvidence: string | null;
}

const columns = `s.id, s.native, st.key AS storeKey, st.agent, st.origin, s.kind, s.title, s.directory, p.name AS project, s.branch, s.model, sa.name AS agentName, s.created, s.updated, s.archived, s.local_time AS localTime, s.head,
  s.messages, s.users, s.assistants, s.tools, s.parts, s.input, s.output, s.reasoning, s.cache_read AS cacheRead, s.cache_write AS cacheWrite,
  s.compactions, s.reverted, s.gone, s.damage, s.parent, s.parent_kind AS parentKind, s.parent_certainty AS parentCertainty, s.parent_evidence AS parentEvidence`;

/** `FROM` of every question about sessions: `s` the session, `st` its store, `p` its project. */
export const summaryFrom = 'FROM session s JOIN store st ON st.id = s.store LEFT JOIN project p ON p.id = s.project LEFT JOIN session_agent sa ON sa.session = s.id';
/** The agent as people are told it: sessions that live only in the library are Retrace's own, whoever wrote them. */
export const toldAgent = "CASE st.origin WHEN 'import' THEN 'retrace' ELSE st.agent END";
export const summarySelect = `SELECT ${columns} ${summaryFrom}`;

/** ISO 8601 UTC, or null for a time that is unknown or no time at all; a local time without a zone has no `Z`. */
export function isoTime(ms: number | null, local = false): string | null {
  if (ms === null || !Number.isFinite(ms) || Math.abs(ms) > 8.64e15) return null;
  const text = new Date(ms).toISOString();
  return local ? text.slice(0, -1) : text;
}

/** A moment inside a sentence: `2026-11-29 15:02 UTC`. */
export const toldTime = (ms: number): string => `${isoTime(ms)?.slice(0, 16).replace('T', ' ') ?? 'a time that is none'} UTC`;

export function summaryOf(row: SummaryRow): SessionSummary {
  const store = storeId(row.storeKey);
  const indexed = row.head === 0;
  const time = (ms: number | null) => isoTime(ms, row.localTime !== 0);
  const hasTokens = indexed && (row.input !== null || row.output !== null);
  return {
    id: sessionId(store, nativeId(row.native)), agent: row.origin === 'import' ? 'retrace' : (row.agent as Agent), writtenBy: row.agent as Agent, store, nativeId: nativeId(row.native),
    title: row.title, directory: row.directory, project: row.project ?? 'no folder recorded', gitBranch: row.branch, model: row.model, agentName: row.agentName,
    created: time(row.created), updated: time(row.updated), archived: time(row.archived), kind: row.kind as SessionKind,
    parent: row.parent === null ? null : {
      id: sessionId(store, nativeId(row.parent)), kind: row.parentKind as EdgeKind, certainty: row.parentCertainty as Certainty, evidence: row.parentEvidence ?? '',
    },
    counts: indexed ? { messages: row.messages, user: row.users, assistant: row.assistants, toolCalls: row.tools, parts: row.parts } : null,
    tokens: hasTokens
      ? { input: row.input ?? 0, output: row.output ?? 0, reasoning: row.reasoning ?? 0, cacheRead: row.cacheRead ?? 0, cacheWrite: row.cacheWrite ?? 0 }
      : null,
    compactions: row.compactions, reverted: row.reverted !== 0, source: row.gone ? 'gone' : 'present', damage: row.damage,
  };
}

export function findSession(db: Db, id: string): SummaryRow | undefined {
  const slash = id.indexOf('/');
  return db.prepare<[string, string], SummaryRow>(`${summarySelect} WHERE st.key = ? AND s.native = ?`).get(id.slice(0, slash), id.slice(slash + 1));
}
