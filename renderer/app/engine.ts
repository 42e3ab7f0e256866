import { create } from 'zustand';
import type { EngineInfo, Facets, IndexProgress } from '@shared/contract';
import { say } from '../ui/toast';
import { call, isAbandoned, onEngine, onLinked, reasonOf } from '../rpc';

interface EngineState {
  info: EngineInfo | null;
  facets: Facets | null;
  progress: IndexProgress | null;
}

/** What the engine says of itself: stores, what can be filtered by, and how far the index is. */
export const useEngine = create<EngineState>(() => ({ info: null, facets: null, progress: null }));

async function refresh(): Promise<void> {
  try {
    const [info, facets, progress] = await Promise.all([call('engine.info', {}), call('library.facets', {}), call('index.status', {})]);
    useEngine.setState({ info, facets, progress });
  } catch (error) {
    if (!isAbandoned(error)) console.error('The engine did not say how it is.', error);
  }
}

/** While an index runs the library changes many times a second; facets are asked for at most this often, ms. */
const refreshPause = 1_000;
let waiting: ReturnType<typeof setTimeout> | undefined;

function refreshSoon(): void {
  waiting ??= setTimeout(() => {
    waiting = undefined;
    void refresh();
  }, refreshPause);
}

/** Called once: keeps the state above true over every link. */
export function followEngine(): void {
  onLinked(() => void refresh());
  onEngine('index.progress', (progress) => {
    const ended = useEngine.getState().progress?.running === true && !progress.running;
    useEngine.setState({ progress });
    if (ended) refreshSoon();
  });
  onEngine('library.changed', refreshSoon);
}

/** Reads what is new in the stores; joins a pass that runs already. */
export async function updateLibrary(): Promise<void> {
  try {
    await call('index.run', {});
  } catch (error) {
    if (!isAbandoned(error)) say(`The index stopped: ${reasonOf(error)}`);
  }
}

export async function cancelIndex(): Promise<void> {
  try {
    await call('index.cancel', {});
  } catch (error) {
    if (!isAbandoned(error)) say(`The index could not be cancelled: ${reasonOf(error)}`);
  }
}
