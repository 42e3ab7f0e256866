import type { Agent, PlanAbout, PlanFileStep, PlanKind, SessionId } from '@shared/model';
import type { JsonObject, LibraryStep } from '../../stores/store';
import type { RowsTable } from '../steps';

/** A file at one moment. */
export interface FileState {
  sha256: string;
  bytes: number;
  mode: number;
  /** ms since 1970. */
  modified: number;
}

/** A file step as the journal keeps it: all that is needed to take it back, or to see how far it came. */
export interface FileRecord {
  kind: 'file';
  /** Its place among the steps: what is kept of it is named by it. */
  index: number;
  act: PlanFileStep['act'];
  /** It lies in what an earlier step of the plan made, and goes with that. */
  isMade: boolean;
  /** A later step took it away with its folder. */
  goes?: boolean;
  path: string;
  within: string;
  /** Where `within` really lies; null while it is not there (a program makes it). */
  real: string | null;
  before: FileState | null;
  /** Null: there is no file afterwards, or (until `phase` is `changing`) it is not known yet. */
  after: FileState | null;
  /** Name beside the file while the new content waits there. */
  staged: string | null;
  /** Names in the folder of backups: what was there, and what an append adds. */
  backup: string | null;
  tail: string | null;
  /** Folders that were missing, the outermost first. */
  made: string[];
  empties: string[];
  added: number | null;
  removed: number | null;
  why: string;
}

export interface RowsRecord {
  kind: 'rows';
  act: 'insert' | 'delete';
  database: string;
  within: string;
  schema: Record<string, string[]>;
  tables: RowsTable[];
  /** Names in the folder of backups: key and hash of each row, and whole rows where they are needed again. */
  keys: string;
  values: string | null;
  why: string;
}

export interface ProgramRecord {
  kind: 'program';
  program: Agent | 'git';
  call: JsonObject;
  shown: string;
  does: string;
  remains: string[];
  inverse: { call: JsonObject; shown: string; does: string } | null;
  /** `begun` and not `done`: it may have done its part or not. */
  state: 'waiting' | 'begun' | 'done';
  /** What it was given, and what it gave. */
  given: JsonObject | null;
  gave: JsonObject | null;
}

export interface LibraryRecord {
  kind: 'library';
  removes: boolean;
  fact: LibraryStep['fact'];
  does: string;
}

export type StepRecord = FileRecord | RowsRecord | ProgramRecord | LibraryRecord;

/**
 * How far an apply is: `preparing`, nothing that was there is changed; `changing`, it is now; `ended`. `waiting`: it was
 * cut off, and the person is asked.
 */
export type Phase = 'preparing' | 'changing' | 'waiting' | 'ended';

/** What the journal keeps of a plan beside its steps. */
export interface PlanRecord {
  id: string;
  kind: PlanKind;
  title: string;
  /** Left out by releases that did not keep it. */
  about?: PlanAbout | null;
  way: string;
  session: SessionId | null;
  agent: Agent | null;
  /** Key of the store in the library, and its folder. */
  store: string;
  folder: string;
  native: string;
  /** Native id of the session that is there afterwards. */
  result: string | null;
  limits: string[];
  checked: string[];
  /** The entry this one takes back, or brings to its end. */
  undoes: string | null;
  settles: 'on' | 'back' | null;
}
