import type { Outline } from '@shared/contract';
import type { PartId, SessionDetail, SessionId } from '@shared/model';
import { call, isAbandoned, onEngine, onLinked, reasonOf } from '../../rpc';
import { say } from '../../ui/toast';
import { ageParts, dropParts, loadAround, partAt } from './loading';
import { onlyGrew } from './outline';
import { keepPlace, placeIn, type Place } from './places';
import { lay, nothing, type OpenSession, toggleRun, useSession } from './state';

/** What the timeline on the screen can be asked; null while none is drawn. */
export interface TimelineView {
  scrollTo(index: number, how: { align: 'start' | 'auto' | 'center' }): void;
  /** Puts a part, or the end, where it stood before, and keeps it there while what is around it is drawn and measured; tells how far down the list then is. */
  putAt(place: Place, arrived: (top: number) => void): void;
  /** Scrolls the least that shows a part whole, or from its first line where it is too tall. */
  keepInView(part: PartId): void;
  /** First and last part on the screen. */
  shown(): { first: number; last: number };
  place(): Place | null;
  /** How far down the list is, px. */
  top(): number;
  atEnd(): boolean;
  scrollToEnd(): void;
}
let view: TimelineView | null = null;
/** Asked for before the timeline was drawn. */
let pending: (() => void) | null = null;

export function attachView(attached: TimelineView | null): void {
  view = attached;
  if (!view) return;
  const { id, phase } = useSession.getState();
  if (pending) {
    const run = pending;
    pending = null;
    run();
  } else if (id && phase === 'ready') {
    // One was at something else (the map, the search, the plans) and is back.
    const place = put?.place ?? placeIn(id);
    if (place) void returnTo(place);
  }
}

/**
 * Where the timeline was put, or is on its way to. Until it is moved from there, or another part is chosen, that is what
 * one reads, even where a lens leaves the part out or all rows fit on the screen: going back finds it again.
 */
let put: { place: Place; current: number | null; top: number | null } | null = null;
/** Counts what the timeline was told to go to: what comes later wins. */
let moves = 0;

function placeNow(): Place | null {
  const { current } = useSession.getState();
  if (put && (put.top === null || (put.current === current && view !== null && Math.abs(view.top() - put.top) < 2))) return put.place;
  return view?.place() ?? null;
}

/** The part one reads: the current one while it is on the screen, else the first there. */
export function readingAt(): number {
  const { current } = useSession.getState();
  const shown = view?.shown();
  if (!shown) return current ?? 0;
  return current !== null && current >= shown.first && current <= shown.last ? current : shown.first;
}

/** What was opened comes into view, and stays there while what is in it is drawn. */
export function keepInView(part: PartId): void {
  view?.keepInView(part);
}

/** Said of an address whose part is not there. */
export const noSuchPart = 'This session has no such part: it stands at its beginning.';

let abort = new AbortController();

function reset(): void {
  abort.abort();
  abort = new AbortController();
  dropParts();
  pending = null;
  put = null;
  moves += 1;
}

/** Sessions whose opened parts are kept for coming back. */
const sessionsKept = 20;
const lastOpened = new Map<SessionId, Pick<OpenSession, 'folds' | 'raw'>>();

function keepOpened(): void {
  const { id, folds, raw } = useSession.getState();
  if (id === null) return;
  lastOpened.delete(id);
  if (folds.size > 0 || raw.size > 0) lastOpened.set(id, { folds, raw });
  const oldest = lastOpened.keys().next();
  if (lastOpened.size > sessionsKept && !oldest.done) lastOpened.delete(oldest.value);
}

/** Shows a session at a part, at the place where one was reading, or at its top. */
export async function openSession(id: SessionId, part: PartId | null): Promise<void> {
  leavePlace();
  reset();
  keepOpened();
  const { epoch, lens } = useSession.getState();
  const opened = lastOpened.get(id);
  useSession.setState({ ...nothing, id, phase: 'loading', lens, epoch: epoch + 1, folds: opened?.folds ?? new Map(), raw: opened?.raw ?? new Set() });
  const { signal } = abort;
  const place = part === null ? placeIn(id) : null;
  try {
    // What is read first is asked for first: the engine answers in order.
    const located = part === null ? null : call('part.locate', { part }, { signal });
    const first = located === null ? loadAround(place?.index ?? 0, (place?.index ?? 0) + 30) : located.then((found) => loadAround((found?.index ?? 0) - 10, (found?.index ?? 0) + 30));
    const outlined = call('session.outline', { session: id }, { signal });
    // The facts of a large session take longer than its text; nothing waits for them.
    void openDetail(id, signal);
    const [outline, found] = await Promise.all([outlined, located, first]);
    if (signal.aborted) return;
    if (!outline) {
      useSession.setState({ phase: 'unknown' });
      return;
    }
    lay({ recorded: outline, total: outline.total, phase: 'ready' });
    if (found) void showPart(found.index);
    else if (part !== null) say(noSuchPart);
    else if (place) void returnTo(place);
  } catch (error) {
    if (!signal.aborted && !isAbandoned(error)) useSession.setState({ phase: 'failed', error: reasonOf(error) });
  }
}

async function openDetail(id: SessionId, signal: AbortSignal): Promise<void> {
  try {
    const detail = await call('session.get', { session: id }, { signal });
    if (!signal.aborted) useSession.setState({ detail });
  } catch (error) {
    if (!signal.aborted && !isAbandoned(error)) say(`The facts of this session could not be read: ${reasonOf(error)}`);
  }
}

export function closeSession(): void {
  leavePlace();
  keepOpened();
  reset();
  useSession.setState({ ...nothing, epoch: useSession.getState().epoch + 1 });
}

/** Keeps where one is reading, for the next time. */
export function leavePlace(): void {
  const { id, phase } = useSession.getState();
  if (id && phase === 'ready' && view) keepPlace(id, placeNow());
}

/** The timeline is taken off the screen: what it was put at is no longer there. */
export function detachView(): void {
  leavePlace();
  // On its way still: the timeline that takes its place is put there.
  if (put?.top !== null) put = null;
  view = null;
}

async function returnTo(place: Place): Promise<void> {
  const { signal } = abort;
  moves += 1;
  const move = moves;
  const over = () => signal.aborted || move !== moves;
  put = { place, current: useSession.getState().current, top: null };
  let { index } = place;
  if (partAt(index)?.id !== place.part) {
    const found = await call('part.locate', { part: place.part }, { signal }).catch(() => null);
    if (over()) return;
    if (!found) {
      put = null;
      return;
    }
    index = found.index;
  }
  const { total } = useSession.getState();
  const atEnd = place.end !== undefined && place.end === total;
  await (atEnd ? loadAround(total - 30, total) : loadAround(index - 15, index + 30));
  if (over()) return;
  const { part, offset } = place;
  scroll(() => view?.putAt(atEnd ? { part, index, offset, end: total } : { part, index, offset }, (top) => {
    if (!over() && put) put = { ...put, top };
  }));
}

/** Lays the rows out anew and stays at what one reads: the chosen part while it is on the screen, else the first there, or the row that stands for it. */
export function layInPlace(change: Parameters<typeof lay>[0]): void {
  const place = placeNow();
  lay(change);
  if (!place) return;
  put = { place, current: useSession.getState().current, top: null };
  moves += 1;
  const move = moves;
  // The new rows have to be drawn before they can be scrolled to.
  requestAnimationFrame(() => {
    if (move === moves) void returnTo(place);
  });
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
  moves += 1;
  put = null;
  useSession.setState({ current: index });
  await Promise.race([loadAround(index - 15, index + 30), new Promise((resolve) => setTimeout(resolve, jumpPatience))]);
  if (signal.aborted) return;
  scroll(() => {
    put = null;
    view?.scrollTo(index, { align });
  });
}

/** Goes to a part that a link or a hit names: a run that hides it is opened. */
export async function showPart(index: number): Promise<void> {
  const run = useSession.getState().rows.hiddenIn(index);
  if (run !== null) toggleRun(run);
  await jumpTo(index, 'start');
}

/** A running session changes many times a second; the timeline follows at most this often, ms. */
const changePause = 300;
/** And never spends more than a fifth of the time on it: a large session takes longer to outline. */
const rest = 4;
let lastTook = 0;
let soon: ReturnType<typeof setTimeout> | undefined;

async function refresh(): Promise<void> {
  const { id, recorded: before, phase } = useSession.getState();
  if (!id || phase === 'loading') return;
  const { signal } = abort;
  const began = performance.now();
  try {
    const [outline, detail] = await Promise.all([call('session.outline', { session: id }, { signal }), call('session.get', { session: id }, { signal })]);
    lastTook = performance.now() - began;
    if (signal.aborted || !detail) return;
    if (before && outline && onlyGrew(before, outline)) grow(detail, outline, before);
    else await rearrange(detail, outline);
  } catch (error) {
    if (!signal.aborted && !isAbandoned(error)) console.error('The session could not be read again.', error);
  }
}

function grow(detail: SessionDetail, outline: Outline, before: Outline): void {
  const follow = view?.atEnd() ?? false;
  ageParts();
  const { version, arrived } = useSession.getState();
  lay({ detail, recorded: outline, total: outline.total, version: version + 1, phase: 'ready', arrived: follow ? 0 : arrived + outline.total - before.total });
  if (follow && outline.total > before.total) void loadAround(outline.total - 20, outline.total).then(() => view?.scrollToEnd());
}

/** Parts moved: the part being read is looked up again and put back where it was. */
async function rearrange(detail: SessionDetail, outline: Outline | null): Promise<void> {
  const place = placeNow();
  const { current, epoch, version } = useSession.getState();
  const chosen = current === null ? null : (partAt(current)?.id ?? null);
  reset();
  if (place) put = { place, current: null, top: null };
  lay({ detail, recorded: outline, states: null, total: outline?.total ?? 0, runs: new Set(), phase: 'ready', epoch: epoch + 1, version: version + 1, current: null, arrived: 0 });
  const { signal } = abort;
  await Promise.all([chosen === null ? null : chooseAgain(chosen, signal), place ? returnTo(place) : loadAround(0, 30)]);
}

/** A chosen part stays chosen wherever it went. */
async function chooseAgain(part: PartId, signal: AbortSignal): Promise<void> {
  const found = await call('part.locate', { part }, { signal }).catch(() => null);
  if (signal.aborted || !found || useSession.getState().current !== null) return;
  useSession.setState({ current: found.index });
  if (put) put = { ...put, current: found.index };
}

/** Called once: the open session follows the library and the link. */
export function followSession(): void {
  onEngine('library.changed', ({ sessions }) => {
    const { id } = useSession.getState();
    if (!id || (sessions !== null && !sessions.includes(id))) return;
    soon ??= setTimeout(() => {
      soon = undefined;
      void refresh();
    }, Math.max(changePause, lastTook * rest));
  });
  let linked = false;
  onLinked(() => {
    const { id, phase } = useSession.getState();
    if (linked && id) {
      ageParts();
      if (phase === 'ready') void refresh();
      else void openSession(id, null);
    }
    linked = true;
  });
  window.addEventListener('pagehide', leavePlace);
}
