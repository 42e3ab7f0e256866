import type { SearchAnswer, SearchHit } from '@shared/contract';
import type { CommandContext } from '../command-context';
import { countOf, localTime } from '../figures';
import type { Paint } from '../paint';
import { plainLine } from '../plain-text';
import type { SearchRequest } from '../request';
import { stateSigns } from '../session-words';
import { sessionNamed } from '../sessions';
import { snippetOf } from '../snippet';
import type { ExitCode } from '../surroundings';

/** Hits asked for at once. */
const pageSize = 200;

/** `retrace search`: where words occur, best hits first. */
export async function search(context: CommandContext, request: SearchRequest): Promise<ExitCode> {
  const session = request.session === null ? undefined : await sessionNamed(context.engine, request.session);
  const ask = (from: number, count: number) =>
    context.engine.call('search.query', { query: request.query, from, count, ...(session !== undefined && { session }) });
  const first = await ask(0, Math.min(pageSize, request.limit));
  const { hits } = first;
  while (hits.length < Math.min(request.limit, first.total)) {
    const { hits: more } = await ask(hits.length, Math.min(pageSize, request.limit - hits.length));
    if (more.length === 0) break;
    hits.push(...more);
  }
  for (const { key, value, understood } of first.filters) if (!understood) context.warn(`${key}:${value} is not understood.`);
  if (first.indexing) context.warn('The library is being brought up to date: hits may be missing.');
  if (context.json) await context.out.json(documentOf(first));
  else await print(context, first);
  return hits.length > 0 ? 0 : 1;
}

function documentOf({ query, total, inherited, capped, indexing, filters, hits }: SearchAnswer) {
  return {
    query, total, inherited, capped, indexing, filters,
    hits: hits.map((hit) => {
      const { text, marks } = snippetOf(hit.snippet);
      return {
        session: hit.session, message: hit.message, part: hit.part, kind: hit.kind, snippet: text, score: hit.score, time: hit.time,
        marks, sessionTitle: hit.sessionTitle, agent: hit.agent, project: hit.project, index: hit.index, role: hit.role, state: hit.state, tool: hit.tool, inherited: hit.inherited,
      };
    }),
  };
}

async function print({ out, paint, warn }: CommandContext, { hits, total, capped }: SearchAnswer): Promise<void> {
  if (hits.length === 0) return warn('Nothing matches.');
  for (const [at, hit] of hits.entries()) {
    if (at > 0) await out.line();
    for (const line of linesOf(hit, paint)) await out.line(line);
  }
  if (total > hits.length) warn(`${countOf(total, 'hit')}${capped ? ' or more' : ''}; the first ${hits.length} are shown (--limit).`);
}

function linesOf(hit: SearchHit, paint: Paint): string[] {
  const what = hit.tool === null ? `${hit.role} ${hit.kind}` : `${hit.role} tool ${plainLine(hit.tool)}`;
  const state = hit.state === 'live' ? '' : ` ${stateSigns[hit.state]} ${hit.state}`;
  const copied = hit.inherited ? ' · inherited' : '';
  const { text, marks } = snippetOf(hit.snippet);
  let at = 0;
  let snippet = '';
  for (const [from, to] of marks) {
    snippet += text.slice(at, from) + paint('bold', text.slice(from, to));
    at = to;
  }
  return [
    `${paint('bold', plainLine(hit.sessionTitle ?? '') || 'untitled')}  ${paint('dim', `${hit.agent} · ${plainLine(hit.project)} · ${localTime(hit.time)}`)}`,
    `  ${snippet}${text.slice(at)}`,
    `  ${paint('dim', `${what}${state}${copied} · ${plainLine(hit.part)}`)}`,
  ];
}
