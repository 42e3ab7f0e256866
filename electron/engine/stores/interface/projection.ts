/** What the bytes mean: what `project` gives. Facts point at their record by source, offset and length. */
import type { Damage, NativeId, PartKind, Role, Tokens, ToolFamily, ToolStatus } from '@shared/model';
import type { Json, JsonObject } from './reading';

export interface ToolFact {
  name: string;
  family: ToolFamily;
  callId: string | null;
  status: ToolStatus;
}

/** One thing the timeline draws. */
export interface PartFact {
  /** Which content block of its record. */
  block: number;
  kind: PartKind;
  /** One line, at most 200 characters: what the folded row says (a tool's target, a file's name, a notice). */
  title: string | null;
  /** What search finds, and what `size` measures. For a tool: its input. Not kept; the body comes from the log. Null: not searched. */
  text: string | null;
  /** Characters of the body. */
  size: number;
  injected: boolean;
  /** Lines a tool call added and removed, when the record says. */
  added?: number;
  removed?: number;
  tool?: ToolFact;
  /** A tool's output when it stands in the same record as its call. */
  output?: OutputFact;
}

export interface OutputFact {
  text: string | null;
  size: number;
}

/** The result of a tool call, found in a later record than the call. */
export interface ResultFact {
  callId: string;
  block: number;
  status: ToolStatus;
  text: string | null;
  size: number;
  added?: number;
  removed?: number;
}

/** A message as one record tells it; records with the same key make one message (largest figure wins for tokens). */
export interface MessageFact {
  key: string;
  role: Role;
  /** ms since 1970, null when not recorded. */
  time: number | null;
  model: string | null;
  agentName: string | null;
  /** Counts in `Counts`: false for what the agent put in. */
  counted: boolean;
  /** Typed by the person: opens a turn. */
  prompt: boolean;
  tokens: Tokens | null;
}

/** A native record: a line with an id, or a row. Comes in stream order. */
export interface RecordFact {
  session: NativeId;
  /** Its id in the store; a record with a known key replaces it. Null: it has none (then it is no link of a chain). */
  key: string | null;
  /** Key of the record before it. Undefined: it is not in a chain. Null: a root. */
  parent: string | null | undefined;
  /** Key of what came before a root, when recorded (a compaction boundary). */
  joins: string | null;
  /** The store's own type name, e.g. `system/compact_boundary` or `part/tool`. */
  type: string;
  time: number | null;
  /** Offset in the stream, and length without the line end. */
  at: number;
  bytes: number;
  message: MessageFact | null;
  parts: PartFact[];
  results: ResultFact[];
  /** Small: only what `settle` needs to know of this record beyond its type. */
  note: JsonObject | null;
  /** Sort key inside the session where the order of the stream is not the order to show; compared as a number, then by stream order. */
  order: number | null;
}

/** Something known of a session: replaces what the same slot of the same source said before. Small. */
export interface EvidenceFact {
  session: NativeId;
  slot: string;
  data: JsonObject;
}

export interface Projection {
  records: RecordFact[];
  evidence: EvidenceFact[];
  /** Record keys, or session ids, that the store does not have any more. What the library has of them stays, marked gone. */
  removed: { session: NativeId; key: string | null }[];
  damage: Damage[];
  /** Record types that no reader knows, counted. */
  unknown: Record<string, number>;
  carry: Json;
}

export interface ProjectInput {
  source: string;
  at: number;
  bytes: Uint8Array;
  carry: Json;
}
