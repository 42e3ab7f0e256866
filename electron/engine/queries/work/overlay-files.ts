import type { Damage } from '@shared/model';
import type { Db } from '../../library/database';
import { type OverlayRow, OverlayRows } from '../../library/overlay-rows';
import { type Boulder, type BoulderWork, readBoulder } from '../../stores/omo/boulder';
import { type Goal, type GoalList, type Loop, type Marker, type Read, readGoal, readGoalList, readLoop, readMarker } from '../../stores/omo/continuation';
import { type Layout, layoutOf } from '../../stores/omo/places';
import { progressOf, type PlanProgress } from '../../stores/omo/plan';
import { type ListedTask, readTask, readTeam, type Team } from '../../stores/omo/team';

/** Versions of a boulder.json that are looked through for works that a newer one dropped. */
const versionsLookedThrough = 200;

/** A file that was read, as far as it could be. */
export interface Known<T> {
  row: OverlayRow;
  layout: Layout;
  value: T;
}

export interface KnownPlan extends Known<string> {
  progress: Record<PlanProgress['rule'], PlanProgress>;
}

export interface KnownBoulder extends Known<Boulder> {
  /** Works that an earlier version had and the newest has not. */
  dropped: BoulderWork[];
}

/** All overlays of the library, parsed. Texts of notepads are read when one asks for them. */
export interface OverlayFiles {
  boulders: KnownBoulder[];
  plans: KnownPlan[];
  notes: OverlayRow[];
  markers: Known<Marker>[];
  goals: Known<Goal>[];
  goalLists: Known<GoalList>[];
  loops: Known<Loop>[];
  teams: Known<Team>[];
  teamTasks: Known<ListedTask>[];
  tasks: Known<ListedTask>[];
  damage: Damage[];
}

/** Parses the newest version of every file. A file that cannot be understood becomes damage and hides nothing. */
export function overlayFiles(db: Db): OverlayFiles {
  const rows = new OverlayRows(db);
  const files: OverlayFiles = { boulders: [], plans: [], notes: [], markers: [], goals: [], goalLists: [], loops: [], teams: [], teamTasks: [], tasks: [], damage: [] };
  for (const row of rows.all()) {
    if (row.problem !== null) files.damage.push(damageOf(row, row.problem));
    if (row.kind === 'notepad' || row.kind === 'draft') files.notes.push(row);
    else {
      const bytes = rows.content(row.id);
      if (bytes) take(files, row, bytes, rows);
    }
  }
  return files;
}

function take(files: OverlayFiles, row: OverlayRow, bytes: Buffer, rows: OverlayRows): void {
  const layout = layoutOf(row.path);
  const steps = row.path.split('/');
  const name = steps.at(-1) ?? '';
  const keep = <T>(list: Known<T>[], read: Read<T>) => {
    if (read.problem === undefined) list.push({ row, layout, value: read.value });
    else files.damage.push(damageOf(row, read.problem, bytes.length));
  };
  switch (row.kind) {
    case 'boulder': {
      const value = readBoulder(bytes);
      for (const problem of value.problems) files.damage.push(damageOf(row, problem, bytes.length));
      files.boulders.push({ row, layout, value, dropped: droppedWorks(value, rows.versions(row.id, versionsLookedThrough)) });
      return;
    }
    case 'plan':
    case 'worktree-plan': {
      const value = bytes.toString('utf8');
      files.plans.push({ row, layout, value, progress: { current: progressOf(value, 'current'), '3.17': progressOf(value, '3.17'), '3.0': progressOf(value, '3.0') } });
      return;
    }
    case 'marker':
      return keep(files.markers, readMarker(bytes, name));
    case 'goal':
      return keep(files.goals, readGoal(bytes, name));
    case 'goal-list':
      return keep(files.goalLists, readGoalList(bytes, steps.at(-2) ?? ''));
    case 'loop':
      return keep(files.loops, readLoop(bytes));
    case 'team':
      return keep(files.teams, readTeam(bytes, steps.at(-2) ?? ''));
    case 'team-task':
      return keep(files.teamTasks, readTask(bytes, name));
    case 'task':
      return keep(files.tasks, readTask(bytes, name));
    case 'notepad':
    case 'draft':
  }
}

/** A newer file can leave earlier works out (FORMAT.md, "boulder.json"); the library has the versions that named them. */
function droppedWorks(now: Boulder, versions: Iterable<Buffer>): BoulderWork[] {
  const keyOf = (work: BoulderWork) => work.id ?? `${work.plan ?? ''} ${work.started ?? ''}`;
  const known = new Set(now.works.map(keyOf));
  // One that could not be read says nothing of its works.
  if (now.problems.length > 0 && now.works.length === 0) return lastReadable(versions);
  const dropped: BoulderWork[] = [];
  for (const bytes of versions) {
    for (const work of readBoulder(bytes).works) {
      // The same work gets an id when its file is copied to the newer layout.
      if (known.has(keyOf(work)) || now.works.some(({ plan, started }) => plan === work.plan && started === work.started)) continue;
      known.add(keyOf(work));
      dropped.push(work);
    }
  }
  return dropped;
}

function lastReadable(versions: Iterable<Buffer>): BoulderWork[] {
  for (const bytes of versions) {
    const { works } = readBoulder(bytes);
    if (works.length > 0) return works;
  }
  return [];
}

const damageOf = ({ root, path }: OverlayRow, reason: string, bytes: number | null = null): Damage => ({ place: `${root}/${path}`, line: null, at: null, bytes, reason });
