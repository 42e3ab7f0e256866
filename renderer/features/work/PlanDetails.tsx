import { Check, Circle } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { WorkBox, WorkItem, WorkNote, WorkPlan, WorkPlanFile, WorkTask } from '@shared/model';
import { useEngine } from '../../app/engine';
import { show } from '../../app/route';
import { call, isAbandoned, reasonOf } from '../../rpc';
import { visibleControls } from '../../ui/controls';
import { countOf, formatCount, formatDuration, formatMinute } from '../../ui/format';
import { SessionLink } from './SessionLink';

/** What an opened plan holds. */
export function PlanDetails({ item }: { item: WorkItem }) {
  const { opened, error } = usePlan(item.id);
  return (
    <div className="work-details">
      <p className="work-evidence">
        {item.status.certainty === 'inferred' && <span className="soft">inferred: </span>}
        {visibleControls(item.status.evidence)}
      </p>
      <dl className="work-facts">
        <Fact name="Plan">
          <PlanFileLine file={item.plan} />
        </Fact>
        {item.copies.map((copy) => (
          <Fact key={copy.path} name="Other copy">
            <PlanFileLine file={copy} />
          </Fact>
        ))}
        {item.worktree !== null && <Fact name="Worktree">{visibleControls(item.worktree)}</Fact>}
        {item.agent !== null && <Fact name="Agent">{visibleControls(item.agent)}</Fact>}
        {item.started !== null && <Fact name="Started">{formatMinute(item.started)}</Fact>}
        {item.ended !== null && <Fact name="Ended">{formatMinute(item.ended)}</Fact>}
        {opened && opened.planners.length > 0 && (
          <Fact name="Written by">
            {opened.planners.map(({ session, evidence }) => (
              <span key={session.nativeId} className="work-planner">
                <SessionLink session={session} /> <span className="soft">inferred: {evidence}</span>
              </span>
            ))}
          </Fact>
        )}
      </dl>
      <Tasks tasks={item.tasks} total={item.tasksTotal} />
      {error !== null && <p className="doctor-problem">The plan could not be opened: {error}</p>}
      {opened && <Boxes boxes={opened.boxes} total={opened.boxesTotal} />}
      {opened && <Notes notes={opened.notes} project={item.project?.key ?? null} />}
    </div>
  );
}

/** Asks when the row opens and when the library changed. */
function usePlan(id: string): { opened: WorkPlan | null; error: string | null } {
  const [state, setState] = useState<{ opened: WorkPlan | null; error: string | null }>({ opened: null, error: null });
  const revision = useEngine((engine) => engine.info?.revision ?? null);
  useEffect(() => {
    const abort = new AbortController();
    call('work.plan', { item: id }, { signal: abort.signal })
      .then((opened) => !abort.signal.aborted && setState({ opened, error: opened ? null : 'It is not there any more.' }))
      .catch((error: unknown) => {
        if (!abort.signal.aborted && !isAbandoned(error)) setState({ opened: null, error: reasonOf(error) });
      });
    return () => abort.abort();
  }, [id, revision]);
  return state;
}

function Fact({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

const fileWords: Record<WorkPlanFile['state'], string | null> = {
  present: null, gone: 'deleted; as last read', missing: 'not there', 'not looked at': 'outside the project, not looked at',
};

function PlanFileLine({ file: { path, where, state, progress, otherRules } }: { file: WorkPlanFile }) {
  const notes = [
    ...(where === 'worktree' ? ['in the worktree'] : []),
    ...(fileWords[state] === null ? [] : [fileWords[state]]),
    ...(progress ? [`${progress.done} of ${progress.total}${progress.rule === 'current' ? '' : ` by the rules of ${progress.rule}`}`] : []),
    ...otherRules.map(({ rule, done, total }) => `${done} of ${total} by ${rule === 'current' ? 'the current rules' : `those of ${rule}`}`),
  ];
  return (
    <>
      <code className="break">{visibleControls(path)}</code> <span className="soft">{notes.join('; ')}</span>
    </>
  );
}

function Tasks({ tasks, total }: { tasks: WorkTask[]; total: number }) {
  if (tasks.length === 0) return null;
  return (
    <>
      <h3>Tasks that were given away</h3>
      <ul className="work-tasks">
        {tasks.map(({ key, label, title, session, agent, category, status, elapsedMs }) => (
          <li key={key}>
            <span>
              {visibleControls(label ?? key)}. {visibleControls(title ?? '')}
            </span>
            {session && <SessionLink session={session} />}
            <span className="soft">
              {[agent === session?.agentName ? null : agent, category, status ?? 'no status recorded', elapsedMs === null ? null : formatDuration(elapsedMs)].filter((fact) => fact !== null).map(visibleControls).join(' · ')}
            </span>
          </li>
        ))}
      </ul>
      {total > tasks.length && <p className="soft">and {formatCount(total - tasks.length)} more</p>}
    </>
  );
}

function Boxes({ boxes, total }: { boxes: WorkBox[]; total: number }) {
  if (boxes.length === 0) return <p className="soft">The plan has no boxes.</p>;
  const outside = boxes.filter(({ counts }) => !counts).length;
  return (
    <>
      <h3>Checklist{outside > 0 && <span className="soft"> · {countOf(outside, 'box', 'boxes')} not counted</span>}</h3>
      <ul className="work-boxes">
        {boxes.map((box, at) => (
          <li key={box.line} data-done={box.done || undefined} data-counts={box.counts || undefined}>
            {box.heading !== null && box.heading !== boxes[at - 1]?.heading && <span className="work-heading">{visibleControls(box.heading)}</span>}
            <span className="work-box" style={{ paddingInlineStart: `${Math.min(8, box.indent) * 8}px` }}>
              {box.done ? <Check size={13} aria-hidden /> : <Circle size={13} aria-hidden />}
              <span className="unseen">{box.done ? 'done' : 'open'}:</span>
              <span>{visibleControls(box.text)}</span>
              {!box.counts && <span className="soft">not counted</span>}
            </span>
          </li>
        ))}
      </ul>
      {total > boxes.length && <p className="soft">and {formatCount(total - boxes.length)} more</p>}
    </>
  );
}

function Notes({ notes, project }: { notes: WorkNote[]; project: string | null }) {
  if (notes.length === 0) return null;
  return (
    <>
      <h3>Notepads</h3>
      {notes.map(({ kind, name, text, total, state }) => (
        <details key={`${kind} ${name}`} className="work-note">
          <summary>
            {kind === 'draft' ? `draft: ${visibleControls(name)}` : visibleControls(name)}
            <span className="soft"> {[isScaffold(text) ? 'nothing written yet' : countOf(total, 'character'), ...(state === 'gone' ? ['deleted; as last read'] : [])].join(' · ')}</span>
          </summary>
          <pre>{visibleControls(text)}</pre>
          {total > text.length && <p className="soft">{formatCount(total - text.length)} more characters are in the file.</p>}
        </details>
      ))}
      {project !== null && (
        <button type="button" className="text-button" onClick={() => show({ kind: 'memory', project })}>
          Who wrote these notes
        </button>
      )}
    </>
  );
}

/** What `/start-work` puts there ends with a line of dashes; notes stand behind it. */
const isScaffold = (text: string): boolean => text.includes('_Auto-scaffolded by /start-work.') && /\n---\s*$/.test(text);
