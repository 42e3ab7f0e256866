import { agents, type Role, roles } from '@shared/model';

/** A query as understood: words and phrases that must all occur, and filters. Anything typed is a valid query. */
export interface ParsedQuery {
  /** For SQLite's full-text MATCH; null when there is nothing to look for but filters. */
  match: string | null;
  /** What to mark in a snippet: each a run of words, the last one maybe only begun. */
  terms: SearchTerm[];
  filters: { key: string; value: string; understood: boolean }[];
  agents: string[];
  projects: string[];
  roles: Role[];
  tools: string[];
  before: number | null;
  after: number | null;
}

export interface SearchTerm {
  words: string[];
  prefix: boolean;
}

const filterKeys = new Set(['agent', 'project', 'role', 'tool', 'before', 'after']);
/** A quoted phrase (its end may be missing), or a run without spaces that may hold a quoted value behind a colon. */
const token = /(\p{L}+):"([^"]*)"?|"([^"]*)"?|(\S+)/gu;
/** What the index takes as a word; keep in step with its tokenizer (unicode61: letters, digits, marks and private use). */
const word = /[\p{L}\p{N}\p{M}\p{Co}]+/gu;

/** Reads what a person typed: words, "phrases", prefix*, and `agent: project: role: tool: before: after:`. */
export function parseQuery(text: string): ParsedQuery {
  const query: ParsedQuery = { match: null, terms: [], filters: [], agents: [], projects: [], roles: [], tools: [], before: null, after: null };
  for (const [, key, quotedValue, phrase, run] of text.matchAll(token)) {
    if (key !== undefined && quotedValue !== undefined) {
      if (!takeFilter(query, key, quotedValue)) takeTerm(query, `${key} ${quotedValue}`, false);
    } else if (phrase !== undefined) {
      takeTerm(query, phrase, false);
    } else if (run !== undefined) {
      const colon = run.indexOf(':');
      if (colon > 0 && colon < run.length - 1 && takeFilter(query, run.slice(0, colon), run.slice(colon + 1))) continue;
      takeTerm(query, run, run.endsWith('*'));
    }
  }
  if (query.terms.length > 0) query.match = query.terms.map(({ words, prefix }) => `"${words.join(' ')}"${prefix ? '*' : ''}`).join(' AND ');
  return query;
}

function takeTerm(query: ParsedQuery, text: string, prefix: boolean): void {
  const words = text.match(word);
  if (words) query.terms.push({ words, prefix });
}

/** False when the key is no filter: then it is text like any other (`http://…`, `a:b`). */
function takeFilter(query: ParsedQuery, name: string, value: string): boolean {
  const key = name.toLowerCase();
  if (!filterKeys.has(key)) return false;
  const understood = applyFilter(query, key, value);
  query.filters.push({ key, value, understood });
  return true;
}

function applyFilter(query: ParsedQuery, key: string, value: string): boolean {
  const lower = value.toLowerCase();
  switch (key) {
    case 'agent': {
      const found = agents.filter((agent) => agent === lower || agent.startsWith(lower));
      query.agents.push(...found);
      return found.length > 0;
    }
    case 'role': {
      const role = roles.find((candidate) => candidate === lower || (lower === 'you' && candidate === 'user') || (lower === 'agent' && candidate === 'assistant'));
      if (role) query.roles.push(role);
      return role !== undefined;
    }
    case 'project':
      query.projects.push(value);
      return true;
    case 'tool':
      query.tools.push(lower);
      return true;
    default: {
      const time = timeOf(value);
      if (time === null) return false;
      if (key === 'before') query.before = time;
      else query.after = time;
      return true;
    }
  }
}

/** A day, a month, a year or a moment, taken as UTC. */
function timeOf(value: string): number | null {
  if (!/^\d{4}(-\d{1,2}(-\d{1,2}(T[\d:.]+Z?)?)?)?$/.test(value)) return null;
  const [year, month = '1', rest = '1'] = value.split('-');
  if (value.includes('T')) return notNaN(Date.parse(value.endsWith('Z') ? value : `${value}Z`));
  return notNaN(Date.UTC(Number(year), Number(month) - 1, Number(rest)));
}

const notNaN = (time: number): number | null => (Number.isNaN(time) ? null : time);
