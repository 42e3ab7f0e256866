import type { ReactNode } from 'react';
import type { WorkGoal, WorkListTask, WorkLoop, WorkTeam } from '@shared/model';
import { visibleControls } from '../../ui/controls';
import { countOf } from '../../ui/format';
import { Ago } from '../../ui/marks';
import { SessionLink } from './SessionLink';

/** A goal: what a session was told to reach. */
export function Goal({ goal }: { goal: WorkGoal }) {
  return (
    <Entry words={goal.status} gone={goal.state === 'gone'} text={goal.objective} time={goal.updated}>
      <SessionLink session={goal.session} />
      {goal.mirror !== null && <span className="soft">The side bar’s copy says {visibleControls(goal.mirror)}.</span>}
      {goal.criteria.map(({ text, status }, at) => (
        <span key={at} className="soft">
          {visibleControls(status)}: {visibleControls(text)}
        </span>
      ))}
    </Entry>
  );
}

/** The loop of a project. */
export function Loop({ loop }: { loop: WorkLoop }) {
  const { active, iteration, most, promise, layout, copy } = loop;
  const facts = [`iteration ${iteration ?? '?'} of ${most ?? '?'}`, ...(promise === null ? [] : [`until ${promise}`]), ...(loop.ultrawork ? ['ultrawork'] : []), ...(copy === 'frozen' ? [`frozen copy in ${layout}`] : [])];
  return (
    <Entry words={active ? 'active' : 'ended'} stale={loop.judgement !== null} gone={loop.state === 'gone'} text={loop.prompt} time={loop.started}>
      {loop.session && <SessionLink session={loop.session} />}
      <span className="soft">{visibleControls(facts.join(' · '))}</span>
      {loop.judgement !== null && <span className="soft">inferred: {loop.judgement}</span>}
    </Entry>
  );
}

/** A run of a team, with its members. */
export function Team({ team }: { team: WorkTeam }) {
  return (
    <Entry words={team.status} stale={team.judgement !== null} gone={team.state === 'gone'} text={team.name ?? team.id} time={team.created}>
      <ul className="work-sessions">
        {team.members.map((member, at) => (
          <li key={at}>
            {member.session ? <SessionLink session={member.session} /> : <span>{visibleControls(member.name)}</span>}
            <span className="soft">
              {[member.name, member.status, member.category, member.model].filter((fact) => fact !== null && fact !== '').map((fact) => visibleControls(fact ?? '')).join(' · ')}
            </span>
          </li>
        ))}
      </ul>
      {team.tasks.length > 0 && <span className="soft">{countOf(team.tasks.length, 'task')}: {visibleControls(team.tasks.map(({ subject, id, status }) => `${subject || id} (${status})`).join(', '))}</span>}
      {team.judgement !== null && <span className="soft">inferred: {team.judgement}</span>}
    </Entry>
  );
}

/** A task of a list that outlives its session. */
export function ListTask({ task }: { task: WorkListTask }) {
  return (
    <Entry words={task.status} gone={task.state === 'gone'} text={task.subject || task.id} time={null}>
      {task.session && <SessionLink session={task.session} />}
      {task.description !== '' && <span className="soft">{visibleControls(task.description)}</span>}
      <span className="soft">
        list {visibleControls(task.list)}
        {task.blockedBy.length > 0 && ` · waits for ${visibleControls(task.blockedBy.join(', '))}`}
      </span>
    </Entry>
  );
}

function Entry({ words, stale = false, gone, text, time, children }: { words: string; stale?: boolean; gone: boolean; text: string; time: string | null; children: ReactNode }) {
  return (
    <li className="work-entry">
      <span className="edge-title">
        <span className="work-now" data-now={words} data-stale={stale || undefined}>
          {visibleControls(words)}
        </span>
        <span className="work-text">{visibleControls(text)}</span>
        {gone && <span className="soft">deleted; as last read</span>}
        <Ago time={time} />
      </span>
      {children}
    </li>
  );
}
