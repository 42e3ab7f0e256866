import type { PartView, SessionId } from '@shared/model';
import { call, isAbandoned, reasonOf } from '../../rpc';
import { say } from '../../ui/toast';
import { lay, useSession } from './state';
import { PartWindows, windowSize } from './windows';

let windows = new PartWindows();
const asking = new Map<number, AbortController>();

/** A part of the open session, if it is loaded. */
export const partAt = (index: number): PartView | undefined => windows.get(index);

/** Forgets all parts, and what was asked for. */
export function dropParts(): void {
  for (const each of asking.values()) each.abort();
  asking.clear();
  windows = new PartWindows();
}

/** The loaded parts may have changed: they stay until they were asked for again. */
export function ageParts(): void {
  windows.age();
}

/** What was asked for further away than this, in parts, has been scrolled past. */
const reach = 4 * windowSize;

/** Loads what a stretch of the timeline lacks, and gives up what was asked for elsewhere. */
export async function loadAround(first: number, last: number): Promise<void> {
  const { id, total, phase } = useSession.getState();
  if (!id) return;
  const bound = phase === 'loading' ? last + 1 : total;
  const wanted = windows.missing(Math.max(0, first), last, bound);
  for (const [number, asked] of asking) {
    if (number * windowSize > last + reach || (number + 1) * windowSize < first - reach) asked.abort();
  }
  await Promise.all(wanted.filter((number) => !asking.has(number)).map((number) => loadWindow(id, number)));
}

async function loadWindow(session: SessionId, number: number): Promise<void> {
  const mine = new AbortController();
  asking.set(number, mine);
  const into = windows;
  try {
    const from = number * windowSize;
    const answer = await call('session.parts', { session, from, count: windowSize }, { signal: mine.signal });
    if (into !== windows || !answer) return;
    windows.put(from, answer.parts);
    const { version, total } = useSession.getState();
    const reached = from + answer.parts.length;
    if (reached > total) lay({ version: version + 1, total: reached });
    else useSession.setState({ version: version + 1 });
  } catch (error) {
    if (!mine.signal.aborted && !isAbandoned(error)) say(`Some parts could not be read: ${reasonOf(error)}`);
  } finally {
    if (asking.get(number) === mine) asking.delete(number);
  }
}
