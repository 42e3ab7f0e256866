import { useEffect, useState } from 'react';
import type { Answers, Params } from '@shared/contract';
import { call, isAbandoned, onEngine, onLinked, reasonOf } from '../../rpc';

/** A session that is written to changes many times a second; a comparison reads much and follows at most this often, ms. */
const changePause = 2_000;

interface Compared {
  /** Undefined until the first answer; what was answered stays while it is asked again. */
  answer: Answers['compare'] | undefined;
  error: string | null;
  again(): void;
}

/** Asks for a comparison, and again when one of the two changed. */
export function useComparison(params: Params<'compare'>): Compared {
  const key = JSON.stringify(params);
  const [state, setState] = useState<{ of: string; answer: Answers['compare'] | undefined; error: string | null }>({ of: '', answer: undefined, error: null });
  const [asked, setAsked] = useState(0);
  const again = () => setAsked((times) => times + 1);
  const { a, b } = params;
  useEffect(() => {
    let soon: ReturnType<typeof setTimeout> | undefined;
    const stopChanges = onEngine('library.changed', ({ sessions }) => {
      if (sessions !== null && !sessions.some((session) => session === a.session || session === b.session)) return;
      soon ??= setTimeout(() => {
        soon = undefined;
        again();
      }, changePause);
    });
    let linked = false;
    const stopLink = onLinked(() => {
      // Said at once for a link that is there.
      if (linked) again();
      linked = true;
    });
    return () => {
      clearTimeout(soon);
      stopChanges();
      stopLink();
    };
  }, [a.session, b.session]);
  useEffect(() => {
    const abort = new AbortController();
    call('compare', JSON.parse(key) as Params<'compare'>, { signal: abort.signal })
      .then((answer) => !abort.signal.aborted && setState({ of: key, answer, error: null }))
      .catch((error: unknown) => {
        if (!abort.signal.aborted && !isAbandoned(error)) setState({ of: key, answer: undefined, error: reasonOf(error) });
      });
    return () => abort.abort();
  }, [key, asked]);
  const known = state.of === key;
  return { answer: known ? state.answer : undefined, error: known ? state.error : null, again };
}
