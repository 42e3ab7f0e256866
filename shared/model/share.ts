import type { MessageId, PartId, SessionId } from './ids';

/** What a session can be handed on as (docs/sharing.md). */
export const exportFormats = ['markdown', 'html', 'json', 'opencode', 'bundle'] as const;
export type ExportFormat = (typeof exportFormats)[number];

/** Kinds of values that are masked before anything leaves: tokens and keys, folders of a person, mail addresses, words the person chose. */
export const findingClasses = ['secret', 'home', 'mail', 'word'] as const;
export type FindingClass = (typeof findingClasses)[number];

/** Which messages of the session: turns are counted as in `diff --turn`, from 1, both ends in. */
export type ExportScope = { kind: 'whole' } | { kind: 'branch'; branch: string } | { kind: 'turns'; branch: string | null; from: number; to: number };

/** Where a value was found. */
export interface FindingPlace {
  session: SessionId;
  /** Null for what stands beside the messages: a title, a folder, a line that is no record. */
  message: MessageId | null;
  part: PartId | null;
  /** Index on the timeline; null like `part`. */
  index: number | null;
  /** What is around it, on one line, with every found value masked. */
  excerpt: string;
}

/** One value that was found, wherever it stands. The value itself is never told. */
export interface Finding {
  /** Names it in `keep`; the same value has the same id in every export. */
  id: string;
  class: FindingClass;
  /** What it is: `GitHub token`, `home folder`. */
  name: string;
  /** What stands for it where it is masked. */
  mask: string;
  /** Enough to know it again: the first letters of a secret, the whole of a folder or an address. */
  hint: string;
  /** True when the person chose to let it stand. */
  kept: boolean;
  count: number;
  /** The first of its places. */
  places: FindingPlace[];
}

export interface ClassCount {
  class: FindingClass;
  /** Different values, and places where they stand. */
  findings: number;
  places: number;
}

/** What an export did to values: told in the answer and inside the file. */
export interface RedactionCount {
  applied: boolean;
  masked: ClassCount[];
  /** Found and left standing because the person chose so. */
  kept: ClassCount[];
}

/** What an export would be, before it is made. */
export interface ExportLook {
  session: SessionId;
  format: ExportFormat;
  /** Name that fits the file. */
  fileName: string;
  /** Where files of this home usually go; null where there is no such folder. */
  folder: string | null;
  sessions: number;
  messages: number;
  parts: number;
  findings: Finding[];
  /** All of them; `findings` are the first. */
  findingsTotal: number;
  redaction: RedactionCount;
  /** The beginning of the file as it would be. */
  head: string;
  /** True when the file ends with `head`. */
  whole: boolean;
}

/** An export that was made. */
export interface ExportDone {
  session: SessionId;
  format: ExportFormat;
  /** Null for a file that waits to be downloaded. */
  path: string | null;
  /** Names a file that waits to be downloaded from the server of the page. */
  download: string | null;
  fileName: string;
  bytes: number;
  /** SHA-256 of the file, hex. */
  hash: string;
  sessions: number;
  messages: number;
  parts: number;
  redaction: RedactionCount;
}

/**
 * Why nothing was written.
 * - `exists`: there is a file of that name; asked for again with `overwrite` it is replaced
 * - `place`: the file may not lie there
 * - `scope`: no such branch, no such turns
 * - `format`: this session cannot be told in that form, or not so
 * - `failed`: the disk said no
 */
export interface ExportRefusal {
  refused: 'session' | 'exists' | 'place' | 'scope' | 'format' | 'failed';
  reason: string;
}

export interface ExportProgress {
  /** As the caller named it. */
  run: string;
  phase: 'looking' | 'writing';
  /** Parts, or records of a bundle. */
  done: number;
  total: number;
  bytes: number;
}
