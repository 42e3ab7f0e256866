import type { WorkNow, WorkStatus } from '@shared/model';
import type { BoulderWork } from '../../stores/omo/boulder';
import type { PlanProgress } from '../../stores/omo/plan';
import { isoTime, toldTime } from '../session-summary';
import type { FoundSession } from './work-sessions';

/** Milliseconds without a word after which nobody is taken to be at work: a model may think for long. */
const quiet = 10 * 60_000;

export interface StatusCase {
  /** Null for a plan that no work names. */
  work: BoulderWork | null;
  /** Null where the plan was not read. */
  progress: PlanProgress | null;
  sessions: readonly FoundSession[];
  /** Active markers of its sessions, in words. */
  activeMarkers: readonly string[];
  /** When boulder.json was seen to be gone, ms since 1970. */
  fileGone: number | null;
  dropped: boolean;
  frozen: boolean;
  /** ms since 1970 */
  now: number;
}

const recordedNow: Record<string, WorkNow> = { completed: 'completed', paused: 'paused', abandoned: 'abandoned' };

/**
 * Where a work stands. The plugin writes `active` and `completed` and nothing else, and `active` stays when everybody left
 * (FORMAT.md, "boulder.json"): what follows from the rest is inferred and says from what.
 */
export function statusOf({ work, progress, sessions, activeMarkers, fileGone, dropped, frozen, now }: StatusCase): WorkStatus {
  const recorded = work?.status ?? null;
  const inferred = (state: WorkNow, evidence: string, since: string | null): WorkStatus => ({ recorded, now: state, certainty: 'inferred', evidence, since });
  if (frozen) return inferred('superseded', 'The newer folder .omo is the live one; this is the copy that was left behind.', null);
  if (!work) return statusOfPlan(progress, inferred);
  const known = recorded === null ? undefined : recordedNow[recorded];
  if (known !== undefined) return { recorded, now: known, certainty: 'recorded', evidence: `boulder.json says ${recorded}.`, since: work.ended ?? work.updated };
  if (fileGone !== null) return inferred('stopped', 'boulder.json, which named this work, was deleted: /stop-continuation in any session of the project does that.', isoTime(fileGone));
  if (dropped) return inferred('dropped', 'The newest boulder.json does not name this work any more; an earlier one did.', work.updated);
  const written = lastWritten(work, sessions);
  if (progress?.complete) return inferred('completed', `Every box is ticked, though boulder.json ${recorded === null ? 'has no status' : `says ${recorded}`}.`, isoTime(written));
  if (written !== null && now - written < quiet) {
    return { recorded, now: 'active', certainty: recorded === 'active' ? 'recorded' : 'inferred', evidence: `One of its sessions was written at ${toldTime(written)}.`, since: work.started };
  }
  return inferred('paused', pausedEvidence(recorded, written, sessions, activeMarkers), isoTime(written));
}

function statusOfPlan(progress: PlanProgress | null, inferred: (state: WorkNow, evidence: string, since: string | null) => WorkStatus): WorkStatus {
  if (progress?.complete) return inferred('completed', 'Every box is ticked; no work on it is recorded.', null);
  if (progress && progress.done > 0) return inferred('open', 'Some boxes are ticked, and no boulder.json names it as work.', null);
  return inferred('planned', 'No box is ticked, and no boulder.json names it as work.', null);
}

function lastWritten({ updated }: BoulderWork, sessions: readonly FoundSession[]): number | null {
  const times = [updated === null ? null : Date.parse(updated), ...sessions.map(({ written }) => written)].filter((time) => time !== null);
  return times.length === 0 ? null : Math.max(...times);
}

function pausedEvidence(recorded: string | null, written: number | null, sessions: readonly FoundSession[], activeMarkers: readonly string[]): string {
  const file = recorded === null ? 'boulder.json has no status for it' : `boulder.json says ${recorded}, which nothing takes back when everybody leaves`;
  const last = written === null ? 'no time of it is recorded' : `none of its sessions was written since ${toldTime(written)}`;
  const left = sessions.length > 0 && sessions.every(({ state }) => state === 'missing' || state === 'gone') ? '; none of them exists any more' : '';
  const markers = activeMarkers.length > 0 ? ` ${activeMarkers.join(' ')}` : '';
  return `${file}; ${last}${left}.${markers}`;
}
