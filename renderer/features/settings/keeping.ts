import { create } from 'zustand';
import type { CompactionProgress, ExclusionTarget, ForgetTarget, KeepRule, LibraryKeep } from '@shared/model';
import { call, isAbandoned, onEngine, reasonOf } from '../../rpc';
import { countOf, formatBytes } from '../../ui/format';
import { say } from '../../ui/toast';

interface Keeping {
  keep: LibraryKeep | null;
  error: string | null;
  /** An answer is awaited. */
  busy: boolean;
  compaction: CompactionProgress | null;
  /** It was asked to stop, and has not stopped yet. */
  stopping: boolean;
  /** What is about to be forgotten, with its name for the sheet. */
  forgetting: { target: ForgetTarget; name: string } | null;
}

/** The library's settings, what it keeps, and what is being done to it. */
export const useKeeping = create<Keeping>(() => ({ keep: null, error: null, busy: false, compaction: null, stopping: false, forgetting: null }));

/** Only the newest question's answer is shown. */
let asked = 0;

export async function lookAgain(): Promise<void> {
  const mine = ++asked;
  useKeeping.setState({ busy: true });
  try {
    const keep = await call('library.keep', {});
    if (mine === asked) useKeeping.setState({ keep, error: null, busy: false, compaction: keep.compaction.running });
  } catch (error) {
    if (mine === asked) useKeeping.setState(isAbandoned(error) ? { busy: false } : { error: reasonOf(error), busy: false });
  }
}

/** Called once: follows a compaction, whoever began it. */
export function followKeeping(): void {
  onEngine('library.compaction', ({ progress }) => useKeeping.setState(progress ? { compaction: progress } : { compaction: null, stopping: false }));
}

async function act(what: string, work: () => Promise<string>): Promise<void> {
  try {
    say(await work());
  } catch (error) {
    if (!isAbandoned(error)) say(`${what}: ${reasonOf(error)}`);
  }
  await lookAgain();
}

export const exclude = (target: ExclusionTarget): Promise<void> =>
  act('It could not be excluded', async () => {
    const outcome = await call('library.exclude', { target, dryRun: false });
    if (!outcome) return 'The library does not know it.';
    const { name, sessions } = outcome.exclusion;
    return `${name} is not indexed any more.${sessions > 0 ? ` ${countOf(sessions, 'session')} read before ${sessions === 1 ? 'is' : 'are'} kept, in no list.` : ''}`;
  });

export const include = (target: ExclusionTarget): Promise<void> =>
  act('It could not be included', async () => {
    const { exclusion } = await call('library.include', { target, dryRun: false });
    return exclusion ? `${exclusion.name} is indexed again.` : 'It is indexed already.';
  });

export const setRule = (days: number | null): Promise<void> =>
  act('The rule could not be set', async () => {
    await call('library.rule', { days, dryRun: false });
    return days === null ? 'Sessions are kept for ever.' : `Sessions are kept for ${countOf(days, 'day')} after their source went away.`;
  });

/** What a rule would let go, before it is set. */
export const previewRule = (days: number | null, signal: AbortSignal): Promise<KeepRule> => call('library.rule', { days, dryRun: true }, { signal });

export const compact = (): Promise<void> =>
  act('The library could not be compacted', async () => {
    useKeeping.setState({ compaction: { phase: 'words', done: 0, total: 0 } });
    try {
      const { refusal, cancelled, before, after } = await call('library.compact', {});
      if (refusal !== null) return refusal;
      return cancelled ? 'Stopped. The library is as it was.' : `Compacted: ${formatBytes(before)} → ${formatBytes(after)}.`;
    } finally {
      useKeeping.setState({ compaction: null, stopping: false });
    }
  });

export function stopCompaction(): void {
  useKeeping.setState({ stopping: true });
  call('library.compactCancel', {}).catch((error: unknown) => !isAbandoned(error) && say(`It could not be stopped: ${reasonOf(error)}`));
}

/** Opens the sheet that shows what would go. */
export const openForget = (target: ForgetTarget, name: string): void => useKeeping.setState({ forgetting: { target, name } });
export const closeForget = (): void => useKeeping.setState({ forgetting: null });
