import { ListFilter, X } from 'lucide-react';
import type { Facets } from '@shared/contract';
import type { Agent } from '@shared/model';
import { everything, type LibraryView } from '../../app/address';
import { useEngine } from '../../app/engine';
import { refine, useRoute } from '../../app/route';
import { visibleControls } from '../../ui/controls';
import { formatCount, shortenMiddle, tildePath } from '../../ui/format';
import { Menu } from '../../ui/Menu';
import { agentNames } from '../../ui/words';

const times = [
  { value: '', label: 'any time' },
  { value: '0d', label: 'today' },
  { value: '7d', label: 'the last 7 days' },
  { value: '30d', label: 'the last 30 days' },
  { value: '365d', label: 'the last year' },
];
const archives = [
  { value: 'hide', label: 'not archived' },
  { value: 'include', label: 'with archived' },
  { value: 'only', label: 'archived only' },
];
const groups = [
  { value: 'project', label: 'by project' },
  { value: 'day', label: 'by day' },
  { value: 'agent', label: 'by agent' },
];
const sorts = [
  { value: 'updated', label: 'last update first' },
  { value: 'created', label: 'newest first' },
];

const without = <T,>(list: T[], value: T): T[] => (list.includes(value) ? list.filter((each) => each !== value) : [...list, value]);
const labelOf = (choices: { value: string; label: string }[], value: string): string => choices.find((choice) => choice.value === value)?.label ?? value;

/** A project's name, with its folder where another one has the name too. */
function projectLabel(project: Facets['projects'][number] | undefined, home: string | null): string | null {
  if (!project) return null;
  return visibleControls(project.apart === null ? project.name : `${project.name} — ${shortenMiddle(tildePath(project.apart, home), 48)}`);
}

/** True when the view hides anything that `everything` shows. */
export function isFiltered(view: LibraryView): boolean {
  return view.agents.length > 0 || view.projects.length > 0 || view.since !== null || view.title.trim() !== '' || view.archived === 'only';
}

export function clearFilters(): void {
  const { group, sort } = useRoute.getState().library;
  refine({ ...everything, group, sort });
}

/** Words that say what is searched, for the empty state. */
export function filterSentence(view: LibraryView, projectName: (key: string) => string): string {
  const parts = [
    view.agents.length > 0 ? `sessions of ${view.agents.map((agent) => agentNames[agent]).join(' or ')}` : 'sessions of every agent',
    view.projects.length > 0 ? `in ${view.projects.map(projectName).join(' or ')}` : '',
    view.since === null ? '' : view.since.endsWith('d') ? `updated in ${labelOf(times, view.since).replace(/^today$/, 'the day of today')}` : `updated since ${view.since}`,
    view.archived === 'only' ? 'that are archived' : view.archived === 'hide' ? 'that are not archived' : '',
    view.title.trim() ? `with “${view.title.trim()}” in the title` : '',
  ];
  return parts.filter(Boolean).join(' ');
}

/** The filters as a sentence of chips: "every agent in every project, any time, not archived, by project". */
export function Filters() {
  const view = useRoute(({ library }) => library);
  const facets = useEngine((engine) => engine.facets);
  const home = useEngine((engine) => engine.info?.home ?? null);
  const projectName = (key: string) => projectLabel(facets?.projects.find((project) => project.key === key), home) ?? key;

  const agentChoices = (facets?.agents ?? []).map(({ agent, sessions }) => ({ value: agent as string, label: agentNames[agent], detail: formatCount(sessions) }));
  const projectChoices = (facets?.projects ?? []).map((project) => ({ value: project.key, label: projectLabel(project, home) ?? project.key, detail: formatCount(project.sessions) }));

  return (
    <div className="filters">
      <label className="filter-title">
        <ListFilter size={14} aria-hidden />
        <input
          id="title-filter"
          type="text"
          value={view.title}
          placeholder="Filter by title"
          aria-label="Filter sessions by title"
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => refine({ title: event.target.value })}
          onKeyDown={(event) => {
            if (event.key === 'Escape' && view.title) {
              event.stopPropagation();
              refine({ title: '' });
            }
            if (event.key === 'ArrowDown') {
              event.preventDefault();
              document.querySelector<HTMLElement>('[role="tree"] [tabindex="0"]')?.focus();
            }
          }}
        />
        {view.title && (
          <button type="button" className="bare-icon" aria-label="Clear the title filter" onClick={() => refine({ title: '' })}>
            <X size={13} aria-hidden />
          </button>
        )}
      </label>
      <div className="filter-sentence" role="group" aria-label="Filters">
        <Menu label="Agents" choices={agentChoices} chosen={view.agents} many active={view.agents.length > 0} onChoose={(agent) => refine({ agents: without(view.agents, agent as Agent) })}>
          {view.agents.length === 0 ? 'every agent' : view.agents.map((agent) => agentNames[agent]).join(', ')}
        </Menu>
        <Menu label="Projects" choices={projectChoices} chosen={view.projects} many active={view.projects.length > 0} onChoose={(key) => refine({ projects: without(view.projects, key) })}>
          {view.projects.length === 0 ? 'every project' : view.projects.map(projectName).join(', ')}
        </Menu>
        <Menu label="Time" choices={times} chosen={[view.since ?? '']} many={false} active={view.since !== null} onChoose={(since) => refine({ since: since || null })}>
          {view.since === null ? 'any time' : labelOf(times, view.since)}
        </Menu>
        <Menu label="Archived" choices={archives} chosen={[view.archived]} many={false} active={view.archived !== 'hide'} onChoose={(archived) => refine({ archived: archived as LibraryView['archived'] })}>
          {labelOf(archives, view.archived)}
        </Menu>
        <Menu label="Group" choices={groups} chosen={[view.group]} many={false} onChoose={(group) => refine({ group: group as LibraryView['group'] })}>
          {labelOf(groups, view.group)}
        </Menu>
        <Menu label="Order" choices={sorts} chosen={[view.sort]} many={false} onChoose={(sort) => refine({ sort: sort as LibraryView['sort'] })}>
          {view.sort === 'updated' ? 'by update' : 'by creation'}
        </Menu>
      </div>
    </div>
  );
}
