import { failedToolCode, kindCodes, laterCode, promptCode, stateCodes, type Outline } from '@shared/contract';
import type { ContextState, ContextStates } from '@shared/model';
import { type PartSign, signOf } from '../../ui/words';

/** Reading an outline: one character a part tells its kind, state and size, so that questions about a whole session need no bodies. */

const stateOfCode = new Map(Object.entries(stateCodes).map(([state, code]) => [code, state as ContextState]));

export function stateAt(outline: Outline, index: number): ContextState {
  return stateOfCode.get(outline.states[index] ?? '') ?? 'live';
}

/** The outline with the states of another branch or point. A session that grew since is told as recorded where they end. */
export function outlineAt(recorded: Outline | null, states: ContextStates | null): Outline | null {
  if (!recorded || !states || states.total > recorded.total) return recorded;
  return { ...recorded, states: states.states + recorded.states.slice(states.total), seen: states.seen + recorded.seen.slice(states.total) };
}

/** `1` for each part that is sent; parts that came since are taken to be. Null where that is not known. */
export function seenAt(recorded: Outline | null, states: ContextStates | null): string | null {
  return recorded && states && states.total <= recorded.total ? states.seen.padEnd(recorded.total, '1') : null;
}

/** True for a part that comes after the point that is looked at. */
export const isLater = (outline: Outline, index: number): boolean => outline.states[index] === laterCode;

export type Landmark = 'turn' | 'compaction' | 'error';

const diagnosedIn = new WeakMap<Outline, ReadonlySet<number>>();

/** True where something is wrong at a part. */
function isDiagnosed(outline: Outline, index: number): boolean {
  const known = diagnosedIn.get(outline) ?? new Set(outline.diagnosed);
  diagnosedIn.set(outline, known);
  return known.has(index);
}

function isLandmark(outline: Outline, index: number, what: Landmark): boolean {
  const code = outline.kinds[index];
  switch (what) {
    case 'turn':
      return code === promptCode;
    case 'compaction':
      return code === kindCodes.compaction || (code === kindCodes.summary && outline.kinds[index - 1] !== kindCodes.compaction);
    case 'error':
      return code === failedToolCode || isDiagnosed(outline, index);
  }
}

/** The next (`1`) or previous (`-1`) turn, compaction or error from a part on; null when there is none. */
export function findLandmark(outline: Outline, from: number, direction: 1 | -1, what: Landmark): number | null {
  for (let index = from + direction; index >= 0 && index < outline.total; index += direction) {
    if (isLandmark(outline, index, what)) return index;
  }
  return null;
}

export interface OutlineCounts {
  turns: number;
  compactions: number;
  /** Steps that failed. */
  errors: number;
  /** Parts at which something is wrong, failed steps among them. */
  diagnoses: number;
}

export function countLandmarks(outline: Outline): OutlineCounts {
  const counts: OutlineCounts = { turns: 0, compactions: 0, errors: 0, diagnoses: outline.diagnosed.length };
  for (let index = 0; index < outline.total; index += 1) {
    if (isLandmark(outline, index, 'turn')) counts.turns += 1;
    else if (isLandmark(outline, index, 'compaction')) counts.compactions += 1;
    else if (outline.kinds[index] === failedToolCode) counts.errors += 1;
  }
  return counts;
}

/** How many parts each state has; live parts that are not sent are counted apart. */
export function countStates(outline: Outline): Map<PartSign, number> {
  const counts = new Map<PartSign, number>();
  for (let index = 0; index < outline.total; index += 1) {
    if (isLater(outline, index)) continue;
    const sign = signOf(stateAt(outline, index), outline.seen[index] === '1');
    counts.set(sign, (counts.get(sign) ?? 0) + 1);
  }
  return counts;
}

/** True when the new outline only adds parts at the end, so that indexes still mean the same parts. */
export function onlyGrew(before: Outline, now: Outline): boolean {
  return now.total >= before.total && now.kinds.startsWith(before.kinds.slice(0, Math.max(0, before.total - 1)));
}
