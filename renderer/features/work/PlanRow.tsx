import { ChevronRight } from 'lucide-react';
import { useId } from 'react';
import type { WorkItem } from '@shared/model';
import { visibleControls } from '../../ui/controls';
import { formatCount } from '../../ui/format';
import { Ago } from '../../ui/marks';
import { PlanDetails } from './PlanDetails';
import { Progress } from './Progress';
import { SessionLink } from './SessionLink';
import { roleWords } from './work-words';
import { WorkStatusMark } from './WorkStatusMark';

/** Sessions named in a closed row. */
const shownSessions = 4;

/** A plan: how far it is, where it stands, who took part; opened, its boxes and notepads. */
export function PlanRow({ item, open, onToggle }: { item: WorkItem; open: boolean; onToggle(): void }) {
  const body = useId();
  const { name, project, folder, plan, status, sessions, sessionsTotal, copy, layout } = item;
  const shown = open ? sessions : sessions.slice(0, shownSessions);
  return (
    <li className="work-plan" data-copy={copy} data-plan={item.id}>
      <button type="button" className="work-row" aria-expanded={open} aria-controls={body} onClick={onToggle}>
        <span className="tree-twisty" data-open={open || undefined} aria-hidden>
          <ChevronRight size={14} />
        </span>
        <span className="work-name one-line">
          <span className="work-title">{visibleControls(name)}</span>
          <span className="soft"> {visibleControls(project?.name ?? folder)}</span>
          {copy === 'frozen' && <span className="soft"> · frozen copy in {layout}</span>}
          {copy === 'live' && layout === '.sisyphus' && <span className="soft"> · {layout}</span>}
        </span>
        <WorkStatusMark status={status} />
        <Progress progress={plan.progress} />
        <span className="work-time">
          <Ago time={status.since ?? item.updated ?? plan.changed} />
        </span>
      </button>
      <div className="work-under">
        {plan.progress?.current != null && copy === 'live' && (
          <p className="one-line">
            <span className="soft">next:</span> {visibleControls(plan.progress.current)}
          </p>
        )}
        {sessionsTotal > 0 && (
          <ul className="work-sessions" aria-label={`Sessions that took part in ${visibleControls(name)}`}>
            {shown.map(({ session, role, tasks }) => (
              <li key={session.nativeId}>
                <SessionLink session={session} />
                <span className="soft work-role">
                  {roleWords[role]}
                  {tasks.length > 0 && ` · task ${visibleControls(tasks.join(', '))}`}
                </span>
              </li>
            ))}
          </ul>
        )}
        {sessionsTotal > shown.length && <p className="soft">and {formatCount(sessionsTotal - shown.length)} more</p>}
      </div>
      <div id={body}>{open && <PlanDetails item={item} />}</div>
    </li>
  );
}
