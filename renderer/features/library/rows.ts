import { create } from 'zustand';
import type { LibraryRow, LibraryRows, Params, SessionFilter } from '@shared/contract';
import type { SessionId } from '@shared/model';
import { useRoute } from '../../app/route';
import type { LibraryView } from '../../app/address';
import { call, isAbandoned, onEngine, onLinked, reasonOf } from '../../rpc';

interface LibraryState {
  /** False until the first answer. */
  loaded: boolean;
  error: string | null;
  /** Rows of the whole tree as it stands open. */
  total: number;
  sessions: number;
  /** What is known of it, by index. */
  rows: Map<number, LibraryRow>;
  toggled: Set<string>;
  /** The row that keys act on, by id, and where it stands. */
  focus: { id: string | null; index: number };
  /** How far the row at the top moved with the last answer, so that the tree can stay where the eye is. */
  moved: { rows: number; times: number };
  /** A row that should come into view. */
  wanted: { index: number; times: number } | null;
}

export const useLibrary = create<LibraryState>(() => ({
  loaded: false, error: null, total: 0, sessions: 0, rows: new Map(), toggled: new Set(), focus: { id: null, index: 0 }, moved: { rows: 0, times: 0 }, wanted: null,
}));

/** Rows asked for beyond what is visible, on both sides: a screen and more, so that slow scrolling never shows a gap. */
const margin = 60;
/** The contract's limit for one window. */
const most = 500;

/** Counts views; an answer to an earlier one is dropped. */
let generation = 0;
let visible = { first: 0, last: 40 };
let abort = new AbortController();

const dayMs = 86_400_000;

/** "7d" is counted from the start of today, so that the filter stays the same for a day. */
function sinceTime(since: string | null): string | undefined {
  if (since === null) return undefined;
  const days = /^(\d+)d$/.exec(since);
  if (!days) return new Date(`${since}T00:00:00`).toISOString();
  const today = new Date().setHours(0, 0, 0, 0);
  return new Date(today - Number(days[1]) * dayMs).toISOString();
}

export function filterOf(view: LibraryView): SessionFilter {
  const since = sinceTime(view.since);
  return {
    ...(view.agents.length > 0 ? { agents: view.agents } : {}),
    ...(view.projects.length > 0 ? { projects: view.projects } : {}),
    archived: view.archived,
    ...(since ? { since } : {}),
    ...(view.title.trim() ? { title: view.title.trim() } : {}),
  };
}

function viewParams(): Omit<Params<'library.rows'>, 'from' | 'count'> {
  const { library } = useRoute.getState();
  return { filter: filterOf(library), sort: library.sort, group: library.group, toggled: [...useLibrary.getState().toggled] };
}

function windowAround(first: number, last: number): { from: number; count: number } {
  const from = Math.max(0, first - margin);
  return { from, count: Math.min(most, last + margin - from + 1) };
}

async function fetchRows(from: number, count: number): Promise<LibraryRows | null> {
  const mine = generation;
  try {
    const answer = await call('library.rows', { ...viewParams(), from, count }, { signal: abort.signal });
    return mine === generation ? answer : null;
  } catch (error) {
    if (mine === generation && !isAbandoned(error)) useLibrary.setState({ error: reasonOf(error), loaded: true });
    return null;
  }
}

/** Asks for the tree anew, keeping what is drawn until the answer is there. */
export async function reloadRows(): Promise<void> {
  generation += 1;
  abort.abort();
  abort = new AbortController();
  const { from, count } = windowAround(visible.first, visible.last);
  let answer = await fetchRows(from, count);
  if (answer && answer.rows.length === 0 && answer.total > 0) answer = await fetchRows(Math.max(0, answer.total - count), count);
  if (answer) replaceRows(answer);
}

function replaceRows(answer: LibraryRows): void {
  const before = useLibrary.getState();
  const rows = new Map(answer.rows.map((row, at) => [answer.from + at, row]));
  const places = new Map(answer.rows.map((row, at) => [row.id as string, answer.from + at]));
  const top = before.rows.get(visible.first);
  const topNow = top ? places.get(top.id) : undefined;
  const focusNow = before.focus.id === null ? undefined : places.get(before.focus.id);
  useLibrary.setState({
    loaded: true,
    error: null,
    total: answer.total,
    sessions: answer.sessions,
    rows,
    focus: focusNow === undefined ? { id: before.focus.id, index: Math.min(before.focus.index, Math.max(0, answer.total - 1)) } : { id: before.focus.id, index: focusNow },
    moved: { rows: topNow === undefined ? 0 : topNow - visible.first, times: before.moved.times + 1 },
  });
}

const asked = new Set<number>();

/** The tree tells what is on the screen; what is missing of it is loaded. */
export function showRows(first: number, last: number): void {
  visible = { first, last };
  const { rows, total } = useLibrary.getState();
  let missing = -1;
  for (let index = Math.max(0, first - 10); index <= Math.min(total - 1, last + 10); index += 1) {
    if (!rows.has(index)) {
      missing = index;
      break;
    }
  }
  if (missing < 0 || asked.has(missing)) return;
  const key = missing;
  asked.add(key);
  const { from, count } = windowAround(first, last);
  void fetchRows(from, count)
    .then((answer) => {
      if (!answer) return;
      const known = new Map(useLibrary.getState().rows);
      answer.rows.forEach((row, at) => known.set(answer.from + at, row));
      // A row that was gone to before it was loaded has its id now.
      useLibrary.setState(({ focus }) => ({ rows: known, total: answer.total, sessions: answer.sessions, focus: { ...focus, id: focus.id ?? known.get(focus.index)?.id ?? null } }));
    })
    .finally(() => asked.delete(key));
}

/** Opens what is closed, closes what is open. */
export function toggleRow(id: string): void {
  const toggled = new Set(useLibrary.getState().toggled);
  if (!toggled.delete(id)) toggled.add(id);
  useLibrary.setState({ toggled });
  void reloadRows();
}

export function focusRow(index: number): void {
  useLibrary.setState(({ rows }) => ({ focus: { id: rows.get(index)?.id ?? null, index } }));
}

/** Opens the groups and parents that hide a session and brings its row into view. */
export async function revealSession(session: SessionId): Promise<void> {
  if ([...useLibrary.getState().rows.values()].some((row) => row.id === session)) {
    const index = [...useLibrary.getState().rows].find(([, row]) => row.id === session)?.[0] ?? 0;
    wantRow(index, session);
    return;
  }
  try {
    const answer = await call('library.reveal', { ...viewParams(), session });
    if (answer.index === null || useRoute.getState().view.kind !== 'session') return;
    useLibrary.setState({ toggled: new Set(answer.toggled) });
    visible = { first: Math.max(0, answer.index - 20), last: answer.index + 20 };
    await reloadRows();
    wantRow(answer.index, session);
  } catch (error) {
    if (!isAbandoned(error)) console.error('The row could not be shown.', error);
  }
}

function wantRow(index: number, id: string): void {
  useLibrary.setState(({ wanted }) => ({ focus: { id, index }, wanted: { index, times: (wanted?.times ?? 0) + 1 } }));
}

/** While an index runs, changes come in bursts; the list follows at most this often, ms. */
const changePause = 400;
let soon: ReturnType<typeof setTimeout> | undefined;

/** Called once: the tree follows the address, the library and the link. */
export function followLibrary(): void {
  onLinked(() => void reloadRows());
  onEngine('library.changed', () => {
    soon ??= setTimeout(() => {
      soon = undefined;
      void reloadRows();
    }, changePause);
  });
  useRoute.subscribe(({ library }, before) => {
    if (library === before.library || JSON.stringify(library) === JSON.stringify(before.library)) return;
    visible = { first: 0, last: 40 };
    useLibrary.setState(({ wanted }) => ({ focus: { id: null, index: 0 }, wanted: { index: 0, times: (wanted?.times ?? 0) + 1 } }));
    void reloadRows();
  });
}
