import { type Agent, agentNames, type ExportScope, type ImportPreview, type PlanAbout, type PlanConflict, type PlanKind, type PlanView, type PlanWays, type RevertTake, sessionId, type SessionId, storeId } from '@shared/model';
import type { Checked } from '@shared/contract';
import { assertNever } from '@shared/model';
import type { Draft, ExpectedBeginning, Making, SessionAct, SessionStore, StoreLocation, WritePoint, WriteRefusal, WriteWay } from '../stores/store';
import { branchIds } from '../context/place';
import { about } from './about';
import type { RevertFiles, WorktreePoint, Worktrees } from './files/interface';
import type { OpenedSession, SessionsToWrite } from './session-to-write';
import { drawRestore } from './restore';
import type { PlannedStep } from './steps';

/** What a plan is about: a session of a store, or an import that is none yet. */
export interface DrawnOn {
  session: SessionId | null;
  agent: Agent;
  store: SessionStore;
  storeKey: string;
  location: StoreLocation;
  native: string;
}

const onSession = ({ id, store, storeKey, write }: OpenedSession): DrawnOn => ({ session: id, agent: store.agent, store, storeKey, location: write.location, native: write.native });

/** A draft with what a plan needs to be shown. */
export interface Drawing {
  kind: PlanKind;
  on: DrawnOn;
  title: string;
  about: PlanAbout | null;
  way: string;
  ways: PlanView['ways'];
  steps: PlannedStep[];
  expects: readonly ExpectedBeginning[];
  conflicts: PlanConflict[];
  limits: string[];
  /** Native id of the session that is there afterwards. */
  result: string | null;
  preview?: ImportPreview;
}

export const isRefusal = (answer: object): answer is WriteRefusal => 'refused' in answer && typeof answer.refused === 'string' && !('steps' in answer);

/** What draws the parts that are not a store's own. */
export interface DrawingParts {
  files: RevertFiles | null;
  worktrees: Worktrees | null;
  /** Forks of what only the library has; null: there are none. */
  forks: { fork(session: SessionId, scope: ExportScope): Promise<Drawing | WriteRefusal> } | null;
}

const noWriter = (agent: Agent): WriteRefusal => ({ refused: `Sessions of ${agentNames[agent]} cannot be written by this Retrace.` });

/** Asks a session's store for a draft, and puts it together with what is drawn elsewhere. Nothing is written. */
export class Drawings {
  constructor(
    readonly sessions: SessionsToWrite,
    readonly parts: DrawingParts,
    readonly making: () => Making,
    /** Native ids of the subagents of a session, all the way down. */
    readonly childrenOf: (session: OpenedSession) => { native: string; title: string | null }[],
  ) {}

  ways({ session, branch, at }: Checked<'plan.ways'>): PlanWays | WriteRefusal | null {
    const opened = this.sessions.open(session, this.making().now);
    if (!opened) return null;
    const point = this.sessions.point(opened, branch, at);
    if (typeof point === 'string') return { refused: point };
    const { writer, agent } = opened.store;
    const inLibrary = this.#libraryWay(opened, point);
    const fork = [...(writer?.forkWays(opened.write, point) ?? []), ...(inLibrary ? [inLibrary] : [])];
    const revert = writer?.revertWays?.(opened.write, point) ?? [];
    return {
      session: opened.id, fork, revert, noFork: noWay(fork, noWriter(agent).refused), noRevert: noWay(revert, `${agentNames[agent]} has no way of going back that Retrace can take.`),
      noFiles: this.parts.files ? null : noFileParts, acts: writer?.planAct ? ['rename', 'archive', 'unarchive', 'trash'] : [],
    };
  }

  /** Writes back what the agent deleted. */
  restore({ session }: Checked<'plan.restore'>): Drawing | WriteRefusal | null {
    const opened = this.sessions.open(session, this.making().now);
    return opened && drawRestore(this.sessions.db, this.sessions.timeline.bodies.log, opened, onSession(opened));
  }

  async fork({ session, branch, at, way, title, toolOutput, worktree }: Checked<'plan.fork'>): Promise<Drawing | WriteRefusal | null> {
    const making = this.making();
    const opened = this.sessions.open(session, making.now);
    if (!opened) return null;
    const point = this.sessions.point(opened, branch, at);
    if (typeof point === 'string') return { refused: point };
    const { writer, agent } = opened.store;
    const inLibrary = this.#libraryWay(opened, point);
    if (inLibrary && (way === libraryWay || (way === undefined && !writer?.forkWays(opened.write, point).some(({ refused }) => refused === null)))) return this.#forkInLibrary(opened, point, inLibrary);
    if (!writer) return noWriter(agent);
    const tree = worktree === undefined ? null : await (this.parts.worktrees?.draw(opened.id, filesPoint(opened, point), worktree) ?? { refused: 'This Retrace makes no worktrees.' });
    if (tree && isRefusal(tree)) return tree;
    const draft = await writer.planFork(opened.write, point, { ...(way !== undefined && { way }), ...(title !== undefined && { title }), ...(toolOutput !== undefined && { toolOutput }), ...(tree && { directory: tree.directory }) }, making);
    if (isRefusal(draft)) return draft;
    const said = pointSaid(opened, point);
    return {
      kind: opened.isImport ? 'continue' : 'fork', on: onSession(opened), title: opened.isImport ? `Continue ${named(opened)} in ${agentNames[agent]}, ${said}` : `Fork ${named(opened)} ${said}`,
      about: about(opened, opened.isImport ? `Continue in ${agentNames[agent]}, ${said}` : `Fork ${said}`), way: draft.way, ways: chosen([...writer.forkWays(opened.write, point), ...(inLibrary ? [inLibrary] : [])], way),
      steps: [...(tree?.steps ?? []), ...draft.steps], expects: draft.expects ?? [], conflicts: [], limits: [...draft.limits, ...(tree?.limits ?? [])], result: draft.session,
    };
  }

  /** Imported sessions can be forked where they are: in the library. */
  #libraryWay(opened: OpenedSession, point: WritePoint): WriteWay | null {
    if (!opened.isImport || !this.parts.forks) return null;
    const scope = scopeOf(opened, point);
    return { id: libraryWay, name: 'In the library', says: 'A session of its own that only Retrace has: to compare and to hand on.', refused: scope === null ? 'There is nothing before the first turn.' : null };
  }

  async #forkInLibrary(opened: OpenedSession, point: WritePoint, way: WriteWay): Promise<Drawing | WriteRefusal> {
    const scope = scopeOf(opened, point);
    if (scope === null || !this.parts.forks) return { refused: way.refused ?? 'Imports are not kept here.' };
    const drawn = await this.parts.forks.fork(opened.id, scope);
    if (isRefusal(drawn)) return drawn;
    const said = `${pointSaid(opened, point)}, in the library`;
    return { ...drawn, kind: 'fork', title: `Fork ${named(opened)} ${said}`, about: about(opened, `Fork ${said}`), way: way.says, ways: chosen([...(opened.store.writer?.forkWays(opened.write, point) ?? []), way], libraryWay) };
  }

  async revert({ session, before, scope, way, takes }: Checked<'plan.revert'>): Promise<Drawing | WriteRefusal | null> {
    const making = this.making();
    const opened = this.sessions.open(session, making.now);
    if (!opened) return null;
    const point = this.sessions.point(opened, undefined, before);
    if (typeof point === 'string') return { refused: point };
    const files = scope === 'conversation' ? null : await (this.parts.files?.draw(opened.id, before, new Map<string, RevertTake>(takes.map(({ path, take }) => [path, take]))) ?? { refused: noFileParts });
    if (files && isRefusal(files)) return files;
    const draft = scope === 'files' ? null : await this.#conversation(opened, point, way, making);
    if (draft && isRefusal(draft)) return draft;
    const what = `Take back the ${scope === 'both' ? 'conversation and files' : scope}`;
    const said = pointSaid(opened, point);
    return {
      kind: 'revert', on: onSession(opened), title: `${what} of ${named(opened)} ${said}`, about: about(opened, `${what} ${said}`),
      way: [draft?.way, files && 'Files are written one by one by Retrace: only those this session changed.'].filter(Boolean).join(' '),
      ways: scope === 'files' ? [] : chosen(opened.store.writer?.revertWays?.(opened.write, point) ?? [], way),
      // Files first: they can be put back whatever the agent's own program then does.
      steps: [...(files?.steps ?? []), ...(draft?.steps ?? [])], expects: draft?.expects ?? [], conflicts: files?.conflicts ?? [], limits: [...(draft?.limits ?? []), ...(files?.limits ?? [])], result: draft?.session ?? null,
    };
  }

  async #conversation(opened: OpenedSession, point: WritePoint, way: string | undefined, making: Making): Promise<Draft | WriteRefusal> {
    const { writer, agent } = opened.store;
    if (!writer?.planRevert) return writer ? { refused: `${agentNames[agent]} has no way of going back that Retrace can take.`, instead: [{ way: 'fork', says: 'Fork before this message.' }] } : noWriter(agent);
    return writer.planRevert(opened.write, point, way === undefined ? {} : { way }, making);
  }

  async act({ session, act, title }: Checked<'plan.act'>): Promise<Drawing | WriteRefusal | null> {
    const making = this.making();
    const opened = this.sessions.open(session, making.now);
    if (!opened) return null;
    const { writer, agent } = opened.store;
    if (!writer?.planAct) return writer ? { refused: `${agentNames[agent]} has no notion of this.` } : noWriter(agent);
    if (act === 'rename' && (title === undefined || title.trim() === '')) return { refused: 'A new title is needed.' };
    const children = act === 'trash' ? this.childrenOf(opened) : [];
    const draft = await writer.planAct(opened.write, actOf(act, title, children.map(({ native }) => native)), making);
    if (isRefusal(draft)) return draft;
    const along = children.slice(0, 20).map(({ native, title: name }) => name ?? native);
    return {
      kind: act, on: onSession(opened), title: actTitle(act, opened, title), about: about(opened, `${actVerbs[act]}${renamedTo(act, title)}`), way: draft.way, ways: [], steps: draft.steps, expects: draft.expects ?? [], conflicts: [], result: draft.session,
      limits: [...draft.limits, ...(children.length > 0 ? [`${children.length} ${children.length === 1 ? 'subagent goes' : 'subagents go'} along: ${along.join(', ')}${children.length > along.length ? ' …' : ''}.`] : [])],
    };
  }
}

/** The point of a fork as the files of a worktree see it. */
function filesPoint({ loaded }: OpenedSession, { before, kept }: WritePoint): WorktreePoint {
  const { indexOf, spine } = loaded.loaded;
  const there = new Set(kept);
  const at = before === null ? undefined : loaded.parts.find(({ record }) => record === before);
  return { seq: at?.seq ?? null, time: before === null ? null : (spine.records[before]?.time ?? null), keeps: ({ record }) => there.has(indexOf.get(record) ?? -1) };
}

const libraryWay = 'library';

/** What of a session a fork in the library holds: its branch, or the turns of it before the point. Null: nothing. */
function scopeOf({ loaded }: OpenedSession, { branch, path, before }: WritePoint): ExportScope | null {
  const name = branchIds(loaded.settled)[branch] ?? '1';
  if (before === null) return { kind: 'branch', branch: name };
  const { records } = loaded.loaded.spine;
  const turns = new Set(path.slice(0, path.indexOf(before)).flatMap((index) => (records[index]?.prompt ? [records[index].message] : []))).size;
  return turns === 0 ? null : { kind: 'turns', branch: name, from: 1, to: turns };
}

const noFileParts = 'This Retrace takes no files back.';

function noWay(ways: readonly WriteWay[], none: string): string | null {
  if (ways.some(({ refused }) => refused === null)) return null;
  return ways[0]?.refused ?? none;
}

const chosen = (ways: readonly WriteWay[], way: string | undefined): PlanView['ways'] => {
  const taken = way ?? ways.find(({ refused }) => refused === null)?.id;
  return ways.map((each) => ({ ...each, chosen: each.id === taken }));
};

function actOf(act: Checked<'plan.act'>['act'], title: string | undefined, children: string[]): SessionAct {
  switch (act) {
    case 'rename':
      return { act, title: title ?? '' };
    case 'trash':
      return { act, children: children as never[] };
    case 'archive':
    case 'unarchive':
      return { act };
    default:
      return assertNever(act, 'act');
  }
}

const named = ({ title, write }: OpenedSession): string => (title === null ? write.native : `"${title.length > 80 ? `${title.slice(0, 79).toWellFormed()}…` : title}"`);

const actVerbs = { rename: 'Rename', archive: 'Archive', unarchive: 'Take out of the archive', trash: 'Move to the trash' };

const renamedTo = (act: Checked<'plan.act'>['act'], title: string | undefined): string => (act === 'rename' ? ` to "${title}"` : '');

function actTitle(act: Checked<'plan.act'>['act'], opened: OpenedSession, title: string | undefined): string {
  return `${actVerbs[act]}${act === 'trash' || act === 'unarchive' ? ':' : ''} ${named(opened)}${renamedTo(act, title)}`;
}

/** `before turn 3`, `as it is now`, with the branch where there are others. Turns are counted as the timeline counts them, over all branches. */
function pointSaid({ loaded }: OpenedSession, { branch, before }: WritePoint): string {
  const { records } = loaded.loaded.spine;
  const { branches } = loaded.settled;
  const other = branches.length > 1 && branches[branch]?.current === false ? ' (not the current branch)' : '';
  if (before === null) return `as it is now${other}`;
  const at = loaded.parts.find(({ record }) => record === before)?.seq ?? Infinity;
  const prompts = new Set(loaded.parts.flatMap(({ seq, record }) => (seq < at && records[record]?.prompt ? [records[record].message] : [])));
  return records[before]?.prompt ? `before turn ${prompts.size + 1}${other}` : `inside turn ${prompts.size}${other}`;
}

export const resultOf = (storeKey: string, native: string | null): SessionId | null => (native === null ? null : sessionId(storeId(storeKey), native as never));
