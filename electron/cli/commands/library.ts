import type { ExclusionTarget, ForgetPlan, ForgetTarget, KeepRule, KeptOf, KeptSession, LibraryKeep } from '@shared/model';
import { agents, assertNever } from '@shared/model';
import { spellingOf } from '../../engine/stores/foreign/spelling';
import { type CommandContext, Refusal } from '../command-context';
import { byteCount, countOf, localTime } from '../figures';
import { plainLine } from '../plain-text';
import type { LibraryRequest } from '../request';
import { sessionNamed } from '../sessions';
import type { ExitCode } from '../surroundings';
import { type Column, table } from '../table';
import { compactLibrary } from './library-compact';
import { libraryServers } from './library-servers';

/** Projects that are printed; the rest is counted. JSON has more of them. */
const projectsShown = 30;
/** Sessions of a plan that are printed. */
const sessionsShown = 20;

/** `retrace library`: what the library keeps, by what rule, and what is done to it. */
export async function library(context: CommandContext, request: LibraryRequest): Promise<ExitCode> {
  const { act } = request;
  switch (act.kind) {
    case 'figures':
      return figures(context);
    case 'exclude':
      return exclude(context, act.what, act.dryRun);
    case 'include':
      return include(context, act.what, act.dryRun);
    case 'forget':
      return forget(context, act);
    case 'keep':
      return keep(context, act);
    case 'compact':
      return compactLibrary(context, act.dryRun);
    case 'servers':
      return libraryServers(context, act);
    default:
      return assertNever(act, 'act');
  }
}

async function figures({ engine, out, json, paint, width }: CommandContext): Promise<ExitCode> {
  const found = await engine.call('library.keep', {});
  if (json) await out.json(found);
  else for (const line of linesOf(found, width, paint)) await out.line(line);
  return 0;
}

const figureColumns = (head: string): readonly Column[] => [
  { head, style: 'bold', flexible: { least: 12, most: 40 } },
  { head: 'SESSIONS', align: 'right' },
  { head: 'GONE', align: 'right' },
  { head: 'READ', align: 'right' },
  { head: 'LOG', align: 'right' },
  { head: '~WORDS', align: 'right' },
  { head: '~ROWS', align: 'right' },
];

const figuresOf = ({ name, sessions, gone, read, log, words, rows, excluded }: KeptOf): string[] => [
  `${plainLine(name)}${excluded ? ' (excluded)' : ''}`, String(sessions), String(gone), byteCount(read), byteCount(log), byteCount(words), byteCount(rows),
];

function* linesOf(kept: LibraryKeep, width: number, paint: CommandContext['paint']): Iterable<string> {
  const { path, bytes, room, streams, sessions, projects, projectsTotal, exclusions, copies, compaction } = kept;
  yield `${paint('bold', 'library')}  ${plainLine(path)}`;
  yield `  ${byteCount(bytes)}: log ${byteCount(room.log)}, words ${byteCount(room.words)}, rows ${byteCount(room.rows)}, free ${byteCount(room.free)}`;
  yield `  keeps ${countOf(streams.total, 'stream')}, ${byteCount(streams.read)} as read; the source of ${countOf(streams.gone, 'stream')} is gone`;
  yield `  ${countOf(sessions.total, 'session')}; ${sessions.gone} only the library has${sessions.excluded > 0 ? `; ${sessions.excluded} excluded and in no list` : ''}`;
  yield `  ${ruleLine(kept.rule)}`;
  if (compaction.free > 0) yield `  retrace library compact frees ${byteCount(compaction.free)}${compaction.refusal === null ? '' : `: ${compaction.refusal}`}`;
  if (kept.agents.length > 0) yield* table(figureColumns('AGENT'), kept.agents.map(figuresOf), width, paint);
  if (projects.length > 0) yield* table([...figureColumns('PROJECT'), { head: 'FOLDER', style: 'dim' }], projects.slice(0, projectsShown).map((project) => [...figuresOf(project), plainLine(project.folder ?? '-')]), width, paint);
  if (projectsTotal > projectsShown) yield `and ${countOf(projectsTotal - projectsShown, 'more project')}`;
  if (exclusions.length > 0) yield paint('bold', 'excluded');
  for (const { kind, name, folder, since, sessions: left, stored } of exclusions) {
    yield `  ${kind} ${plainLine(name)}${folder === null ? '' : `  ${plainLine(folder)}`}  since ${localTime(since)}${left > 0 ? ` · ${countOf(left, 'session')} kept, ${byteCount(stored)} of the log` : ''}`;
  }
  if (copies.length > 0) yield paint('bold', 'copies beside it, which still hold what was forgotten since');
  for (const copy of copies) yield `  ${byteCount(copy.bytes)}  ${plainLine(copy.file)}`;
}

function ruleLine({ days, due, held }: KeepRule): string {
  if (days === null) return 'keeps sessions for ever whose source is gone';
  const now = due.sessions === 0 ? 'none is due' : `${countOf(due.sessions, 'session is', 'sessions are')} due (${byteCount(due.stored)} of the log): retrace library forget --due`;
  return `keeps sessions for ${countOf(days, 'day')} after their source went away; ${now}${held > 0 ? `; ${held} over time stay for others' sake` : ''}`;
}

async function exclude({ engine, out, json }: CommandContext, what: string, dryRun: boolean): Promise<ExitCode> {
  const outcome = await engine.call('library.exclude', { target: await toExclude(engine, what), dryRun });
  if (!outcome) throw new Refusal(`There is no agent, store or project ${JSON.stringify(what)}. A project that is not known yet is named by its folder.`);
  if (json) await out.json(outcome);
  else {
    const { kind, name, sessions } = outcome.exclusion;
    const kept = sessions === 0 ? '' : ` ${countOf(sessions, 'session')} read before ${sessions === 1 ? 'is' : 'are'} kept and in no list; retrace library forget takes them out.`;
    await out.line(`${outcome.already ? 'Was excluded already' : dryRun ? 'Would be excluded' : 'Excluded'}: ${kind} ${plainLine(name)}.${kept}`);
  }
  return 0;
}

async function include({ engine, out, json }: CommandContext, what: string, dryRun: boolean): Promise<ExitCode> {
  const { exclusions } = await engine.call('library.keep', {});
  const target = exclusionNamed(exclusions, what);
  if (!target) throw new Refusal(`Nothing that is called ${JSON.stringify(what)} is excluded.`);
  const outcome = await engine.call('library.include', { target, dryRun });
  if (json) await out.json(outcome);
  else await out.line(`${dryRun ? 'Would be included again' : 'Included again'}: ${target.kind} ${plainLine(outcome.exclusion?.name ?? target.key)}. The next pass reads what is new of it.`);
  return 0;
}

async function forget(context: CommandContext, { what, due, yes }: Extract<LibraryRequest['act'], { kind: 'forget' }>): Promise<ExitCode> {
  const { engine, out, json, warn } = context;
  const target: ForgetTarget = due ? { kind: 'due' } : await toForget(engine, what);
  const plan = await engine.call('library.planForget', { target });
  const outcome = yes && plan.refusals.length === 0 ? await engine.call('library.forget', { target, token: plan.token }) : { applied: false, plan };
  if (json) await out.json(outcome);
  else for (const line of planLines(outcome.plan, outcome.applied)) await out.line(line);
  for (const { text, sessions, total } of outcome.plan.refusals) {
    if (!json) warn([text, ...sessions.slice(0, sessionsShown).map((session) => `  ${sessionLine(session)}`), ...(total > sessionsShown ? [`  and ${total - sessionsShown} more`] : [])].join('\n'));
  }
  if (!json && !outcome.applied && outcome.plan.refusals.length === 0) warn('Nothing was forgotten: --yes does it.');
  return outcome.plan.refusals.length > 0 ? 1 : 0;
}

function* planLines({ sessions, along, onlyCopies, named, streams, overlays, frees, descendants, descendantsTotal }: ForgetPlan, applied: boolean): Iterable<string> {
  yield `${applied ? 'Forgotten' : 'To be forgotten'}: ${countOf(sessions, 'session')}${along > 0 ? ` (${along} of them subagents that go along)` : ''}, ${countOf(streams, 'stream')}${overlays > 0 ? `, ${countOf(overlays, 'file')} of a plugin` : ''}`;
  if (onlyCopies > 0) yield `  ${applied ? 'only the library had' : 'only the library has'} ${countOf(onlyCopies, 'of these sessions', 'of these sessions')}`;
  yield `  frees ${byteCount(frees.log)} of the log, about ${byteCount(frees.words)} of words and ${byteCount(frees.rows)} of rows, once the library is compacted`;
  for (const session of named.slice(0, sessionsShown)) yield `  ${sessionLine(session)}`;
  if (sessions > sessionsShown) yield `  and ${countOf(sessions - sessionsShown, 'more session')}`;
  if (descendantsTotal > 0) yield `  ${countOf(descendantsTotal, 'session descends', 'sessions descend')} from them and ${descendantsTotal === 1 ? 'stays' : 'stay'} as ${descendantsTotal === 1 ? 'it is' : 'they are'}:`;
  for (const session of descendants.slice(0, sessionsShown)) yield `    ${sessionLine(session)}`;
}

const sessionLine = ({ id, title, gone }: KeptSession): string => `${plainLine(id)}  ${plainLine(title ?? 'no title')}${gone ? '  (source is gone)' : ''}`;

async function keep({ engine, out, json }: CommandContext, { days, dryRun }: Extract<LibraryRequest['act'], { kind: 'keep' }>): Promise<ExitCode> {
  const rule = days === undefined ? (await engine.call('library.keep', {})).rule : await engine.call('library.rule', { days, dryRun });
  if (json) await out.json({ applied: days !== undefined && !dryRun, rule });
  else {
    await out.line(ruleLine(rule));
    for (const session of rule.due.named.slice(0, sessionsShown)) await out.line(`  ${sessionLine(session)}`);
    if (rule.due.sessions > sessionsShown) await out.line(`  and ${countOf(rule.due.sessions - sessionsShown, 'more session')}`);
  }
  return 0;
}

type Ask = CommandContext['engine'];

/** An agent, a store, or a project by its name or folder. A folder may be named before anything of it was read. */
async function toExclude(engine: Ask, what: string): Promise<ExclusionTarget> {
  const named = await agentOrStore(engine, what);
  if (named) return named;
  const { projects } = await engine.call('library.keep', {});
  return { kind: 'project', key: projectNamed(projects, what) ?? spellingOf(what) };
}

async function agentOrStore(engine: Ask, what: string): Promise<ExclusionTarget | null> {
  if (what.toLowerCase() === 'retrace') throw new Refusal('Imported sessions are excluded with the agent that wrote them, or with their project. To take one out, undo its import.');
  if (agents.some((agent) => agent === what.toLowerCase())) return { kind: 'agent', key: what.toLowerCase() };
  const { stores } = await engine.call('engine.info', {});
  return stores.some(({ id }) => id === what) ? { kind: 'store', key: what } : null;
}

function exclusionNamed(exclusions: LibraryKeep['exclusions'], what: string): ExclusionTarget | null {
  const exact = exclusions.find(({ kind, key }) => key === (kind === 'project' ? spellingOf(what) : what.toLowerCase()));
  const found = exact ? [exact] : exclusions.filter(({ name }) => name.toLowerCase() === what.toLowerCase());
  if (found.length > 1) throw new Refusal(`Several of what is excluded are called ${JSON.stringify(what)}: ${found.map(({ folder, key }) => folder ?? key).join(', ')}. Name its folder.`);
  return found[0] ? { kind: found[0].kind, key: found[0].key } : null;
}

function projectNamed(projects: readonly KeptOf[], what: string): string | null {
  const exact = projects.find(({ key }) => key === spellingOf(what));
  if (exact) return exact.key;
  const named = projects.filter(({ key, name }) => key !== null && name.toLowerCase() === what.toLowerCase());
  if (named.length > 1) throw new Refusal(`Several projects are called ${JSON.stringify(what)}: ${named.map(({ folder, key }) => folder ?? key).join(', ')}. Name its folder.`);
  return named[0]?.key ?? null;
}

/** What is excluded goes by its name; anything else names sessions. */
async function toForget(engine: Ask, what: readonly string[]): Promise<ForgetTarget> {
  const [only] = what;
  if (only !== undefined && what.length === 1) {
    const { exclusions, projects } = await engine.call('library.keep', {});
    const excluded = exclusionNamed(exclusions, only) ?? (await agentOrStore(engine, only));
    if (excluded) return excluded;
    const project = projectNamed(projects, only);
    if (project !== null) return { kind: 'project', key: project };
  }
  const sessions = [];
  for (const name of what) sessions.push(await sessionNamed(engine, name));
  return { kind: 'sessions', sessions };
}
