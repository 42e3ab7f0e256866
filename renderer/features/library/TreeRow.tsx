import { Archive, ChevronRight, TriangleAlert, Undo2, Unplug, type LucideIcon } from 'lucide-react';
import { memo, type MouseEvent } from 'react';
import type { LibraryRow } from '@shared/contract';
import { agents, type SessionSummary } from '@shared/model';
import { useEngine } from '../../app/engine';
import { countOf, formatCount, formatExact, shortenMiddle, tildePath } from '../../ui/format';
import { Ago, AgentMark } from '../../ui/marks';
import { visibleControls } from '../../ui/controls';
import { EdgeSign, HalfCircle } from '../../ui/signs';
import { agentNames, edgeOf } from '../../ui/words';
import { GroupMenu } from './GroupMenu';

interface TreeRowProps {
  index: number;
  top: number;
  row: LibraryRow | undefined;
  place: { position: number; size: number } | null;
  selected: boolean;
  focusable: boolean;
  onActivate(index: number, how: 'toggle' | 'open'): void;
}

/** Deeper rows are all drawn at this depth: a chain of a thousand helpers must not leave the pane. */
const deepest = 8;
const indent = 14;

export const titleOf = (summary: { title: string | null }): string => (summary.title ? visibleControls(summary.title) : 'Untitled session');

/** One row: a group, or a session with its marks and time. */
export const TreeRow = memo(function TreeRow({ index, top, row, place, selected, focusable, onActivate }: TreeRowProps) {
  const style = { position: 'absolute', insetInline: 0, top, height: 'var(--row)' } as const;
  if (!row) return <div className="tree-row" style={style} data-index={index} aria-hidden />;
  const opens = row.type === 'group' || row.children > 0;
  const depth = row.type === 'group' ? 0 : row.depth + 1;
  const how = row.type === 'group' ? 'toggle' : 'open';
  const toggle = (event: MouseEvent) => {
    event.stopPropagation();
    onActivate(index, 'toggle');
  };
  return (
    <div
      className="tree-row"
      role="treeitem"
      data-index={index}
      data-type={row.type}
      style={style}
      aria-level={depth + 1}
      aria-expanded={opens ? row.open : undefined}
      aria-selected={selected}
      aria-posinset={place?.position}
      aria-setsize={place?.size}
      tabIndex={focusable ? 0 : -1}
      onClick={() => onActivate(index, how)}
    >
      <span className="tree-indent" style={{ width: Math.min(depth, deepest) * indent }} aria-hidden />
      <span className="tree-twisty" data-open={row.open || undefined} aria-hidden onClick={opens ? toggle : undefined}>
        {opens && <ChevronRight size={14} />}
      </span>
      {row.type === 'group' ? <GroupRow row={row} /> : <SessionRow summary={row.summary} role={row.role} />}
    </div>
  );
});

const dayName = new Intl.DateTimeFormat('en', { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' });

/** The engine names a group of an agent or a day by its plain key; a project by its name. */
function groupName({ id, name }: { id: string; name: string }): string {
  const agent = agents.find((each) => id === `agent:${each}`);
  if (agent) return agentNames[agent];
  const day = id.startsWith('day:') ? Date.parse(`${name}T00:00:00Z`) : Number.NaN;
  return Number.isNaN(day) ? visibleControls(name) : dayName.format(day);
}

const projectPrefix = 'project:';

function GroupRow({ row }: { row: LibraryRow & { type: 'group' } }) {
  return (
    <>
      <span className="one-line tree-title" title={row.detail ?? row.name}>
        {groupName(row)}
        {row.apart !== null && <Apart folder={row.apart} />}
      </span>
      {row.id.startsWith(projectPrefix) && <GroupMenu project={row.id.slice(projectPrefix.length)} name={groupName(row)} />}
      <span className="tree-end soft number">
        <span aria-hidden>{formatCount(row.sessions)}</span>
        <span className="unseen">{countOf(row.sessions, 'session')}</span>
      </span>
    </>
  );
}

/** Sessions of one title are told apart by their times. */
const hoverOf = (summary: SessionSummary): string => `${titleOf(summary)}\nCreated ${formatExact(summary.created)}\nUpdated ${formatExact(summary.updated)}`;

/** What tells a project from others of its name: the folder, its beginning left out where it is long. */
function Apart({ folder }: { folder: string }) {
  const home = useEngine((engine) => engine.info?.home ?? null);
  return <span className="tree-apart soft"> — {visibleControls(shortenMiddle(tildePath(folder, home), 48))}</span>;
}

function SessionRow({ summary, role }: { summary: SessionSummary; role: string | null }) {
  const { parent } = summary;
  return (
    <>
      {parent && (
        <span
          className="tree-edge"
          data-certainty={parent.certainty}
          data-hint={`${edgeOf[parent.kind]} its parent, ${parent.certainty}: ${parent.evidence}`}
        >
          <EdgeSign kind={parent.kind} />
          <span className="unseen">{parent.certainty === 'inferred' ? `${parent.kind}, inferred` : parent.kind}</span>
        </span>
      )}
      <AgentMark agent={summary.agent} writtenBy={summary.writtenBy} />
      <span className="one-line tree-title" data-faint={summary.archived !== null || undefined} title={hoverOf(summary)}>
        {titleOf(summary)}
      </span>
      {role !== null && (
        <span className="tree-role one-line soft" data-hint={`${visibleControls(role)} works in it`}>
          {visibleControls(role)}
        </span>
      )}
      <span className="tree-end">
        <SessionHints summary={summary} />
        <Ago time={summary.updated ?? summary.created} />
      </span>
    </>
  );
}

/** What is worth knowing before opening: each a sign with its word. */
function SessionHints({ summary }: { summary: SessionSummary }) {
  return (
    <>
      {summary.damage > 0 && <RowHint Sign={TriangleAlert} tone="attention" text={`${countOf(summary.damage, 'place')} of it could not be read`} />}
      {summary.source === 'gone' && <RowHint Sign={Unplug} tone="attention" text="The agent has deleted this session; the library keeps it" />}
      {summary.reverted && <RowHint Sign={Undo2} tone="soft" text="Part of it was taken back" />}
      {summary.compactions > 0 && <RowHint Sign={HalfCircle} tone="soft" text={countOf(summary.compactions, 'compaction')} />}
      {summary.archived !== null && <RowHint Sign={Archive} tone="soft" text="Archived" />}
    </>
  );
}

function RowHint({ Sign, text, tone }: { Sign: LucideIcon | typeof HalfCircle; text: string; tone: 'soft' | 'attention' }) {
  return (
    <span className="tree-hint" data-tone={tone} data-hint={text}>
      <Sign size={12} aria-hidden />
      <span className="unseen">{text}.</span>
    </span>
  );
}
