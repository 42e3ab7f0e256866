import { createHash } from 'node:crypto';
import type { WorkItem, WorkPlanFile, WorkProgress, WorkSession, WorkTask } from '@shared/model';
import { type BoulderTask, type BoulderWork, planName } from '../../stores/omo/boulder';
import type { Marker } from '../../stores/omo/continuation';
import type { OverlayRow } from '../../library/overlay-rows';
import { type Layout, layoutOf, twinOf } from '../../stores/omo/places';
import type { PlanProgress, PlanRule } from '../../stores/omo/plan';
import { pathIn } from '../../stores/omo/worktree';
import { isoTime } from '../session-summary';
import type { KnownBoulder, KnownPlan, OverlayFiles } from './overlay-files';
import { type FoundSession, refOf, type WorkSessions } from './work-sessions';
import { statusOf } from './work-status';

/** Sessions and tasks of one work that are told. */
const listedSessions = 50;
const listedTasks = 100;

interface Folder {
  root: string;
  folder: string;
  /** The one in use: `.omo` where it is there, else `.sisyphus`. */
  live: Layout;
}

/** One item of the view with what it was made of. */
export interface MadeItem {
  item: WorkItem;
  root: string;
  rule: PlanRule;
  plan: KnownPlan | null;
  work: BoulderWork | null;
  sessions: FoundSession[];
}

/** Makes the plans and works of all projects out of what was read, newest first; where `roots` are given, of those folders alone. */
export function workItems(files: OverlayFiles, sessions: WorkSessions, now: number, roots: ReadonlySet<string> | null = null): MadeItem[] {
  const made: MadeItem[] = [];
  for (const folder of foldersOf(files)) if (roots === null || roots.has(folder.root)) made.push(...new FolderItems(folder, files, sessions, now).items());
  const timeOf = ({ item }: MadeItem) => item.status.since ?? item.updated ?? item.plan.changed ?? '';
  const order = ({ item }: MadeItem) => (item.copy === 'frozen' ? 2 : item.status.now === 'active' ? 0 : 1);
  return made.sort((a, b) => order(a) - order(b) || timeOf(b).localeCompare(timeOf(a)) || (a.item.id < b.item.id ? -1 : 1));
}

/** Folders that hold plans or works. */
function foldersOf(files: OverlayFiles): Folder[] {
  const roots = new Map<string, Folder>();
  for (const { row } of tellingFiles(files)) roots.set(row.root, roots.get(row.root) ?? { root: row.root, folder: row.folder, live: liveLayout(files, row.root) });
  return [...roots.values()];
}

const tellingFiles = (files: OverlayFiles): { row: OverlayRow; layout: Layout }[] => [...files.boulders, ...files.plans.filter(({ row }) => row.kind === 'plan'), ...files.loops];

/** The layout in use in a folder: the newer one where both are there (FORMAT.md, "Two layouts"). */
export function liveLayout(files: OverlayFiles, root: string): Layout {
  const inRoot = (each: { row: OverlayRow }) => each.row.root === root;
  const all = tellingFiles(files).filter(inRoot);
  const present = [...all, ...files.markers.filter(inRoot), ...files.goals.filter(inRoot)].filter(({ row }) => row.gone === null);
  const notes = files.notes.filter((row) => row.root === root).map((row) => ({ layout: layoutOf(row.path) }));
  const telling = present.length > 0 ? present : all.length > 0 ? all : notes;
  return telling.some(({ layout }) => layout === '.omo') ? '.omo' : '.sisyphus';
}

class FolderItems {
  readonly #markers: Map<string, Marker>;
  readonly #plans: KnownPlan[];

  constructor(
    readonly folder: Folder,
    readonly files: OverlayFiles,
    readonly sessions: WorkSessions,
    readonly now: number,
  ) {
    this.#markers = new Map(files.markers.filter(({ row }) => row.root === folder.root && row.gone === null).map(({ value }) => [value.session, value]));
    this.#plans = files.plans.filter(({ row }) => row.root === folder.root);
  }

  items(): MadeItem[] {
    const items: MadeItem[] = [];
    const named = new Set<KnownPlan>();
    for (const boulder of this.files.boulders.filter(({ row }) => row.root === this.folder.root)) {
      for (const work of boulder.value.works) items.push(this.#work(boulder, work, false));
      for (const work of boulder.dropped) items.push(this.#work(boulder, work, true));
    }
    for (const { plan } of items) if (plan) for (const each of [plan, ...this.#twins(plan)]) named.add(each);
    for (const plan of this.#plans) {
      if (named.has(plan) || plan.row.kind === 'worktree-plan') continue;
      // A copy that was left behind is told with the one that is in use.
      if (plan.layout !== this.folder.live && this.#twins(plan).length > 0) continue;
      items.push(this.#plan(plan));
    }
    return items;
  }

  #work(boulder: KnownBoulder, work: BoulderWork, dropped: boolean): MadeItem {
    const frozen = boulder.layout !== this.folder.live;
    // A file in the newer layout is read by the newer plugin, wherever its plan lies.
    const rule: PlanRule = boulder.layout === '.omo' ? 'current' : '3.17';
    const { plan, file, copies } = this.#planOf(work, rule);
    const { told, found } = this.#sessionsOf(work);
    const status = statusOf({
      work, progress: plan?.progress[rule] ?? null, sessions: found, activeMarkers: found.flatMap((session) => this.#activeMarker(session)), fileGone: boulder.row.gone, dropped, frozen, now: this.now,
    });
    const item: WorkItem = {
      ...this.#common(boulder.layout, work.name ?? work.id ?? 'a work without a plan', work.id ?? `${work.plan ?? ''} ${work.started ?? ''}`),
      work: work.id, active: !dropped && !frozen && boulder.row.gone === null && (work.id === null || boulder.value.active === work.id), status,
      started: work.started, updated: work.updated, ended: work.ended, agent: work.agent, worktree: work.worktree, plan: file, copies,
      sessions: told.slice(0, listedSessions), sessionsTotal: told.length, tasks: work.tasks.slice(0, listedTasks).map((task) => taskOf(task, this.sessions)), tasksTotal: work.tasks.length,
    };
    return { item, root: this.folder.root, rule, plan, work, sessions: found };
  }

  #plan(plan: KnownPlan): MadeItem {
    const frozen = plan.layout !== this.folder.live;
    const rule: PlanRule = this.folder.live === '.omo' ? 'current' : '3.17';
    const item: WorkItem = {
      ...this.#common(plan.layout, planName(plan.row.path), plan.row.path),
      work: null, active: false,
      status: statusOf({ work: null, progress: plan.progress[rule], sessions: [], activeMarkers: [], fileGone: null, dropped: false, frozen, now: this.now }),
      started: null, updated: null, ended: null, agent: null, worktree: null, plan: planFile(plan, rule), copies: this.#twins(plan).map((twin) => planFile(twin, rule)),
      sessions: [], sessionsTotal: 0, tasks: [], tasksTotal: 0,
    };
    return { item, root: this.folder.root, rule, plan, work: null, sessions: [] };
  }

  #common(layout: Layout, name: string, key: string): Pick<WorkItem, 'id' | 'project' | 'folder' | 'layout' | 'copy' | 'name' | 'notepads'> {
    const { root, folder, live } = this.folder;
    // By the recorded folder: the id stays where a home is read at another place.
    const id = createHash('sha256').update([folder, layout, key].join('\0')).digest('hex').slice(0, 16);
    const notepads = this.files.notes.filter((row) => row.root === root && layoutOf(row.path) === layout && notesPlan(row.path) === name).length;
    return { id, project: this.sessions.projectOf(folder), folder, layout, copy: layout === live ? 'live' : 'frozen', name, notepads };
  }

  /** The file that a work's plan is read from: the worktree's copy where there is one (FORMAT.md, "Worktrees"). */
  #planOf(work: BoulderWork, rule: PlanRule): { plan: KnownPlan | null; file: WorkPlanFile; copies: WorkPlanFile[] } {
    const path = work.plan ?? '';
    const inner = pathIn(path, this.folder.folder);
    if (inner === null) return { plan: null, file: { path, where: 'project', state: work.plan === null ? 'missing' : 'not looked at', progress: null, otherRules: [], changed: null }, copies: [] };
    const own = this.#plans.find(({ row }) => row.path === inner) ?? null;
    const inWorktree = work.worktree === null ? undefined : this.files.plans.find(({ row }) => row.path === inner && row.gone === null && sameFolder(row.folder, work.worktree ?? ''));
    const plan = inWorktree ?? own;
    if (!plan) return { plan: null, file: { path, where: 'project', state: 'missing', progress: null, otherRules: [], changed: null }, copies: this.#twinFiles(inner, rule) };
    const file = { ...planFile(plan, rule), where: inWorktree ? ('worktree' as const) : ('project' as const) };
    return { plan, file, copies: [...(inWorktree && own ? [planFile(own, rule)] : []), ...this.#twinFiles(inner, rule)] };
  }

  #twins(plan: KnownPlan): KnownPlan[] {
    return this.#plans.filter(({ row }) => row.path === twinOf(plan.row.path));
  }

  #twinFiles(path: string, rule: PlanRule): WorkPlanFile[] {
    return this.#plans.filter(({ row }) => row.path === twinOf(path)).map((twin) => planFile(twin, rule));
  }

  /** Sessions of a work in the order of the file; those that were only given a task stand in its tasks alone. */
  #sessionsOf(work: BoulderWork): { told: WorkSession[]; found: FoundSession[] } {
    const tasks = new Map<string, string[]>();
    for (const { session, label, key } of work.tasks) if (session) tasks.set(session.native, [...(tasks.get(session.native) ?? []), label ?? key]);
    const found = new Map<string, FoundSession>();
    const told: WorkSession[] = [];
    for (const { origin, ...name } of work.sessions) {
      if (found.has(name.native)) continue;
      const session = this.sessions.find(name);
      found.set(name.native, session);
      told.push({ session: refOf(session), role: origin === 'direct' || origin === 'appended' ? origin : 'listed', certainty: 'recorded', evidence: null, tasks: tasks.get(name.native) ?? [] });
    }
    for (const { session: name } of work.tasks) {
      if (!name || found.has(name.native)) continue;
      const session = this.sessions.find(name);
      found.set(name.native, session);
      told.push({ session: refOf(session), role: 'task', certainty: 'recorded', evidence: null, tasks: tasks.get(name.native) ?? [] });
    }
    return { told, found: [...found.values()] };
  }

  #activeMarker({ nativeId, title }: FoundSession): string[] {
    const marker = this.#markers.get(nativeId);
    if (!marker?.active) return [];
    const reason = marker.sources.find(({ state }) => state === 'active')?.reason;
    return [`The marker of ${title === null ? nativeId : `“${title}”`} still says active${reason == null ? '' : ` (${reason})`}, as a killed program leaves it.`];
  }
}

const sameFolder = (one: string, other: string): boolean => one.replace(/[\\/]+$/, '') === other.replace(/[\\/]+$/, '');

/** The plan a notepad or draft belongs to, by its place. */
export const notesPlan = (path: string): string => {
  const steps = path.split('/');
  return steps[1] === 'drafts' ? planName(path) : (steps[2] ?? '');
};

export function taskOf({ key, label, title, session, agent, category, status, started, ended, elapsedMs }: BoulderTask, sessions: WorkSessions): WorkTask {
  return { key, label, title, session: session && refOf(sessions.find(session)), agent, category, status, started, ended, elapsedMs };
}

function planFile({ row, progress }: KnownPlan, rule: PlanRule): WorkPlanFile {
  const used = progress[layoutOf(row.path) === '.omo' ? 'current' : rule];
  const differs = (other: PlanProgress): boolean => other.done !== used.done || other.total !== used.total;
  const others: WorkProgress[] = Object.values(progress).filter((other) => other.rule !== used.rule && differs(other));
  return {
    path: `${row.folder.replace(/[\\/]+$/, '')}/${row.path}`, where: row.kind === 'worktree-plan' ? 'worktree' : 'project', state: row.gone === null ? 'present' : 'gone', progress: used,
    otherRules: others, changed: isoTime(row.changed),
  };
}
