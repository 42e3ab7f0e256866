import { create } from 'zustand';
import type { Outline } from '@shared/contract';
import type { PartId, PartView, SessionDetail, SessionId } from '@shared/model';
import { call, isAbandoned, onEngine, onLinked, reasonOf } from '../../rpc';
import { say } from '../../ui/toast';
import { onlyGrew } from './outline';
import { keepPlace, placeIn, type Place } from './places';
import { makeRows, type TimelineRows } from './rows';
import { PartWindows, windowSize } from './windows';

interface OpenSession {
  id: SessionId | null;
  /** `unknown`: no store has it. */
  phase: 'none' | 'loading' | 'ready' | 'unknown' | 'failed';
  error: string | null;
  detail: SessionDetail | null;
  outline: Outline | null;
  total: number;
  /** Follows `outline`, `total` and `runs`. */
  rows: TimelineRows;
  /** First parts of the runs of hidden parts that were opened. */
  runs: ReadonlySet<number>;
  /** Grows when loaded parts change, so that the timeline draws again. */
  version: number;
  /** Grows when indexes stop meaning the same parts: heights measured before are worthless. */
  epoch: number;
  /** The part that keys act on. */
  current: number | null;
  /** Parts opened or folded by hand. */
  folds: Map<PartId, boolean>;
  /** Parts that show their raw record. */
  raw: Set<PartId>;
  /** Parts that came in below while one was reading above. */
  arrived: number;
}

const nothing: OpenSession = {
  id: null, phase: 'none', error: null, detail: null, outline: null, total: 0, rows: makeRows(null, 0, new Set()), runs: new Set(), version: 0, epoch: 0, current: null, folds: new Map(), raw: new Set(), arrived: 0,
};

export const useSession = create<OpenSession>(() => nothing);

/** Changes what the rows follow from, and the rows with it. */
function lay(change: Partial<OpenSession>): void {
  const { outline, total, runs } = { ...useSession.getState(), ...change };
  useSession.setState({ ...change, rows: makeRows(outline, total, runs) });
}

/** Opens or closes a run of hidden parts. */
export function toggleRun(start: number): void {
  const runs = new Set(useSession.getState().runs);
  if (!runs.delete(start)) runs.add(start);
  lay({ runs });
}

/** What the timeline on the screen can be asked; null while none is drawn. */
export interface TimelineView {
  scrollTo(index: number, how: { align: 'start' | 'auto' | 'center'; offset?: number }): void;
  place(): Place | null;
  atEnd(): boolean;
  scrollToEnd(): void;
}
let view: TimelineView | null = null;
/** Asked for before the timeline was drawn. */
let pending: (() => void) | null = null;

export function attachView(attached: TimelineView | null): void {
  view = attached;
  if (view && pending) {
    const run = pending;
    pending = null;
    run();
  }
}

let windows = new PartWindows();
let abort = new AbortController();
const asking = new Map<number, AbortController>();

export const partAt = (index: number): PartView | undefined => windows.get(index);

function reset(): void {
  abort.abort();
  abort = new AbortController();
  for (const each of asking.values()) each.abort();
  asking.clear();
  windows = new PartWindows();
  pending = null;
}

/** Shows a session at a part, at the place where one was reading, or at its top. */
export async function openSession(id: SessionId, part: PartId | null): Promise<void> {
  leavePlace();
  reset();
  const { epoch } = useSession.getState();
  useSession.setState({ ...nothing, id, phase: 'loading', epoch: epoch + 1, folds: new Map(), raw: new Set() });
  const { signal } = abort;
  const place = part === null ? placeIn(id) : null;
  try {
    // What is read first is asked for first: the engine answers in order.
    const located = part === null ? null : call('part.locate', { part }, { signal });
    const first = located === null ? loadAround(place?.index ?? 0, (place?.index ?? 0) + 30) : located.then((found) => loadAround((found?.index ?? 0) - 10, (found?.index ?? 0) + 30));
    const [detail, outline, found] = await Promise.all([call('session.get', { session: id }, { signal }), call('session.outline', { session: id }, { signal }), located, first]);
    if (signal.aborted) return;
    if (!detail) {
      useSession.setState({ phase: 'unknown' });
      return;
    }
    lay({ detail, outline, total: outline?.total ?? 0, phase: 'ready' });
    if (found) void showPart(found.index);
    else if (place) void returnTo(place);
  } catch (error) {
    if (!signal.aborted && !isAbandoned(error)) useSession.setState({ phase: 'failed', error: reasonOf(error) });
  }
}

export function closeSession(): void {
  leavePlace();
  reset();
  useSession.setState({ ...nothing, epoch: useSession.getState().epoch + 1 });
}

/** Keeps where one is reading, for the next time. */
export function leavePlace(): void {
  const { id, phase } = useSession.getState();
  if (id && phase === 'ready' && view) keepPlace(id, view.place());
}

async function returnTo(place: Place): Promise<void> {
  const { signal } = abort;
  let { index } = place;
  if (partAt(index)?.id !== place.part) {
    const found = await call('part.locate', { part: place.part }, { signal }).catch(() => null);
    if (!found || signal.aborted) return;
    index = found.index;
  }
  await loadAround(index - 5, index + 30);
  if (signal.aborted) return;
  scroll(() => view?.scrollTo(index, { align: 'start', offset: place.offset }));
}

function scroll(run: () => void): void {
  if (view) run();
  else pending = run;
}

/** A jump waits this long for what it leads to; then it goes to placeholders that fill in, ms. */
const jumpPatience = 300;

/** Brings a part into view and makes it the one that keys act on. */
export async function jumpTo(index: number, align: 'start' | 'auto' | 'center'): Promise<void> {
  const { signal } = abort;
  useSession.setState({ current: index });
  await Promise.race([loadAround(index - 15, index + 30), new Promise((resolve) => setTimeout(resolve, jumpPatience))]);
  if (!signal.aborted) scroll(() => view?.scrollTo(index, { align }));
}

/** What was asked for further away than this, in parts, has been scrolled past. */
const reach = 4 * windowSize;

/** Goes to a part that a link or a hit names: a run that hides it is opened. */
export async function showPart(index: number): Promise<void> {
  const { rows, runs } = useSession.getState();
  const run = rows.runOf(index);
  if (run !== null && !runs.has(run)) toggleRun(run);
  await jumpTo(index, 'start');
}

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

/** A running session changes many times a second; the timeline follows at most this often, ms. */
const changePause = 300;
let soon: ReturnType<typeof setTimeout> | undefined;

async function refresh(): Promise<void> {
  const { id, outline: before, phase } = useSession.getState();
  if (!id || phase === 'loading') return;
  const { signal } = abort;
  try {
    const [detail, outline] = await Promise.all([call('session.get', { session: id }, { signal }), call('session.outline', { session: id }, { signal })]);
    if (signal.aborted || !detail) return;
    if (before && outline && onlyGrew(before, outline)) grow(detail, outline, before);
    else await rearrange(detail, outline);
  } catch (error) {
    if (!signal.aborted && !isAbandoned(error)) console.error('The session could not be read again.', error);
  }
}

function grow(detail: SessionDetail, outline: Outline, before: Outline): void {
  const follow = view?.atEnd() ?? false;
  windows.age();
  const { version, arrived } = useSession.getState();
  lay({ detail, outline, total: outline.total, version: version + 1, phase: 'ready', arrived: follow ? 0 : arrived + outline.total - before.total });
  if (follow && outline.total > before.total) void loadAround(outline.total - 20, outline.total).then(() => view?.scrollToEnd());
}

/** Parts moved: the part being read is looked up again and put back where it was. */
async function rearrange(detail: SessionDetail, outline: Outline | null): Promise<void> {
  const place = view?.place() ?? null;
  reset();
  const { epoch, version } = useSession.getState();
  lay({ detail, outline, total: outline?.total ?? 0, runs: new Set(), phase: 'ready', epoch: epoch + 1, version: version + 1, current: null, arrived: 0 });
  if (place) await returnTo(place);
  else await loadAround(0, 30);
}

/** Called once: the open session follows the library and the link. */
export function followSession(): void {
  onEngine('library.changed', ({ sessions }) => {
    const { id } = useSession.getState();
    if (!id || (sessions !== null && !sessions.includes(id))) return;
    soon ??= setTimeout(() => {
      soon = undefined;
      void refresh();
    }, changePause);
  });
  let linked = false;
  onLinked(() => {
    const { id, phase } = useSession.getState();
    if (linked && id) {
      windows.age();
      if (phase === 'ready') void refresh();
      else void openSession(id, null);
    }
    linked = true;
  });
  window.addEventListener('pagehide', leavePlace);
}
