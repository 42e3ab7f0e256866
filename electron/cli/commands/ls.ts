import type { SessionFilter } from '@shared/contract';
import type { Engine } from '@shared/link';
import type { SessionSummary } from '@shared/model';
import { spellingOf } from '../../engine/stores/foreign/spelling';
import type { CommandContext } from '../command-context';
import { localTime } from '../figures';
import { plainLine } from '../plain-text';
import type { LsRequest } from '../request';
import { edgeSigns, titleOf } from '../session-words';
import { sessionsOf } from '../sessions';
import type { ExitCode } from '../surroundings';
import { type Column, table } from '../table';

/** Sessions a terminal gets when no limit is given: more than that is not looked through on a screen. */
const screenful = 50;

const columns: readonly Column[] = [
  { head: 'UPDATED' },
  { head: 'AGENT', style: 'cyan' },
  { head: 'PROJECT' },
  { head: 'MESSAGES', align: 'right' },
  { head: 'TITLE', style: 'bold', flexible: { least: 24, most: 80 } },
  { head: 'SESSION', style: 'dim' },
];

/** `retrace ls`: sessions, newest first. */
export async function ls(context: CommandContext, request: LsRequest): Promise<ExitCode> {
  const { engine, out, json } = context;
  const filter = await filterOf(context, request);
  const limit = request.limit ?? (context.isTerminal && !json ? screenful : Infinity);
  if (json) {
    let count = 0;
    await out.jsonList(counted(filter ? sessionsOf(engine, filter, request.sort, limit) : [], () => count++));
    await out.line();
    return count > 0 ? 0 : 1;
  }
  const sessions: SessionSummary[] = [];
  if (filter) for await (const session of sessionsOf(engine, filter, request.sort, limit)) sessions.push(session);
  if (sessions.length === 0 || !filter) {
    context.warn('No session matches.');
    return 1;
  }
  for (const line of table(columns, sessions.map((session) => rowOf(session, request)), context.width, context.paint)) await out.line(line);
  const { total } = await engine.call('session.list', { filter, sort: request.sort, from: 0, count: 1 });
  if (total > sessions.length) context.warn(`${total - sessions.length} more: --limit ${total} shows all.`);
  return 0;
}

function rowOf(session: SessionSummary, { sort }: LsRequest): string[] {
  const sign = session.parent ? `${edgeSigns[session.parent.kind]} ` : '';
  return [
    localTime(sort === 'created' ? session.created : session.updated),
    session.agent,
    plainLine(session.project),
    session.counts === null ? '?' : String(session.counts.messages),
    sign + titleOf(session),
    plainLine(session.nativeId),
  ];
}

/** Null when no project has a name that was asked for: then nothing can match. */
async function filterOf(context: CommandContext, request: LsRequest): Promise<SessionFilter | null> {
  const projects = await projectKeys(context.engine, request.projects);
  for (const name of projects.unknown) context.warn(`There is no project ${JSON.stringify(name)}.`);
  if (request.projects.length > 0 && projects.keys.length === 0) return null;
  return {
    archived: request.archived,
    ...(request.agents.length > 0 && { agents: request.agents }),
    ...(projects.keys.length > 0 && { projects: projects.keys }),
    ...(request.since !== null && { since: request.since }),
    ...(request.until !== null && { until: request.until }),
    ...(request.title !== null && { title: request.title }),
  };
}

async function projectKeys(engine: Engine, names: readonly string[]): Promise<{ keys: string[]; unknown: string[] }> {
  if (names.length === 0) return { keys: [], unknown: [] };
  const { projects } = await engine.call('library.facets', {});
  const found = names.map((name) => {
    const folder = spellingOf(name);
    return projects.filter((project) => project.key === folder || project.name.toLowerCase() === name.toLowerCase()).map(({ key }) => key);
  });
  return { keys: found.flat(), unknown: names.filter((_name, at) => found[at]?.length === 0) };
}

async function* counted<T>(values: Iterable<T> | AsyncIterable<T>, count: () => void): AsyncIterable<T> {
  for await (const value of values) {
    count();
    yield value;
  }
}
