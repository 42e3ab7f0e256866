import { useCallback, useEffect, useState } from 'react';
import type { Answers, Method, Params } from '@shared/contract';
import { useEngine } from '../../app/engine';
import { call, isAbandoned, reasonOf } from '../../rpc';

export interface Asked<T> {
  /** Undefined until the first answer. */
  answer: T | undefined;
  error: string | null;
  again(): void;
}

/** Asks the engine when something else is asked for and after each change of the library; what was answered stays until then. */
export function useAnswer<M extends Method>(method: M, params: Params<M>): Asked<Answers[M]> {
  const [state, setState] = useState<{ of: string; answer: Answers[M] | undefined; error: string | null }>({ of: '', answer: undefined, error: null });
  const [asked, setAsked] = useState(0);
  const revision = useEngine((engine) => engine.info?.revision ?? null);
  const key = JSON.stringify([method, params]);
  useEffect(() => {
    const abort = new AbortController();
    const [name, given] = JSON.parse(key) as [M, Params<M>];
    call(name, given, { signal: abort.signal })
      .then((answer) => !abort.signal.aborted && setState({ of: key, answer, error: null }))
      .catch((error: unknown) => {
        if (!abort.signal.aborted && !isAbandoned(error)) setState({ of: key, answer: undefined, error: reasonOf(error) });
      });
    return () => abort.abort();
  }, [key, revision, asked]);
  const known = state.of === key;
  return { answer: known ? state.answer : undefined, error: known ? state.error : null, again: useCallback(() => setAsked((times) => times + 1), []) };
}
