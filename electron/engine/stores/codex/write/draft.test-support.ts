import { appendFileSync, mkdirSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Draft, DraftStep, FileStep, Making, SessionToWrite, WritePoint, WriteRefusal } from '../../store';
import type { DrivenSession, Driver } from '../drive.test-support';

/** A driven session as the plans hand it to a writer. */
export const toWrite = (session: DrivenSession, driver: Driver, isLive = true): SessionToWrite => ({
  location: driver.location, native: session.native, facts: session.facts, folder: session.facts.directory, spine: session.spine, settled: session.settled, isLive,
  record: () => new Uint8Array(), file: (key) => driver.sources.get(key)?.bytes ?? null,
});

/** The current branch, before a record. */
export function pointOf(session: DrivenSession, before: number | null): WritePoint {
  const path = session.settled.branches[0]?.path ?? [];
  return { branch: 0, path, before, kept: before === null ? path : path.slice(0, path.indexOf(before)) };
}

/** Always the same ids: the first begins with the time given, the last digits count. */
export function making(now: number, from = 0): Making {
  let next = from;
  return { now, random: (bytes) => Buffer.alloc(bytes).fill(0).map((_, at) => (at === bytes - 1 ? next++ & 255 : at === bytes - 2 ? next >> 8 : 0)) };
}

export function drawn(draft: Draft | WriteRefusal): Draft {
  if ('refused' in draft) throw new Error(draft.refused);
  return draft;
}

const isFile = (step: DraftStep): step is FileStep => step.kind === 'file';

export const textOfStep = (step: DraftStep | undefined): string => {
  if (!step || !isFile(step) || step.after === null) return '';
  return 'content' in step.after ? Buffer.concat([...step.after.content.pieces()]).toString() : Buffer.from(step.after.append).toString();
};

/** Does the file steps of a draft, without the plans' guards. */
export function applyFiles(draft: Draft): void {
  for (const { path, after } of draft.steps.filter(isFile)) {
    mkdirSync(dirname(path), { recursive: true });
    if (after === null) unlinkSync(path);
    else if ('append' in after) appendFileSync(path, after.append);
    else writeFileSync(path, Buffer.concat([...after.content.pieces()]), { flag: 'wx' });
  }
}
