import { type KeyboardEvent, type ReactNode, useCallback, useEffect, useState } from 'react';
import type { Damage, WorkList } from '@shared/model';
import { useEngine } from '../../app/engine';
import { leaveAside, show } from '../../app/route';
import { call, isAbandoned, reasonOf } from '../../rpc';
import { Blank } from '../../ui/Blank';
import { Failed } from '../../ui/Failed';
import { visibleControls } from '../../ui/controls';
import { countOf, formatCount, shortenMiddle } from '../../ui/format';
import { Menu } from '../../ui/Menu';
import { Goal, ListTask, Loop, Team } from './Continuations';
import { PlanRow } from './PlanRow';
import { outcomeOf } from './work-words';

/** Plans asked for at a time. */
const page = 100;

/** The middle of the page while one looks at the work of all projects: plans, who took part, and what goes on by itself. */
export function WorkView({ project, plan }: { project: string | null; plan: string | null }) {
  const { list, error, again, more } = useWork(project);
  useOpenedPlan(plan, list, more);
  if (error !== null) {
    return (
      <Failed title="The plans could not be listed" again={again}>
        {error}
      </Failed>
    );
  }
  if (list === null) return <Blank title="Looking for plans" />;
  const { items, total, goals, loops, teams, tasks, damage, damageTotal } = list;
  const isEmpty = total + goals.length + loops.length + teams.length + tasks.length + damageTotal === 0;
  return (
    <section className="work" aria-label="Work">
      <header className="work-head">
        <div>
          <h1>Plans and works</h1>
          <p role="status" className="soft">{isEmpty ? 'Nothing was found.' : outcomeOf(list)}</p>
        </div>
        <span className="work-acts">
          {list.projects.length > 1 || project !== null ? <ProjectFilter list={list} project={project} /> : null}
          <button type="button" className="button" onClick={leaveAside}>
            Close
          </button>
        </span>
      </header>
      {isEmpty && <Nothing filtered={project !== null} />}
      {items.length > 0 && (
        <ul className="work-plans" aria-label="Plans" onKeyDown={moveAmongPlans}>
          {items.map((item) => (
            <PlanRow key={item.id} item={item} open={item.id === plan} onToggle={() => show({ kind: 'work', project, plan: item.id === plan ? null : item.id }, { replace: true })} />
          ))}
        </ul>
      )}
      {total > items.length && (
        <button type="button" className="button" onClick={more}>
          Show more of {formatCount(total)}
        </button>
      )}
      <Group title="Goals">{goals.map((goal) => <Goal key={`${goal.folder} ${goal.session.nativeId}`} goal={goal} />)}</Group>
      <Group title="Loops">{loops.map((loop) => <Loop key={`${loop.folder} ${loop.layout}`} loop={loop} />)}</Group>
      <Group title="Teams">{teams.map((team) => <Team key={team.id} team={team} />)}</Group>
      <Group title="Task lists">{tasks.map((task) => <ListTask key={`${task.list} ${task.id}`} task={task} />)}</Group>
      <Damaged damage={damage} total={damageTotal} />
    </section>
  );
}

function ProjectFilter({ list, project }: { list: WorkList; project: string | null }) {
  const choices = [{ value: '', label: 'every project' }, ...list.projects.map(({ key, name, items }) => ({ value: key, label: visibleControls(name), detail: formatCount(items) }))];
  const chosen = list.projects.find(({ key }) => key === project);
  return (
    <Menu label="Project" choices={choices} chosen={[project ?? '']} many={false} active={project !== null} onChoose={(key) => show({ kind: 'work', project: key || null, plan: null }, { replace: true })}>
      {project === null ? 'every project' : visibleControls(chosen?.name ?? project)}
    </Menu>
  );
}

function Nothing({ filtered }: { filtered: boolean }) {
  return (
    <div className="blank">
      <h2>{filtered ? 'This project has no plans' : 'No plans'}</h2>
      <p className="soft blank-words">
        Plans, goals and teams of Oh-My-OpenCode stand here: its <code>.omo</code> and <code>.sisyphus</code> folders are looked for in the folders that OpenCode’s sessions ran in, and in the home.
      </p>
    </div>
  );
}

function Group({ title, children }: { title: string; children: ReactNode[] }) {
  if (children.length === 0) return null;
  return (
    <section className="work-group" aria-label={title}>
      <h2>
        {title} <span className="soft number">{formatCount(children.length)}</span>
      </h2>
      <ul>{children}</ul>
    </section>
  );
}

function Damaged({ damage, total }: { damage: Damage[]; total: number }) {
  if (total === 0) return null;
  return (
    <section className="work-group" aria-label="Could not be read">
      <h2>{countOf(total, 'file')} could not be read as {total === 1 ? 'it stands' : 'they stand'}</h2>
      <ul>
        {damage.map(({ place, reason }, at) => (
          <li key={at} className="work-entry">
            <code className="break" title={visibleControls(place)}>
              {visibleControls(shortenMiddle(place, 96))}
            </code>
            <span>{visibleControls(reason)}</span>
          </li>
        ))}
      </ul>
      {total > damage.length && <p className="soft">and {formatCount(total - damage.length)} more</p>}
    </section>
  );
}

/** Arrow keys go from plan to plan: what is under an open one is reached with Tab. */
function moveAmongPlans(event: KeyboardEvent<HTMLElement>): void {
  const rows = [...event.currentTarget.querySelectorAll<HTMLElement>('.work-row')];
  const at = rows.findIndex((row) => row === document.activeElement);
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 }[event.key];
  if (at < 0 || to === undefined) return;
  event.preventDefault();
  rows[Math.max(0, Math.min(rows.length - 1, to))]?.focus();
}

/** Brings the plan that the address names into sight, with the pages before it. */
function useOpenedPlan(plan: string | null, list: WorkList | null, more: () => void): void {
  const isListed = list?.items.some(({ id }) => id === plan) === true;
  const isFurther = plan !== null && list !== null && !isListed && list.items.length < list.total;
  useEffect(() => {
    if (isFurther) more();
    else if (plan !== null && isListed) document.querySelector(`[data-plan="${CSS.escape(plan)}"]`)?.scrollIntoView({ block: 'nearest' });
  }, [plan, isListed, isFurther, list?.items.length, more]);
}

/** Asks when the view opens and whenever the library changed. */
function useWork(project: string | null) {
  const [state, setState] = useState<{ list: WorkList | null; error: string | null }>({ list: null, error: null });
  const [asked, setAsked] = useState(0);
  const [pages, setPages] = useState(1);
  const revision = useEngine((engine) => engine.info?.revision ?? null);
  useEffect(() => {
    const abort = new AbortController();
    plansOf(project, pages, abort.signal)
      .then((list) => !abort.signal.aborted && setState({ list, error: null }))
      .catch((error: unknown) => {
        if (!abort.signal.aborted && !isAbandoned(error)) setState({ list: null, error: reasonOf(error) });
      });
    return () => abort.abort();
  }, [project, pages, revision, asked]);
  return { ...state, again: useCallback(() => setAsked((times) => times + 1), []), more: useCallback(() => setPages((count) => count + 1), []) };
}

async function plansOf(project: string | null, pages: number, signal: AbortSignal): Promise<WorkList> {
  const ask = (from: number) => call('work.list', { ...(project !== null && { project }), from, count: page }, { signal });
  const list = await ask(0);
  for (let at = 1; at < pages && list.items.length < list.total; at++) list.items.push(...(await ask(at * page)).items);
  return list;
}
