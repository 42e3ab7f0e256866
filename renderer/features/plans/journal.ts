import { create } from 'zustand';
import type { Params } from '@shared/contract';
import type { JournalEntry } from '@shared/model';
import { show } from '../../app/route';
import { call, isAbandoned, onEngine, onLinked, reasonOf } from '../../rpc';
import { say } from '../../ui/toast';
import { openPlan } from './state';

/** What of the journal is looked at. */
export type Shown = 'all' | 'trash' | 'unsettled';

export interface JournalList {
  /** The newest ones, as far as they were asked for. */
  entries: JournalEntry[];
  total: number;
  /** Bytes kept for all of them. */
  backups: number;
}

interface JournalView {
  /** Null until the first answer. */
  lists: Record<Shown, JournalList> | null;
  error: string | null;
  busy: boolean;
  /** Entries that wait to be settled and that the person does not want to hear of now. */
  hushed: ReadonlySet<string>;
}

/** Guarded writes that were applied, newest first. */
export const useJournal = create<JournalView>(() => ({ lists: null, error: null, busy: false, hushed: new Set() }));

/** Entries fetched at once. */
const window = 100;
let asked = 0;

/** What waits or lies in the trash is asked for by itself: it may be older than what the first window has. */
const asks: Record<Shown, Pick<Params<'journal.list'>, 'states' | 'kinds'>> = {
  all: {},
  trash: { kinds: ['trash'], states: ['applied'] },
  unsettled: { states: ['interrupted', 'unsettled'] },
};

/** As many as were shown before, and at least the first window; more of one list. */
export async function readJournal(more: Shown | null = null): Promise<void> {
  const mine = ++asked;
  const { lists } = useJournal.getState();
  const wanted = (shown: Shown) => Math.max(window, (lists?.[shown].entries.length ?? 0) + (more === shown ? window : 0));
  useJournal.setState({ busy: true });
  try {
    const [all, trash, unsettled] = [await listOf(asks.all, wanted('all')), await listOf(asks.trash, wanted('trash')), await listOf(asks.unsettled, wanted('unsettled'))];
    if (mine === asked) useJournal.setState({ lists: { all, trash: inTrash(trash), unsettled }, error: null, busy: false });
  } catch (error) {
    if (mine === asked) useJournal.setState(isAbandoned(error) ? { busy: false } : { busy: false, error: reasonOf(error) });
  }
}

async function listOf(filter: Pick<Params<'journal.list'>, 'states' | 'kinds'>, wanted: number): Promise<JournalList> {
  const entries: JournalEntry[] = [];
  for (;;) {
    const page = await call('journal.list', { ...filter, from: entries.length, count: window });
    entries.push(...page.entries);
    const { total, backups } = page;
    if (page.entries.length === 0 || entries.length >= Math.min(wanted, total)) return { entries, total, backups };
  }
}

/** What was brought to its end after an interruption stands in the journal twice: what can be brought back is one of them. */
function inTrash({ entries, total, backups }: JournalList): JournalList {
  const left = entries.filter(({ noUndo }) => noUndo === null);
  return { entries: left, total: total - (entries.length - left.length), backups };
}

/** Called once: the notice of an interrupted write does not wait until the journal is opened. */
export function followJournal(): void {
  onLinked(() => void readJournal());
  onEngine('journal.changed', () => void readJournal());
}

export const hush = (entries: readonly JournalEntry[]): void => useJournal.setState(({ hushed }) => ({ hushed: new Set([...hushed, ...entries.map(({ id }) => id)]) }));

export const openJournal = (): void => show({ kind: 'journal', entry: null });

/** A plan that takes back what was written last and can be taken back. */
export async function undoLast(): Promise<void> {
  await readJournal();
  const { lists, error } = useJournal.getState();
  const last = lists?.all.entries.find(({ noUndo, kind }) => noUndo === null && kind !== 'undo' && kind !== 'restore');
  if (last) openPlan({ kind: 'undo', entry: last.id });
  else say(error ?? 'The journal has nothing that can be taken back.');
}
