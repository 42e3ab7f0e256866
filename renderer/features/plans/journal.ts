import { create } from 'zustand';
import type { JournalEntry } from '@shared/model';
import { show } from '../../app/route';
import { call, isAbandoned, onEngine, onLinked, reasonOf } from '../../rpc';
import { say } from '../../ui/toast';
import { openPlan } from './state';

interface JournalView {
  /** The newest ones, as far as they were asked for; null until the first answer. */
  entries: JournalEntry[] | null;
  total: number;
  error: string | null;
  busy: boolean;
  /** Entries that wait to be settled and that the person does not want to hear of now. */
  hushed: ReadonlySet<string>;
}

/** Guarded writes that were applied, newest first. */
export const useJournal = create<JournalView>(() => ({ entries: null, total: 0, error: null, busy: false, hushed: new Set() }));

/** Entries fetched at once. */
const window = 100;
let asked = 0;

/** As many as were shown before, and at least the first window. */
export async function readJournal(more = 0): Promise<void> {
  const mine = ++asked;
  const wanted = Math.max(window, (useJournal.getState().entries?.length ?? 0) + more);
  useJournal.setState({ busy: true });
  try {
    const entries: JournalEntry[] = [];
    let total = 0;
    do {
      const page = await call('journal.list', { from: entries.length, count: window });
      entries.push(...page.entries);
      ({ total } = page);
      if (page.entries.length === 0) break;
    } while (entries.length < Math.min(wanted, total));
    if (mine === asked) useJournal.setState({ entries, total, error: null, busy: false });
  } catch (error) {
    if (mine === asked) useJournal.setState(isAbandoned(error) ? { busy: false } : { busy: false, error: reasonOf(error) });
  }
}

export const moreOfJournal = (): Promise<void> => readJournal(window);

/** Called once: the notice of an interrupted write does not wait until the journal is opened. */
export function followJournal(): void {
  onLinked(() => void readJournal());
  onEngine('journal.changed', () => void readJournal());
}

export const isUnsettled = ({ state }: JournalEntry): boolean => state === 'interrupted' || state === 'unsettled';
/** In the trash: it was moved there, and nobody brought it back. */
export const isInTrash = ({ kind, state, noUndo }: JournalEntry): boolean => kind === 'trash' && state === 'applied' && noUndo === null;

export const hush = (entries: readonly JournalEntry[]): void => useJournal.setState(({ hushed }) => ({ hushed: new Set([...hushed, ...entries.map(({ id }) => id)]) }));

export const openJournal = (): void => show({ kind: 'journal', entry: null });

/** A plan that takes back what was written last and can be taken back. */
export async function undoLast(): Promise<void> {
  await readJournal();
  const { entries, error } = useJournal.getState();
  const last = entries?.find(({ noUndo, kind }) => noUndo === null && kind !== 'undo' && kind !== 'restore');
  if (last) openPlan({ kind: 'undo', entry: last.id });
  else say(error ?? 'The journal has nothing that can be taken back.');
}
