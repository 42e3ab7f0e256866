/** What the agent would send to the model: what `context` gets and gives. */
import type { ContextState, PartKind, Role, SentOutput, ToolStatus } from '@shared/model';
import type { Settled, SettledRecord, Spine } from './settling';

/** A session at one point of one branch, as a context is asked for. */
export interface ContextRequest {
  spine: Spine;
  /** As `settle` said of the same spine. */
  settled: Settled;
  /** Place in `settled.branches`; null: the current one. */
  branch: number | null;
  /** Index of the record the point lies before; it and what comes after are left out. Null: now, after everything. */
  before: number | null;
  /** The parts of each record, by its index. */
  parts: readonly (readonly ContextBlock[])[];
}

/** A part as far as its place in the context depends on it. */
export interface ContextBlock {
  block: number;
  kind: PartKind;
  /** Characters of its body, and of its tool's output. */
  size: number;
  outputSize: number;
  status: ToolStatus | null;
  /** Index of the record its output stands in; -1 when there is none, or it stands in the same record. */
  result: number;
}

/** What the agent would send at that point, and what has become of every record until then. */
export interface ContextView {
  /** One a record of the spine; null for what comes after the point. */
  records: (SettledRecord | null)[];
  /** In the order in which it is sent. */
  sent: SentPiece[];
  /** Sentences: what goes along that no store keeps, and what could not be known. */
  notes: string[];
  /** Completed compactions on this branch until the point, oldest first. Left out: the engine takes the parts of kind `compaction`. */
  compactions?: CompactionMark[];
  /** What the agent sends in place of an output that is `cleared`, and of one that is `none`; null: nothing. */
  placeholders?: { cleared: string | null; none: string | null };
  /** Tokens the model can take, where it is recorded. */
  window?: number | null;
}

/** A compaction by its records. */
export interface CompactionMark {
  /** Index of the record that marks it. */
  marker: number;
  /** Indexes of the records that hold the summary. */
  summaries: number[];
  trigger: 'manual' | 'auto' | 'overflow' | null;
  /** Tokens before and after, where recorded. */
  before: number | null;
  after: number | null;
}

export type SentPiece =
  /** A part as it stands; of a tool's output only what `output` says. */
  | { type: 'part'; record: number; block: number; output: SentOutput; /** Characters to reckon with where the part's own size says nothing (a picture). */ size?: number; /** The role it is sent with, where that is not its message's. */ role?: Role }
  /** A message the agent makes when it sends: from a record, whose text `contextText` reads when `text` is null. */
  | { type: 'synthetic'; from: number; item: number; role: Role; state: ContextState; text: string | null; size: number };
