/** The bounded content of a part, read from the log when somebody looks at it. */
import type { NativeId, Todo } from '@shared/model';

/** The bounded content of a part, from its record (and its result's record). */
export interface BodyRequest {
  record: Uint8Array;
  block: number;
  result: { record: Uint8Array; block: number } | null;
  /** Other files of the store by key (a saved long tool output); null when missing. Bounded by the reader. */
  file(key: string): Uint8Array | null;
}

/** What a record tells of a change of a file beyond what its card shows (docs/diffs.md). */
export interface RecordedEdit {
  oldPath?: string;
  /** The whole file before and after; null: it did not exist. Left out: not recorded. */
  before?: string | null;
  after?: string | null;
  /** The hunks do not say where in the file they stand. */
  unplaced?: true;
  /** Only what the model asked for is recorded, not what came of it. */
  asked?: true;
}

/** A state of all files that a part names: a snapshot tree before or after a step, the files a step changed, a commit. */
export type FilesState =
  | { kind: 'tree'; when: 'before' | 'after'; tree: string }
  | { kind: 'step'; before: string; after: string | null; files: string[] }
  | { kind: 'commit'; hash: string };

export interface PartBody {
  /** Only of parts that name a state of files. */
  state?: FilesState;
  /** Prose of a text, reasoning, summary, command or notice part. */
  text: string | null;
  tool: ToolBody | null;
  file: { name: string | null; mime: string | null; image: ImageBody | null; source: string | null } | null;
}

export interface ImageBody {
  mime: string;
  /** Base64 as stored. */
  data: string;
}

export interface ToolBody {
  target: string | null;
  /** Input as text: the command, or JSON with two spaces. */
  input: string | null;
  output: string | null;
  exitCode: number | null;
  durationMs: number | null;
  edits: { path: string; kind: 'create' | 'edit' | 'delete' | 'rename'; added: number; removed: number; patch: string | null; recorded?: RecordedEdit }[];
  todos: Todo[];
  images: ImageBody[];
  /** Native id of the session this call started. */
  child: NativeId | null;
  note: string | null;
}
