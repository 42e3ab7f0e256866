import { Check } from 'lucide-react';
import { assertNever, type JournalEntry, type PlanRefusal } from '@shared/model';
import { visibleControls } from '../../../ui/controls';
import { formatBytes } from '../../../ui/format';
import { ImportPreview } from './ImportPreview';
import { closeImport, lookAgain, startOver, takeWay, useImport } from './state';

/** What is so now: asked for, on its way, refused, seen, done. */
export function ImportBody() {
  const { step, byLink, text } = useImport();
  switch (step.kind) {
    case 'asking':
      return byLink ? <ByLink url={text} /> : <p className="soft import-note">Or drop a file anywhere on the window. It is looked at first: nothing is taken in before you say so.</p>;
    case 'sending':
      return <Busy words={`Sending ${step.name} to the machine that Retrace runs on`} figures={`${formatBytes(step.done)} of ${formatBytes(step.total)}`} share={step.total > 0 ? step.done / step.total : 1} />;
    case 'looking':
      return <Busy words={step.says} figures={step.bytes > 0 ? formatBytes(step.bytes) : null} share={null} />;
    case 'refused':
      return <Refused refusal={step.refusal} again={step.again} />;
    case 'previewed':
    case 'applying':
      return step.plan.preview && <ImportPreview preview={step.plan.preview} />;
    case 'done':
      return <Done entry={step.entry} />;
    case 'undo':
      return (
        <div className="import-note">
          <h3>Take the import back?</h3>
          <p>What was written for it goes, and its sessions leave the library. A state that it replaced comes back. Nothing of an agent’s store is touched.</p>
        </div>
      );
    case 'undone':
      return (
        <div className="import-note">
          <h3 role="status" className="import-done">
            <Check size={14} aria-hidden /> The import was taken back
          </h3>
          <button type="button" className="button" onClick={startOver}>
            Import another
          </button>
        </div>
      );
    default:
      return assertNever(step, 'step of an import');
  }
}

function ByLink({ url }: { url: string }) {
  return (
    <div className="import-note" role="note">
      <h3>A link asks to import this</h3>
      <p>
        <code className="break">{visibleControls(url)}</code>
      </p>
      <p className="soft">Nothing was fetched yet. {hostOf(url)} would be told your address, and nothing else.</p>
    </div>
  );
}

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : 'Its server');

function Busy({ words, figures, share }: { words: string; figures: string | null; share: number | null }) {
  const percent = share === null ? undefined : Math.min(100, Math.round(share * 100));
  return (
    <div className="import-note">
      <p role="status">
        {visibleControls(words)}
        {figures !== null && <span className="soft number"> · {figures}</span>}
      </p>
      <progress className="import-bar" aria-label={words} max={100} {...(percent !== undefined && { value: percent })} />
    </div>
  );
}

function Refused({ refusal: { refused, instead }, again }: { refusal: PlanRefusal; again: boolean }) {
  return (
    <div className="import-note import-refused" role="alert">
      <p>{visibleControls(refused)}</p>
      <div className="import-acts">
        {instead.map(({ way, says }) => (
          <button key={way} type="button" className="button" onClick={() => takeWay(way)}>
            {visibleControls(says).replace(/\.$/, '')}
          </button>
        ))}
        {again && instead.length === 0 && (
          <button type="button" className="button" onClick={lookAgain}>
            Try again
          </button>
        )}
        {instead.some(({ way }) => way.startsWith('open:')) && (
          <button type="button" className="button" onClick={closeImport}>
            Close
          </button>
        )}
      </div>
    </div>
  );
}

function Done({ entry }: { entry: JournalEntry }) {
  return (
    <div className="import-note">
      <h3 role="status" className="import-done">
        <Check size={14} aria-hidden /> Done: {visibleControls(entry.title)}
      </h3>
      <p className="soft">It is in the library like any other session: read it, search it, compare it, or continue it in its agent.</p>
    </div>
  );
}
