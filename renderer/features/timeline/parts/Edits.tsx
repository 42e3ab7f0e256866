import { useEffect, useState } from 'react';
import { splitInnerId, type FileEdit, type PartView, type ToolView } from '@shared/model';
import { call, isAbandoned, reasonOf } from '../../../rpc';
import { showTurnOf } from '../../diff/acts';
import { DiffView } from './DiffView';

/** A record over this, in bytes, is not asked for whole: its raw record can be read piece by piece. */
const wholeLimit = 8_000_000;

function openTurn(part: PartView): void {
  const session = splitInnerId(part.id)?.session;
  if (session) void showTurnOf(session, part.id);
}

/** Changes of files. A patch that was too large to come with its window is asked for when the step is opened. */
export function Edits({ part, tool }: { part: PartView; tool: ToolView }) {
  const [whole, setWhole] = useState<FileEdit[] | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const incomplete = part.bytes <= wholeLimit && tool.edits.some((edit) => edit.patch === null && edit.added + edit.removed > 0);

  useEffect(() => {
    const session = splitInnerId(part.id)?.session;
    if (!incomplete || !session) return undefined;
    const abort = new AbortController();
    call('session.parts', { session, from: part.index, count: 1, whole: true }, { signal: abort.signal })
      .then((answer) => {
        const found = answer?.parts[0];
        if (found?.id === part.id && found.tool) setWhole(found.tool.edits);
      })
      .catch((error: unknown) => {
        if (!abort.signal.aborted && !isAbandoned(error)) setProblem(reasonOf(error));
      });
    return () => abort.abort();
  }, [incomplete, part.id, part.index]);

  return (
    <>
      {(whole ?? tool.edits).map((edit, at) => (
        <DiffView key={at} edit={edit} {...(at === 0 && { onAll: () => openTurn(part) })} />
      ))}
      {problem !== null && <p className="soft">The whole patch could not be read: {problem}</p>}
    </>
  );
}
