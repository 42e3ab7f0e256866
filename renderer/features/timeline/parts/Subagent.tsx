import { ChevronDown, ChevronRight } from 'lucide-react';
import { memo, type ComponentType } from 'react';
import type { PartView, Role, SessionId } from '@shared/model';
import { show } from '../../../app/route';
import { countOf, formatCount } from '../../../ui/format';
import { StateMark } from '../../../ui/marks';
import { useSummary } from '../../library/titles';
import { closeInline, inlineCount, openInline, useInline } from '../inline';
import { useSession } from '../state';

/** Draws a part; handed in, since parts hold steps and steps hold parts of subagents. */
export type DrawPart = ComponentType<{ part: PartView; open: boolean }>;

const names: Record<Role, string> = { user: 'task', assistant: 'subagent', system: 'system' };

/** The session that a step started: opened here, or as a session of its own. */
export function Subagent({ child, Draw }: { child: SessionId; Draw: DrawPart }) {
  const window = useInline(({ windows }) => windows.get(child));
  const summary = useSummary(child);
  const total = summary?.counts?.parts ?? null;
  const open = window?.open === true;
  const Twisty = open ? ChevronDown : ChevronRight;
  return (
    <section className="subagent" aria-label="The subagent’s session">
      <div className="subagent-line">
        <button type="button" className="button" aria-expanded={open} onClick={() => (open ? closeInline(child) : void openInline(child, window?.from ?? 0))}>
          <Twisty size={13} aria-hidden />
          {open ? 'Fold its parts' : total === null ? 'Show its parts here' : `Show its ${countOf(total, 'part')} here`}
        </button>
        <button type="button" className="text-button" onClick={() => show({ kind: 'session', session: child, part: null })}>
          Open as its own session
        </button>
      </div>
      {open && window && (
        <div className="subagent-parts">
          {window.error !== null && <p className="soft">Its parts could not be read: {window.error}</p>}
          {window.parts === null && window.error === null && <p className="soft">Reading its parts</p>}
          {window.parts?.length === 0 && window.error === null && <p className="soft">It has no parts.</p>}
          {window.parts?.map((part) => <InlinePart key={part.id} part={part} Draw={Draw} />)}
          {total !== null && total > inlineCount && <Pages child={child} from={window.from} total={total} />}
        </div>
      )}
    </section>
  );
}

const InlinePart = memo(function InlinePart({ part, Draw }: { part: PartView; Draw: DrawPart }) {
  const open = useSession(({ folds }) => folds.get(part.id) ?? false);
  return (
    <div className="subagent-part" data-kind={part.kind} data-state={part.state}>
      <span className="subagent-who soft">{part.opensMessage && names[part.message.role]}</span>
      <div className="subagent-body">
        <Draw part={part} open={open} />
      </div>
      <StateMark state={part.state} seen={part.seen} reason={part.reason} worded={false} />
    </div>
  );
});

function Pages({ child, from, total }: { child: SessionId; from: number; total: number }) {
  const last = Math.min(total, from + inlineCount);
  return (
    <p className="subagent-pages soft number">
      parts {formatCount(from + 1)} to {formatCount(last)} of {formatCount(total)}
      {from > 0 && (
        <button type="button" className="text-button" onClick={() => void openInline(child, Math.max(0, from - inlineCount))}>
          earlier
        </button>
      )}
      {last < total && (
        <button type="button" className="text-button" onClick={() => void openInline(child, last)}>
          later
        </button>
      )}
    </p>
  );
}
