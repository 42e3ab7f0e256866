import type { LibrarySort, SessionFilter } from '@shared/contract';
import type { SessionSummary } from '@shared/model';
import type { Db } from '../library/database';
import { notExcluded } from '../library/keep/exclusions';
import { spellingOf } from '../stores/foreign/spelling';
import { summaryFrom, summaryOf, type SummaryRow, summarySelect, toldAgent } from './session-summary';

export interface Condition {
  sql: string;
  values: (string | number)[];
}

/** The filter as SQL over `s`, `st` and `p`; all values are bound. Sessions the store keeps out of lists for good never match, nor does what is excluded. */
export function conditionOf(filter: SessionFilter): Condition {
  const sql = ['s.ignored = 0', notExcluded];
  const values: (string | number)[] = [];
  const add = (text: string, ...bound: (string | number)[]) => {
    sql.push(text);
    values.push(...bound);
  };
  if (filter.agents?.length) add(`${toldAgent} IN (${filter.agents.map(() => '?').join(', ')})`, ...filter.agents);
  if (filter.projects?.length) add(`p.key IN (${filter.projects.map(() => '?').join(', ')})`, ...filter.projects.map(spellingOf));
  if (filter.archived === 'only') add('s.archived IS NOT NULL');
  else if (filter.archived !== 'include') add('s.archived IS NULL');
  if (filter.since !== undefined) add('s.updated >= ?', timeOf(filter.since, -Infinity));
  if (filter.until !== undefined) add('s.updated <= ?', timeOf(filter.until, Infinity));
  for (const word of filter.title?.split(/\s+/).filter(Boolean) ?? []) add("s.title LIKE ? ESCAPE '\\'", `%${word.replace(/[\\%_]/g, '\\$&')}%`);
  return { sql: sql.join(' AND '), values };
}

/** A time that cannot be read filters nothing out. */
const timeOf = (text: string, otherwise: number): number => {
  const time = Date.parse(text);
  return Number.isNaN(time) ? otherwise : time;
};

export const sortColumn = (sort: LibrarySort): string => (sort === 'updated' ? 's.updated' : 's.created');

export function listSessions(db: Db, filter: SessionFilter, sort: LibrarySort, from: number, count: number): { total: number; sessions: SessionSummary[] } {
  const { sql, values } = conditionOf(filter);
  const { total } = db.prepare(`SELECT count(*) AS total ${summaryFrom} WHERE ${sql}`).get(...values) as { total: number };
  const rows = db
    .prepare(`${summarySelect} WHERE ${sql} ORDER BY ${sortColumn(sort)} DESC NULLS LAST, s.native LIMIT ? OFFSET ?`)
    .all(...values, count, from) as SummaryRow[];
  return { total, sessions: rows.map(summaryOf) };
}
