import { X } from 'lucide-react';
import { Dialog } from 'radix-ui';
import type { ExportLook, ExportProgress } from '@shared/model';
import { visibleControls } from '../../ui/controls';
import { countOf, formatBytes } from '../../ui/format';
import { shell } from '../../shell';
import { ExportChoices } from './ExportChoices';
import { Findings } from './Findings';
import { cancelWriting, closeExport, look, useExport, write } from './state';
import { maskedWords } from './words';

/** Hands a session on: what leaves at the left, what was found in it and how the file begins at the right. */
export function ExportSheet() {
  const { session, title } = useExport();
  return (
    <Dialog.Root open={session !== null} onOpenChange={(open) => !open && closeExport()}>
      <Dialog.Portal>
        <Dialog.Overlay className="dialog-shade" />
        <Dialog.Content className="sheet export-sheet" aria-describedby={undefined}>
          <header>
            <Dialog.Title className="one-line">Export {title === '' ? 'the session' : `“${visibleControls(title)}”`}</Dialog.Title>
            <Dialog.Close className="bare-icon" aria-label="Close">
              <X size={14} aria-hidden />
            </Dialog.Close>
          </header>
          <div className="export-columns">
            <ExportChoices />
            <Right />
          </div>
          <Foot />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Right() {
  const step = useExport((state) => state.step);
  switch (step.kind) {
    case 'looking':
      return (
        <section className="export-right" aria-label="What leaves" aria-busy="true">
          <Busy words="Looking through what would leave" progress={step.progress} />
        </section>
      );
    case 'refused':
      return (
        <section className="export-right" aria-label="What leaves">
          <p className="export-refused" role="alert">{visibleControls(step.reason)}</p>
          <button type="button" className="button" onClick={() => void look()}>Try again</button>
        </section>
      );
    case 'looked':
    case 'writing':
      return <Looked look={step.look} />;
    case 'done': {
      const { done } = step;
      return (
        <section className="export-right" aria-label="What was written">
          <h3>Done</h3>
          <p>
            <code className="export-path">{visibleControls(done.download === null ? (done.path ?? done.fileName) : done.fileName)}</code>
          </p>
          <p>
            {formatBytes(done.bytes)}, {countOf(done.messages, 'message')}
            {done.sessions > 1 && ` of ${countOf(done.sessions, 'session')}`}. {maskedWords(done.redaction)}
          </p>
          {done.download !== null && <p className="soft">The browser saves it where it saves downloads.</p>}
        </section>
      );
    }
  }
}

function Looked({ look: found }: { look: ExportLook }) {
  return (
    <section className="export-right" aria-label="What leaves">
      <Findings look={found} />
      <h3>
        The file begins so <span className="soft">{countOf(found.messages, 'message')}{found.sessions > 1 && ` of ${countOf(found.sessions, 'session')}`}</span>
      </h3>
      <pre className="export-head" tabIndex={0} aria-label="Beginning of the file">{visibleControls(found.head)}{found.whole ? '' : '\n…'}</pre>
    </section>
  );
}

function Busy({ words, progress }: { words: string; progress: ExportProgress | null }) {
  const share = progress && progress.total > 0 ? Math.min(100, Math.round((progress.done / progress.total) * 100)) : null;
  return (
    <p className="export-busy" role="status">
      <progress {...(share !== null && { value: share, max: 100 })} aria-label={words} />
      {words}
      {progress && progress.bytes > 0 ? `, ${formatBytes(progress.bytes)}` : ''}
    </p>
  );
}

/** Where to, and the one thing to do now. */
function Foot() {
  const { step, path, exists } = useExport();
  if (step.kind === 'writing') {
    return (
      <footer>
        <Busy words="Writing" progress={step.progress} />
        <button type="button" className="button" onClick={cancelWriting}>Cancel</button>
      </footer>
    );
  }
  if (step.kind === 'done') {
    const { path: written, download } = step.done;
    return (
      <footer>
        {download === null && written !== null && shell && (
          <button type="button" className="button" onClick={() => shell?.showFile(written)}>Show in folder</button>
        )}
        <button type="button" className="button export-go" onClick={closeExport}>Close</button>
      </footer>
    );
  }
  return (
    <footer>
      {shell && (
        <label className="export-target">
          <span>File</span>
          <input type="text" value={path ?? ''} spellCheck={false} autoComplete="off" disabled={step.kind !== 'looked'} onChange={(event) => useExport.setState({ path: event.target.value, exists: null })} />
        </label>
      )}
      {exists !== null && <span className="export-exists" role="alert">There is a file of that name.</span>}
      {exists === null ? (
        <button type="button" className="button export-go" disabled={step.kind !== 'looked'} onClick={() => void write()}>{shell ? 'Export' : 'Download'}</button>
      ) : (
        <button type="button" className="button export-go" onClick={() => void write(true)}>Replace it</button>
      )}
    </footer>
  );
}
