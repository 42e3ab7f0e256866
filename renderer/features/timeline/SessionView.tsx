import { TriangleAlert } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { Damage, Notice } from '@shared/model';
import { useEngine } from '../../app/engine';
import { show } from '../../app/route';
import { Blank } from '../../ui/Blank';
import { Failed } from '../../ui/Failed';
import { countOf, formatBytes, formatCount } from '../../ui/format';
import { visibleControls } from '../../ui/controls';
import { CompareSheet } from '../lens/CompareSheet';
import { LensBar } from '../lens/LensBar';
import { titleOf } from '../library/TreeRow';
import { PartMenu } from '../plans/PartMenu';
import { RevertSheet } from '../revert/RevertSheet';
import { FindBar } from './FindBar';
import { openSession } from './session';
import { useSession } from './state';
import { SessionHeader } from './SessionHeader';
import { Timeline } from './Timeline';

/** The middle of the page while a session is open. */
export function SessionView() {
  const { id, phase, error, detail, total, epoch } = useSession();
  const title = detail ? titleOf(detail.summary) : null;
  useEffect(() => {
    document.title = title === null ? 'Retrace' : `${title} · Retrace`;
    return () => {
      document.title = 'Retrace';
    };
  }, [title]);

  if (phase === 'failed') {
    return (
      <Failed title="The session could not be opened" again={() => id && void openSession(id, null)}>
        {error}
      </Failed>
    );
  }
  if (phase === 'unknown') {
    return (
      <Blank
        title="This session is not in the library"
        action={
          <button type="button" className="button" onClick={() => show({ kind: 'home' })}>
            Back to the library
          </button>
        }
      >
        No store that was read has <code>{id}</code>. It may belong to another home, or not be read yet.
      </Blank>
    );
  }
  return (
    <section className="session" aria-label="Session">
      {detail ? <SessionHeader detail={detail} /> : <div className="session-header session-header-ghost" aria-hidden />}
      {detail && <Warnings damage={detail.damage} notices={detail.notices} />}
      {detail && <LensBar detail={detail} />}
      <FindBar />
      {phase === 'ready' && total === 0 ? <NoParts read={detail?.summary.counts !== null} /> : <PartMenu><Timeline key={epoch} /></PartMenu>}
      <CompareSheet />
      <RevertSheet />
    </section>
  );
}

function NoParts({ read }: { read: boolean }) {
  const running = useEngine((engine) => engine.progress?.running === true);
  if (!read && running) return <Blank within title="This session has not been read yet">It is shown as soon as the index reaches it.</Blank>;
  return <Blank within title="This session is empty">The agent keeps a record of it, but no message.</Blank>;
}

const placeOf = (damage: Damage): string =>
  [damage.place, damage.line === null ? '' : `line ${formatCount(damage.line)}`, damage.bytes === null ? '' : formatBytes(damage.bytes)].filter(Boolean).join(', ');

/** What could not be read and what is odd, at the top; all of it stands in the inspector. */
function Warnings({ damage, notices }: { damage: Damage[]; notices: Notice[] }) {
  const [open, setOpen] = useState(false);
  // What a store merely keeps or counts is a fact, and stands in the inspector.
  const gaps = notices.filter((notice) => notice.kind === 'gap' || notice.kind === 'interrupted' || notice.kind === 'revert');
  if (damage.length === 0 && gaps.length === 0) return null;
  const lines = [...damage.map((each) => `${placeOf(each)}: ${each.reason}`), ...gaps.map((gap) => gap.text)];
  return (
    <div className="warnings" data-tone={damage.length > 0 ? 'danger' : 'attention'} role="note">
      <p>
        <TriangleAlert className="sign" size={13} aria-hidden /> {damage.length > 0 ? `${countOf(damage.length, 'place')} of this session could not be read; the rest is shown. ` : ''}
        {lines.length === 1 || damage.length === 0 ? visibleControls(lines[0] ?? '') : ''}{' '}
        {lines.length > 1 && (
          <button type="button" className="text-button" aria-expanded={open} onClick={() => setOpen(!open)}>
            {open ? 'Show less' : `Show all ${formatCount(lines.length)}`}
          </button>
        )}
      </p>
      {open && (
        <ul>
          {lines.slice(0, 200).map((line, at) => (
            <li key={at}>{visibleControls(line)}</li>
          ))}
          {lines.length > 200 && <li>and {formatCount(lines.length - 200)} more</li>}
        </ul>
      )}
    </div>
  );
}
