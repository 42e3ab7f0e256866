import type { ChangeCertainty, ChangeKind, ChangePlace, ChangeSource } from '@shared/model';
import type { Content } from './content';
import type { Hunk } from './hunks';

/** One recorded change of one file. */
export interface ChangeStep {
  /** As recorded. */
  path: string;
  oldPath: string | null;
  kind: ChangeKind;
  before: Content;
  after: Content;
  hunks: Hunk[] | null;
  /** The hunks say where in the file they stand. */
  placed: boolean;
  /** Lines as the record counts them; null where it does not. */
  added: number | null;
  removed: number | null;
  mode: { before: string; after: string } | null;
  source: ChangeSource;
  certainty: ChangeCertainty;
  evidence: string | null;
  /** What the record lacks, in one sentence. */
  gap: string | null;
  place: ChangePlace;
}

/** What was learned of a file's content at a place, without a change that is known to have led to it. */
export interface Sighting {
  content: Content;
  source: ChangeSource;
  place: ChangePlace;
  evidence: string;
  /** It closes a step whose changes are all recorded: what was guessed of them is certain now. */
  settles: boolean;
}
