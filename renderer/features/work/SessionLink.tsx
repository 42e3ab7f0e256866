import { Circle, CircleDashed, CircleX, Unplug, type LucideIcon } from 'lucide-react';
import type { WorkSessionRef, WorkState } from '@shared/model';
import { show } from '../../app/route';
import { visibleControls } from '../../ui/controls';
import { stateSentences } from './work-words';

const signs: Record<WorkState, LucideIcon> = { living: Circle, dead: CircleX, gone: Unplug, missing: CircleDashed };

/** A session that took part: a sign for what became of it, its title as a link, and who works in it. */
export function SessionLink({ session }: { session: WorkSessionRef }) {
  const { id, nativeId, title, agentName, state } = session;
  const Sign = signs[state];
  const name = title === null ? nativeId : visibleControls(title);
  return (
    <span className="work-session" data-state={state}>
      <span className="work-sign" data-hint={`${state}: ${stateSentences[state]}`}>
        <Sign size={11} fill={state === 'living' ? 'currentColor' : 'none'} aria-hidden />
        <span className="unseen">{state}:</span>
      </span>
      {id === null ? (
        <code className="one-line">{visibleControls(name)}</code>
      ) : (
        <button type="button" className="text-button one-line" title={name} onClick={() => show({ kind: 'session', session: id, part: null })}>
          {name}
        </button>
      )}
      {agentName !== null && <span className="soft one-line work-agent">{visibleControls(agentName)}</span>}
    </span>
  );
}
