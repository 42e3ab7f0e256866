import { readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { NativeId } from '@shared/model';
import { holdersOf, sayHolder, sayOpenFiles } from '../../foreign/open-files';
import type { BusyReport, Draft, DraftStep, StoreLocation } from '../../store';
import { nameList } from '../lists';
import { listRollouts } from '../listing';
import { rolloutName } from '../names';
import { readCall } from './call';

/** A file that was written to so lately is looked at twice. In ms. */
const freshFor = 5_000;
const lookAgainAfter = 400;

/** Whether Codex has the thread open. Its lock is only looked at: taking it, even for a moment, could stop Codex. */
export async function busy(location: StoreLocation, native: NativeId, draft: Draft): Promise<BusyReport> {
  if (!draft.steps.some(touchesThread)) return { busy: null, checked: ['The original is only read up to the end of a turn; Codex may go on in it meanwhile.'] };
  const checked: string[] = [];
  const lockFile = join(location.folder, 'thread-writer-locks', `${native}.lock`);
  const lock = lockState(lockFile);
  if (lock === 'held') return { busy: heldLock(lockFile), checked };
  checked.push(lock === 'unknown' ? 'Whether Codex holds the thread’s lock cannot be seen on this system.' : 'Codex does not hold the thread’s lock.');
  const files = [...listRollouts(location.folder).files.values()].filter(({ key }) => rolloutName(key)?.thread === native);
  for (const { path } of files) {
    const open = holdersOf([path]);
    if (open.holders.length > 0) return { busy: sayOpenFiles(path, open), checked };
    if (!open.isKnown) checked.push(`Whether a program has ${basename(path)} open cannot be seen on this system.`);
  }
  const grown = await growing(files.map(({ path }) => path));
  if (grown !== null) return { busy: `${grown} is being written to.`, checked };
  checked.push('Its files are not being written to.', 'Releases before 0.155 take no lock; one that has the thread open and rests is not seen.');
  return { busy: null, checked };
}

/** A fork reads; a name is taken by Codex at any time. Everything else is about the thread's own files. */
function touchesThread(step: DraftStep): boolean {
  if (step.kind === 'file') return step.before.state === 'present' && basename(step.path) !== nameList;
  if (step.kind !== 'program' || step.program !== 'codex') return false;
  const call = readCall(step.call);
  return call !== null && call.do !== 'fork' && call.do !== 'name';
}

/** Who holds a thread's lock has its file open. */
export function heldLock(path: string): string {
  const [holder] = holdersOf([path]).holders;
  return `Codex has this thread open: ${holder ? sayHolder(holder) : 'it'} holds the thread’s lock.`;
}

/** Linux tells who holds a lock under /proc/locks, by the number of the file. Elsewhere only taking it would tell. */
export function lockState(path: string): 'held' | 'free' | 'unknown' {
  let number: number;
  try {
    number = statSync(path).ino;
  } catch {
    return 'free';
  }
  try {
    // Devices are told differently by some file systems; an equal number elsewhere makes us refuse once too often.
    const holds = new RegExp(`^\\d+: FLOCK .*:${number} `, 'm');
    return holds.test(readFileSync('/proc/locks', 'utf8')) ? 'held' : 'free';
  } catch {
    return 'unknown';
  }
}

async function growing(paths: string[]): Promise<string | null> {
  const sizes = paths.map((path) => stateOf(path));
  if (!sizes.some((state) => state !== null && Date.now() - state.changed < freshFor)) return null;
  await wait(lookAgainAfter);
  return paths.find((path, at) => stateOf(path)?.bytes !== sizes[at]?.bytes) ?? null;
}

function stateOf(path: string): { bytes: number; changed: number } | null {
  try {
    const { size, mtimeMs } = statSync(path);
    return { bytes: size, changed: mtimeMs };
  } catch {
    return null;
  }
}
