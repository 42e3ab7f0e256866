import type { ChangeHunk } from './changes';
import type { SessionId } from './ids';
import type { ImportPreview } from './import';
import type { RevertTake } from './revert';
import type { Agent } from './words';

/**
 * Guarded writes: a plan is shown whole before it is applied, kept in the journal, and can be taken back (docs/writes.md).
 */

export const planKinds = ['fork', 'revert', 'rename', 'archive', 'unarchive', 'trash', 'restore', 'import', 'continue', 'undo'] as const;
export type PlanKind = (typeof planKinds)[number];

/** A file a plan makes, changes, adds to or takes away, without its lines. */
export interface PlanFileStep {
  kind: 'file';
  /** Place among the steps of the plan: `plan.file` shows it. */
  index: number;
  path: string;
  act: 'create' | 'change' | 'append' | 'delete';
  /** Bytes before and after; null: there is no file. */
  before: number | null;
  after: number | null;
  /** Lines; null for a file that is no text, or too long to be compared. */
  added: number | null;
  removed: number | null;
  why: string;
}

export interface PlanRowsStep {
  kind: 'rows';
  index: number;
  database: string;
  act: 'insert' | 'delete';
  /** Rows that are added or taken out, by table. */
  tables: { table: string; rows: number }[];
  why: string;
}

export interface PlanProgramStep {
  kind: 'program';
  index: number;
  program: Agent | 'git';
  shown: string;
  does: string;
  /** What takes it back; null: nothing does. */
  inverse: string | null;
  remains: string[];
}

export interface PlanLibraryStep {
  kind: 'library';
  index: number;
  does: string;
}

export type PlanStep = PlanFileStep | PlanRowsStep | PlanProgramStep | PlanLibraryStep;

/** A file a revert could not take back by itself, and what was chosen for it. */
export interface PlanConflict {
  /** As recorded. */
  path: string;
  /** Where it lies on this machine; null where that is not known. */
  file: string | null;
  /** `undecided` keeps the plan from being applied. */
  take: RevertTake | 'undecided';
  because: string;
  /** Stretches that both sides changed, when merged. */
  disputed: number | null;
  /** `merge` can be chosen. */
  mergeable: boolean;
}

/** A guarded write, described completely. */
export interface PlanView {
  /** While it is not applied; afterwards the journal knows it by the same name. */
  id: string;
  kind: PlanKind;
  /** The session it starts from; null for an import. */
  session: SessionId | null;
  /** Null where no agent is concerned. */
  agent: Agent | null;
  /** One line: `Fork "Tide tables" before turn 3`. */
  title: string;
  /** Which way is taken, and why. */
  way: string;
  /** Ways the person may choose from; one that is not open says why. */
  ways: { id: string; name: string; says: string; refused: string | null; chosen: boolean }[];
  /** A window of the steps: those after the first 500 are asked for with `plan.steps`. */
  steps: PlanStep[];
  stepsTotal: number;
  conflicts: PlanConflict[];
  /** What it can not do, and what will not be as before. */
  limits: string[];
  /** Bytes needed, and free, on the disks that are written. */
  room: { folder: string; needed: number; free: number | null }[];
  /** What was looked at to see that nobody is writing. */
  checked: string[];
  /** Why it can not be applied as it is; null: it can. */
  refused: string | null;
  /** The session that will be there afterwards; null: none, or known only when it is done. */
  result: SessionId | null;
  /** Of an import: what it would bring. */
  preview: ImportPreview | null;
  /** ISO 8601. */
  made: string;
}

/** What could be planned at a point of a session: states of a menu. Nothing is looked at on the disk. */
export interface PlanWays {
  session: SessionId;
  /** Why there is no fork or no going back of the conversation at all; null: one of the ways is open. */
  noFork: string | null;
  noRevert: string | null;
  /** Why files cannot be taken back; null: a plan can be asked for. */
  noFiles: string | null;
  fork: Omit<PlanView['ways'][number], 'chosen'>[];
  revert: Omit<PlanView['ways'][number], 'chosen'>[];
  /** What the agent has the notion of. */
  acts: ('rename' | 'archive' | 'unarchive' | 'trash')[];
}

/** No plan, and why. */
export interface PlanRefusal {
  refused: string;
  instead: { way: string; says: string }[];
}

/** A window of the steps of a plan, or of one that was applied. */
export interface PlanSteps {
  total: number;
  from: number;
  steps: PlanStep[];
}

/** One file of a plan, or of one that was applied, with its lines. */
export interface PlanFileView {
  step: PlanFileStep;
  /** From what was there to what is left; null when it is no text, or over the limit (then `large`), or its bytes are not kept any more. */
  hunks: ChangeHunk[] | null;
  large: { chars: number } | null;
  /** The beginning of a new file that is too long for a diff. */
  beginning: string | null;
}

/**
 * - `applying`: it is being done now, or Retrace ended while it was (then the next start settles it)
 * - `applied`: done and verified
 * - `undone`: taken back
 * - `failed`: not done; nothing was changed, or all of it was put back
 * - `interrupted`: Retrace ended while it was done; the person decides whether it goes on or back
 * - `unsettled`: a part was done by another program, or could not be put back; `because` names it
 */
export const journalStates = ['applying', 'applied', 'undone', 'failed', 'interrupted', 'unsettled'] as const;
export type JournalState = (typeof journalStates)[number];

/** What a plan does, apart from the session it does it to: entries of a list begin with what tells them apart. */
export interface PlanAbout {
  /** Title of the session, as it was then. */
  name: string;
  /** `Fork before turn 3`. */
  does: string;
}

/** One plan that was applied, in the journal. */
export interface JournalEntry {
  id: string;
  kind: PlanKind;
  state: JournalState;
  title: string;
  /** Null for one that is about no session here. */
  about: PlanAbout | null;
  session: SessionId | null;
  agent: Agent | null;
  way: string;
  /** The session it made. */
  result: SessionId | null;
  /** How to go on with it, when it made or changed a session. */
  resume: { argv: string[]; cwd: string | null } | null;
  applied: string;
  ended: string | null;
  /** Files and databases that were written, absolute. */
  written: string[];
  /** Why it failed, or what remains. */
  because: string[];
  /** The entry that took it back, or that this one took back. */
  undoneBy: string | null;
  undoes: string | null;
  /** Bytes of backups kept for it in the library's folder. */
  backups: number;
  /** Null: it can be taken back; else why not. */
  noUndo: string | null;
}

export interface JournalPage {
  /** Entries that match, and the bytes of backups kept for them. */
  total: number;
  backups: number;
  from: number;
  entries: JournalEntry[];
}

/** A plan was applied, or was not: then nothing was changed unless `entry.state` is `unsettled`. */
export type ApplyOutcome = { applied: true; entry: JournalEntry } | { applied: false; refused: string; /** The state changed since the plan: a new one can be asked for. */ stale: boolean; entry: JournalEntry | null };

/** How far a plan is. */
export interface PlanProgress {
  plan: string;
  says: string;
  step: number;
  steps: number;
  bytesDone: number;
  bytesTotal: number;
  /** `plan.cancel` still stops it: nothing was changed yet. */
  cancellable: boolean;
}
