import type { SessionId } from './ids';
import type { Certainty } from './words';
import type { Damage } from './session';

/**
 * What has become of a session that took part in a work.
 * - `living`: its store has it, and its last reply has an end or may still come to one
 * - `dead`: its store has it; it was cut off in a reply that nobody ends any more
 * - `gone`: its agent deleted it; the library has it
 * - `missing`: neither has it
 */
export const workStates = ['living', 'dead', 'gone', 'missing'] as const;
export type WorkState = (typeof workStates)[number];

/** A session as an overlay names it, joined with the library. */
export interface WorkSessionRef {
  /** Null where no store the library knows has it. */
  id: SessionId | null;
  /** As recorded, without its prefix. */
  nativeId: string;
  title: string | null;
  /** Who works in it, by the name the plugin shows: `Atlas - Plan Executor`. */
  agentName: string | null;
  state: WorkState;
  updated: string | null;
}

/**
 * How a session took part.
 * - `direct`: work was started in it; `appended`: it was added (a background task, for one); `listed`: the file does not say which
 * - `task`: a task was given to it
 * - `planner`: it wrote the plan (always inferred)
 */
export type WorkRole = 'direct' | 'appended' | 'listed' | 'task' | 'planner';

export interface WorkSession {
  session: WorkSessionRef;
  role: WorkRole;
  certainty: Certainty;
  /** One sentence, where it is inferred. */
  evidence: string | null;
  /** Labels of the tasks it was given. */
  tasks: string[];
}

export interface WorkTask {
  /** `todo:1`, `final-wave:f1`. */
  key: string;
  label: string | null;
  title: string | null;
  session: WorkSessionRef | null;
  agent: string | null;
  category: string | null;
  /** As recorded; null where the file has none. */
  status: string | null;
  started: string | null;
  ended: string | null;
  elapsedMs: number | null;
}

/** How far a plan is, by the rules of one version of the plugin: `current`, or an older one by its number. */
export interface WorkProgress {
  rule: 'current' | '3.17' | '3.0';
  done: number;
  total: number;
  complete: boolean;
  /** First row that is not ticked. */
  current: string | null;
}

/** One copy of a plan's file. */
export interface WorkPlanFile {
  /** As recorded; the place is not touched to show it. */
  path: string;
  where: 'project' | 'worktree';
  /** `gone`: the library keeps its last version. `missing`: it was never there. `not looked at`: it lies outside the project. */
  state: 'present' | 'gone' | 'missing' | 'not looked at';
  progress: WorkProgress | null;
  /** What other versions count, where that differs. */
  otherRules: WorkProgress[];
  changed: string | null;
}

/**
 * Where a plan stands. `planned`: nobody began; `open`: begun, but no work on it is recorded; `stopped`: the record of the
 * work was deleted; `dropped`: a newer record left it out; `superseded`: a frozen copy.
 */
export type WorkNow = 'active' | 'paused' | 'completed' | 'abandoned' | 'planned' | 'open' | 'stopped' | 'dropped' | 'superseded';

export interface WorkStatus {
  /** As the file says; null where it says nothing. */
  recorded: string | null;
  now: WorkNow;
  certainty: Certainty;
  /** One sentence: what shows it. */
  evidence: string;
  /** Since when it is so, as far as that is known. */
  since: string | null;
}

/** A plan, and the work on it where one is recorded. */
export interface WorkItem {
  id: string;
  project: { key: string; name: string } | null;
  /** The folder OpenCode was opened in, as recorded. */
  folder: string;
  layout: '.omo' | '.sisyphus';
  /** `frozen`: the plugin copied this folder to a newer one and left it. */
  copy: 'live' | 'frozen';
  name: string;
  /** Id of the work; null in the old layout, and for a plan without a work. */
  work: string | null;
  /** The one of its project that the plugin calls active. */
  active: boolean;
  status: WorkStatus;
  started: string | null;
  updated: string | null;
  ended: string | null;
  /** Who was to do it, as recorded. */
  agent: string | null;
  worktree: string | null;
  plan: WorkPlanFile;
  /** Other copies of the same plan: the other layout's, the project's where the worktree's counts. */
  copies: WorkPlanFile[];
  sessions: WorkSession[];
  sessionsTotal: number;
  tasks: WorkTask[];
  tasksTotal: number;
  /** Notepads and drafts. */
  notepads: number;
}

/** Whether a session goes on by itself, as last written down; it stays as it was when the program was killed. */
export interface WorkMarker {
  session: WorkSessionRef;
  active: boolean;
  sources: { name: string; state: string; reason: string | null; updated: string | null }[];
  updated: string | null;
  state: 'present' | 'gone';
  /** What the rest of the library says of it; null where the marker is not active. */
  judgement: string | null;
}

export interface WorkGoal {
  session: WorkSessionRef;
  folder: string;
  objective: string;
  status: string;
  tokensUsed: number | null;
  secondsUsed: number | null;
  created: string | null;
  updated: string | null;
  completed: string | null;
  state: 'present' | 'gone';
  /** How the side bar's copy has it, where that differs. */
  mirror: string | null;
  criteria: { text: string; status: string }[];
}

export interface WorkLoop {
  session: WorkSessionRef | null;
  folder: string;
  layout: WorkItem['layout'];
  copy: WorkItem['copy'];
  active: boolean;
  iteration: number | null;
  most: number | null;
  promise: string | null;
  started: string | null;
  strategy: string | null;
  ultrawork: boolean;
  prompt: string;
  state: 'present' | 'gone';
  judgement: string | null;
}

export interface WorkTeam {
  id: string;
  name: string | null;
  status: string;
  created: string | null;
  lead: WorkSessionRef | null;
  members: { name: string; session: WorkSessionRef | null; agent: string | null; category: string | null; model: string | null; status: string }[];
  tasks: WorkListTask[];
  state: 'present' | 'gone';
  judgement: string | null;
}

export interface WorkListTask {
  list: string;
  id: string;
  subject: string;
  description: string;
  status: string;
  session: WorkSessionRef | null;
  owner: string | null;
  blockedBy: string[];
  state: 'present' | 'gone';
}

/** Everything overlays hold, bounded; totals count all. */
export interface WorkList {
  total: number;
  items: WorkItem[];
  projects: { key: string; name: string; folder: string; items: number }[];
  goals: WorkGoal[];
  loops: WorkLoop[];
  teams: WorkTeam[];
  tasks: WorkListTask[];
  damage: Damage[];
  damageTotal: number;
}

export interface WorkBox {
  line: number;
  done: boolean;
  text: string;
  indent: number;
  heading: string | null;
  /** False for boxes that stand outside what the rule counts. */
  counts: boolean;
}

export interface WorkNote {
  kind: 'notepad' | 'draft';
  /** `learnings`, `decisions`, `issues`, `problems`, or what the file is called. */
  name: string;
  layout: WorkItem['layout'];
  text: string;
  /** Characters of the whole. */
  total: number;
  changed: string | null;
  state: 'present' | 'gone';
}

/** A plan opened. */
export interface WorkPlan {
  item: WorkItem;
  boxes: WorkBox[];
  boxesTotal: number;
  notes: WorkNote[];
  /** Sessions that wrote the plan. */
  planners: WorkSession[];
}

/** What overlays say of one session. */
export interface SessionWork {
  plans: { item: string; name: string; project: string | null; copy: WorkItem['copy']; role: WorkRole; certainty: Certainty; tasks: WorkTask[]; status: WorkStatus; progress: WorkProgress | null }[];
  marker: WorkMarker | null;
  goal: WorkGoal | null;
  loops: WorkLoop[];
  teams: WorkTeam[];
  tasks: WorkListTask[];
}
