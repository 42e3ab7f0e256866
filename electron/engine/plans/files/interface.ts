import type { RevertTake, SessionId } from '@shared/model';
import type { DraftStep, JsonObject, WriteRefusal } from '../../stores/store';
import type { FilesDraft } from './file-steps';

/** Draws the files part of a revert: what this session changed after the point, file by file. */
export interface RevertFiles {
  draw(session: SessionId, before: string, takes: ReadonlyMap<string, RevertTake>): Promise<FilesDraft | WriteRefusal>;
}

/** Draws a git worktree for a fork, in the state of files at the fork's point, and does what is asked of git. */
export interface Worktrees {
  draw(session: SessionId, point: WorktreePoint, wanted: { path?: string | undefined; branch?: string | undefined }): Promise<WorktreeDraft | WriteRefusal>;
  perform(call: JsonObject, given: JsonObject | null, progress: (says: string) => void, signal: AbortSignal): Promise<JsonObject>;
}

/** The point as files see it. `seq`: where it stands on the timeline, null for the end; `time`: ms since 1970, where it is known. */
export interface WorktreePoint {
  seq: number | null;
  time: number | null;
  keeps(row: { record: number }): boolean;
}

/** The worktree comes first, then the files in it, then the fork that runs there. */
export interface WorktreeDraft {
  directory: string;
  steps: DraftStep[];
  limits: string[];
}
