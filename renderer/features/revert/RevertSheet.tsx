import { X } from 'lucide-react';
import { Dialog } from 'radix-ui';
import { useEffect, useState } from 'react';
import type { MessageId, PartId, RevertPreview, SessionId } from '@shared/model';
import { call, isAbandoned, reasonOf } from '../../rpc';
import { visibleControls } from '../../ui/controls';
import { countOf } from '../../ui/format';
import { openPlan } from '../plans/state';
import { RevertFiles } from './RevertFiles';
import { RevertWays } from './RevertWays';
import { closeRevert, useRevert } from './state';

/** Files that are asked for; a session that changed more has the rest on the command line. */
const filesAsked = 500;

/** What going back to before a message would do: files and their difference at the left, ways back at the right. */
export function RevertSheet() {
  const asked = useRevert((state) => state.asked);
  return (
    <Dialog.Root open={asked !== null} onOpenChange={(open) => !open && closeRevert()}>
      <Dialog.Portal>
        <Dialog.Overlay className="dialog-shade" />
        <Dialog.Content className="sheet revert-sheet" aria-describedby={undefined}>
          <header>
            <Dialog.Title>Going back: a preview</Dialog.Title>
            <p className="soft one-line">Nothing is written by looking. A plan shows what would be, and waits for you.</p>
            {asked && (
              <button type="button" className="button primary" onClick={() => planIt(asked)}>
                Make a plan…
              </button>
            )}
            <Dialog.Close className="bare-icon" aria-label="Close">
              <X size={14} aria-hidden />
            </Dialog.Close>
          </header>
          {asked && <Preview key={asked.before} session={asked.session} before={asked.before} />}
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** The preview gives the focus back first: the plan's sheet then takes it. */
function planIt({ session, before }: { session: SessionId; before: MessageId | PartId }): void {
  closeRevert();
  setTimeout(() => openPlan({ kind: 'revert', session, before }), 0);
}

function Preview({ session, before }: { session: string; before: string }) {
  const [found, setFound] = useState<RevertPreview | string | null>(null);
  useEffect(() => {
    const abort = new AbortController();
    call('revert.preview', { session, before, from: 0, count: filesAsked }, { signal: abort.signal })
      .then((answer) => !abort.signal.aborted && setFound(answer === null ? 'The library does not have this session any more.' : 'refused' in answer ? answer.refused : answer))
      .catch((error: unknown) => {
        if (!abort.signal.aborted && !isAbandoned(error)) setFound(reasonOf(error));
      });
    return () => abort.abort();
  }, [session, before]);
  if (found === null) return <p className="soft sheet-note" role="status">Looking at the files.</p>;
  if (typeof found === 'string') return <p className="sheet-note">{visibleControls(found)}</p>;
  return (
    <>
      <p className="revert-point">
        Before turn {found.point.turn}: <strong>{visibleControls(found.point.title)}</strong> {found.moved !== null && <span className="soft">{found.moved}</span>}
      </p>
      <div className="revert-columns">
        <section aria-label="Files">
          <Folder preview={found} />
          <RevertFiles preview={found} before={before} />
        </section>
        <RevertWays preview={found} />
      </div>
    </>
  );
}

function Folder({ preview: { folder, total, files } }: { preview: RevertPreview }) {
  return (
    <>
      {folder.state !== 'present' && total > 0 && (
        <p className="revert-warning" role="note">
          {folder.state === 'missing' ? 'The folder is not there' : 'The folder is not looked at'}: <code>{visibleControls(folder.looked ?? 'none recorded')}</code>. {visibleControls(folder.reason ?? '')}{' '}
          {folder.recorded !== null && 'Where it lies elsewhere now, start Retrace with --map FROM=TO.'}
        </p>
      )}
      {files.length < total && <p className="soft revert-more">The first {countOf(files.length, 'file')} of {total}; retrace diff --revert-to has all.</p>}
    </>
  );
}
