import type { Engine } from '@shared/link';
import type { SessionSummary } from '@shared/model';
import type { Forest } from '../../engine/lineage/forest';
import { ownAgents } from '../../engine/queries/agent-roles';
import type { CommandContext } from '../command-context';
import { localTime } from '../figures';
import { jsonText } from '../json-text';
import { plainLine, shorten, widthOf } from '../plain-text';
import type { TreeRequest } from '../request';
import { forestOfSessions, type SessionNode, walk } from '../session-forest';
import { edgeSigns, titleOf } from '../session-words';
import { sessionNamed, sessionsOf } from '../sessions';
import type { ExitCode } from '../surroundings';

/** Columns of indentation that a title may lose; deeper sessions stand no further to the right. */
const deepest = 40;

/** `retrace tree`: sessions with their forks and subagents, all or those under one. */
export async function tree(context: CommandContext, request: TreeRequest): Promise<ExitCode> {
  const named = request.session === null ? null : await sessionNamed(context.engine, request.session);
  const sessions: SessionSummary[] = [];
  for await (const session of sessionsOf(context.engine, { archived: 'include' }, 'updated')) sessions.push(session);
  // A session that lists leave out can still be named; it is shown by itself.
  if (named !== null && !sessions.some(({ id }) => id === named)) {
    const detail = await context.engine.call('session.get', { session: named });
    if (detail) sessions.push(detail.summary);
  }
  const forest = forestOfSessions(sessions);
  const apart = await apartFolders(context.engine);
  const roots = named === null ? forest.roots : [...walk(forest, forest.roots)].flatMap((step) => ('enter' in step && step.enter.key === named ? [step.enter] : []));
  if (context.json) {
    for (const piece of documentOf(forest, roots, apart)) await context.out.write(piece);
  } else {
    if (roots.length === 0) context.warn('There are no sessions.');
    for (const line of linesOf(forest, roots, named === null ? apart : null, context)) await context.out.line(line);
  }
  return roots.length > 0 ? 0 : 1;
}

/** The trees as one JSON list, in pieces: nested as deep as the sessions are. */
export function* documentOf(forest: Forest<SessionNode>, roots: readonly SessionNode[], apart: ReadonlyMap<string, string> = new Map()): Iterable<string> {
  yield '[';
  for (const step of walk(forest, roots)) {
    if ('leave' in step) {
      yield step.last ? ']}' : ']},';
      continue;
    }
    const { id, title, kind, parent, agent, agentName, nativeId, project, directory, created, updated, archived, source, damage } = step.enter.session;
    const projectFolder = apart.get(id);
    const own = jsonText({ id, title, kind, parent, agent, agentName, nativeId, project, ...(projectFolder !== undefined && { projectFolder }), directory, created, updated, archived, source, damage });
    yield `${step.depth === 0 ? '\n' : ''}${own.slice(0, -1)},"children":[`;
  }
  yield roots.length > 0 ? '\n]\n' : ']\n';
}

/** `apart`: by project, and the folders of those that share a name; null: not by project. */
function* linesOf(forest: Forest<SessionNode>, roots: readonly SessionNode[], apart: ReadonlyMap<string, string> | null, context: CommandContext): Iterable<string> {
  const byProject = apart !== null;
  for (const { name, folder, members } of apart ? projectsOf(roots, apart) : [{ name: '', folder: null, members: roots }]) {
    if (byProject) yield context.paint('bold', plainLine(name)) + (folder === null ? '' : context.paint('dim', `  ${plainLine(folder)}`));
    const bars: string[] = [];
    for (const step of walk(forest, members)) {
      if ('leave' in step) continue;
      bars.length = step.depth;
      const isRoot = step.depth === 0 && !byProject;
      const branch = isRoot ? '' : step.last ? '└─ ' : '├─ ';
      yield lineOf(step.enter.session, bars.join('').slice(0, deepest) + branch, context);
      bars.push(isRoot ? '' : step.last ? '   ' : '│  ');
    }
  }
}

function lineOf(session: SessionSummary, indent: string, { paint, width }: CommandContext): string {
  const { parent } = session;
  const sign = parent ? `${edgeSigns[parent.kind]}${parent.certainty === 'inferred' ? '?' : ''} ` : '';
  const who = workerIn(session);
  const tail = `  ${session.agent}${who === null ? '' : ` · ${who}`} · ${localTime(session.updated)} · ${plainLine(session.nativeId)}`;
  const title = shorten(sign + titleOf(session), Math.max(24, width - widthOf(indent) - widthOf(tail)));
  return indent + title + paint('dim', tail);
}

/** Who works in it, where that says more than the program's name. */
function workerIn({ agentName }: SessionSummary): string | null {
  return agentName === null || ownAgents.has(agentName) ? null : plainLine(agentName);
}

interface Project {
  name: string;
  /** Set where other projects have the same name. */
  folder: string | null;
  members: SessionNode[];
}

/** Roots by their project, in the order of the newest root. Projects of one name are told apart by their folders. */
function projectsOf(roots: readonly SessionNode[], apart: ReadonlyMap<string, string>): Iterable<Project> {
  const projects = new Map<string, Project>();
  for (const root of roots) {
    const name = root.session.project;
    const folder = apart.get(root.session.id) ?? null;
    const key = JSON.stringify([name, folder]);
    const known = projects.get(key) ?? { name, folder, members: [] };
    projects.set(key, known);
    known.members.push(root);
  }
  return projects.values();
}

/** The project's folder of each session whose project has the name of another one. */
async function apartFolders(engine: Engine): Promise<Map<string, string>> {
  const folders = new Map<string, string>();
  const { projects } = await engine.call('library.facets', {});
  for (const { key, apart } of projects) {
    if (apart === null) continue;
    for await (const { id } of sessionsOf(engine, { archived: 'include', projects: [key] }, 'updated')) folders.set(id, apart);
  }
  return folders;
}
