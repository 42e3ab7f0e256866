import { useEffect, useState } from 'react';
import type { FolderState } from '@shared/contract';
import type { SessionId } from '@shared/model';
import { call, isAbandoned } from '../../rpc';

export const folderWords: Record<FolderState['state'], string> = { present: 'present', missing: 'gone', 'not looked at': 'not looked at' };

/** State of an open session's folder, asked for once when it is opened: nothing else makes the engine look at recorded folders. */
export function useFolderState(session: SessionId): FolderState | null {
  const [found, setFound] = useState<{ session: SessionId; state: FolderState | null } | null>(null);
  useEffect(() => {
    const abort = new AbortController();
    call('folder.state', { session }, { signal: abort.signal })
      .then((state) => {
        if (!abort.signal.aborted) setFound({ session, state });
      })
      .catch((error: unknown) => {
        if (!abort.signal.aborted && !isAbandoned(error)) console.error('The folder of the session could not be looked at.', error);
      });
    return () => abort.abort();
  }, [session]);
  return found?.session === session ? found.state : null;
}
