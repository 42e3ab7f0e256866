import { X } from 'lucide-react';
import { Dialog } from 'radix-ui';
import { useEffect, useState } from 'react';
import type { ForgetPlan, ForgetTarget, KeptSession } from '@shared/model';
import { show, useRoute } from '../../app/route';
import { call, isAbandoned, reasonOf } from '../../rpc';
import { visibleControls } from '../../ui/controls';
import { countOf, formatBytes, formatCount } from '../../ui/format';
import { say } from '../../ui/toast';
import { closeForget, lookAgain, useKeeping } from './keeping';

/** Typed to let go of what only the library has. */
const word = 'forget';
const listed = 12;

/** What forgetting would take out, who stands against it, and the button that does it. */
export function ForgetSheet() {
  const forgetting = useKeeping((state) => state.forgetting);
  return (
    <Dialog.Root open={forgetting !== null} onOpenChange={(open) => !open && closeForget()}>
      <Dialog.Portal>
        <Dialog.Overlay className="dialog-shade" />
        <Dialog.Content className="dialog forget-sheet" aria-describedby={undefined}>
          <header>
            <Dialog.Title>Forget {visibleControls(forgetting?.name ?? '')}</Dialog.Title>
            <Dialog.Close className="bare-icon" aria-label="Close">
              <X size={14} aria-hidden />
            </Dialog.Close>
          </header>
          {forgetting && <Plan key={JSON.stringify(forgetting.target)} target={forgetting.target} />}
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Plan({ target }: { target: ForgetTarget }) {
  const [found, setFound] = useState<ForgetPlan | string | null>(null);
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    const abort = new AbortController();
    call('library.planForget', { target }, { signal: abort.signal })
      .then((plan) => !abort.signal.aborted && setFound(plan))
      .catch((error: unknown) => !abort.signal.aborted && !isAbandoned(error) && setFound(reasonOf(error)));
    return () => abort.abort();
  }, [target]);
  if (found === null) return <p className="soft forget-body" role="status">Looking at what would go.</p>;
  if (typeof found === 'string') return <p className="forget-body" role="alert">{visibleControls(found)}</p>;
  const forget = async () => {
    setBusy(true);
    try {
      const { applied, plan } = await call('library.forget', { target, token: found.token });
      if (!applied) return setFound(plan);
      leaveWhatIsGone(target);
      closeForget();
      say(`Forgotten: ${countOf(plan.sessions, 'session')}. Compacting the library takes them out of its file.`);
      await lookAgain();
    } catch (error) {
      if (!isAbandoned(error)) setFound(reasonOf(error));
    } finally {
      setBusy(false);
    }
  };
  return found.refusals.length > 0 ? <Refused plan={found} /> : <Ready plan={found} busy={busy} forget={() => void forget()} />;
}

/** A session that was open and is forgotten cannot be shown any more. */
function leaveWhatIsGone(target: ForgetTarget): void {
  const { view } = useRoute.getState();
  if (target.kind === 'sessions' && 'session' in view && target.sessions.includes(view.session)) show({ kind: 'home' });
}

function Refused({ plan }: { plan: ForgetPlan }) {
  return (
    <div className="forget-body">
      {plan.refusals.map(({ reason, text, sessions, total }) => (
        <section key={reason} role="note">
          <p className="settings-problem">{text}</p>
          {sessions.length > 0 && <Sessions sessions={sessions} total={total} />}
        </section>
      ))}
    </div>
  );
}

function Ready({ plan, busy, forget }: { plan: ForgetPlan; busy: boolean; forget(): void }) {
  const [typed, setTyped] = useState('');
  const [sure, setSure] = useState(false);
  const { sessions, onlyCopies, along, named, streams, overlays, frees, descendants, descendantsTotal } = plan;
  const needsWord = onlyCopies > 0;
  const act = `Forget ${countOf(sessions, 'session')}`;
  return (
    <form
      className="forget-body"
      onSubmit={(event) => {
        event.preventDefault();
        if (needsWord ? typed.trim().toLowerCase() === word : sure) forget();
        else setSure(true);
      }}
    >
      <p>
        {countOf(sessions, 'session')}
        {along > 0 && ` (${countOf(along, 'subagent')} among them)`} and {countOf(streams, 'raw stream')}
        {overlays > 0 && `, ${countOf(overlays, 'file')} of a plugin`} go out of the library. Nothing of a store is touched.
      </p>
      <Sessions sessions={named} total={sessions} />
      <p className="soft">
        Frees {formatBytes(frees.log)} of the log, and about {formatBytes(frees.words)} of words and {formatBytes(frees.rows)} of rows, once the library is compacted.
      </p>
      {descendantsTotal > 0 && (
        <>
          <p>{countOf(descendantsTotal, 'session descends', 'sessions descend')} from what goes, and keeps all it has:</p>
          <Sessions sessions={descendants} total={descendantsTotal} />
        </>
      )}
      {needsWord && (
        <label className="forget-word">
          <span>
            Only the library has {onlyCopies === sessions ? (sessions === 1 ? 'this session' : 'these sessions') : `${formatCount(onlyCopies)} of them`}: nothing will be left. Type <kbd>{word}</kbd> to go on.
          </span>
          <input value={typed} autoComplete="off" spellCheck={false} onChange={(event) => setTyped(event.target.value)} />
        </label>
      )}
      <footer>
        <button type="button" className="button" onClick={closeForget}>
          Keep
        </button>
        <button type="submit" className="button danger" disabled={busy || (needsWord && typed.trim().toLowerCase() !== word)}>
          {busy ? 'Forgetting' : !needsWord && !sure ? `${act}…` : !needsWord ? `Yes, ${act.toLowerCase()}` : act}
        </button>
      </footer>
    </form>
  );
}

function Sessions({ sessions, total }: { sessions: KeptSession[]; total: number }) {
  return (
    <ul className="settings-list settings-sessions">
      {sessions.slice(0, listed).map(({ id, title, project, gone }) => (
        <li key={id}>
          <span className="one-line" title={id}>
            {visibleControls(title ?? 'no title')}
          </span>
          <span className="soft one-line">{visibleControls(project)}</span>
          <span className="soft">{gone ? 'source is gone' : ''}</span>
        </li>
      ))}
      {total > listed && <li className="soft">and {formatCount(total - Math.min(listed, sessions.length))} more</li>}
    </ul>
  );
}
