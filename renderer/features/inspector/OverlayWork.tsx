import { useEffect, useState } from 'react';
import type { SessionId, SessionWork, WorkMarker } from '@shared/model';
import { useEngine } from '../../app/engine';
import { show } from '../../app/route';
import { call, isAbandoned } from '../../rpc';
import { visibleControls } from '../../ui/controls';
import { Ago } from '../../ui/marks';
import { Goal, ListTask, Loop, Team } from '../work/Continuations';
import { Progress } from '../work/Progress';
import { WorkStatusMark } from '../work/WorkStatusMark';
import { roleWords } from '../work/work-words';
import { Section } from './Section';

/** What Oh-My-OpenCode keeps about the open session; nothing where it keeps nothing. */
export function OverlayWork({ session }: { session: SessionId }) {
  const work = useSessionWork(session);
  if (!work) return null;
  const { plans, marker, goal, loops, teams, tasks } = work;
  return (
    <>
      {plans.length > 0 && <Section title="Plans">{<ul className="notice-list">{plans.map((plan) => <PlanLine key={plan.item} plan={plan} />)}</ul>}</Section>}
      {marker && <Marker marker={marker} />}
      {goal && <Section title="Goal">{<ul className="notice-list"><Goal goal={goal} /></ul>}</Section>}
      {loops.length > 0 && <Section title="Loop">{<ul className="notice-list">{loops.map((loop) => <Loop key={`${loop.folder} ${loop.layout}`} loop={loop} />)}</ul>}</Section>}
      {teams.length > 0 && <Section title="Team">{<ul className="notice-list">{teams.map((team) => <Team key={team.id} team={team} />)}</ul>}</Section>}
      {tasks.length > 0 && <Section title="Task list">{<ul className="notice-list">{tasks.map((task) => <ListTask key={task.id} task={task} />)}</ul>}</Section>}
    </>
  );
}

function useSessionWork(session: SessionId): SessionWork | null {
  const [work, setWork] = useState<{ session: SessionId; work: SessionWork | null } | null>(null);
  const revision = useEngine((engine) => engine.info?.revision ?? null);
  useEffect(() => {
    const abort = new AbortController();
    call('work.of', { session }, { signal: abort.signal })
      .then((answer) => !abort.signal.aborted && setWork({ session, work: answer }))
      .catch((error: unknown) => {
        if (!abort.signal.aborted && !isAbandoned(error)) console.error('The overlays of the session were not told.', error);
      });
    return () => abort.abort();
  }, [session, revision]);
  return work?.session === session ? work.work : null;
}

function PlanLine({ plan }: { plan: SessionWork['plans'][number] }) {
  const { item, name, copy, role, certainty, tasks, status, progress } = plan;
  return (
    <li className="work-entry">
      <span className="edge-title">
        <button type="button" className="text-button one-line" title={`Open the plan ${visibleControls(name)}`} onClick={() => show({ kind: 'work', project: null, plan: item })}>
          {visibleControls(name)}
        </button>
        <WorkStatusMark status={status} />
        <Progress progress={progress} />
      </span>
      <span className="soft">
        {roleWords[role]}
        {certainty === 'inferred' && ', inferred'}
        {copy === 'frozen' && ' · frozen copy'}
      </span>
      {tasks.map((task) => (
        <span key={task.key}>
          {visibleControls(task.label ?? task.key)}. {visibleControls(task.title ?? '')} <span className="soft">{visibleControls(task.status ?? 'no status recorded')}</span>
        </span>
      ))}
    </li>
  );
}

function Marker({ marker: { active, sources, updated, state, judgement } }: { marker: WorkMarker }) {
  return (
    <Section title="Continuation marker">
      <ul className="notice-list">
        <li className="work-entry">
          <span className="edge-title">
            <span className="work-now" data-now={active ? 'active' : 'idle'} data-stale={judgement !== null || undefined}>
              {active ? 'active' : 'not active'}
            </span>
            {state === 'gone' && <span className="soft">deleted; as last read</span>}
            <Ago time={updated} />
          </span>
          {sources.map(({ name, state: sourceState, reason }) => (
            <span key={name}>
              {visibleControls(name)}: {visibleControls(sourceState)} {reason !== null && <span className="soft">{visibleControls(reason)}</span>}
            </span>
          ))}
          {judgement !== null && <span className="soft">inferred: {judgement}</span>}
        </li>
      </ul>
    </Section>
  );
}
