import type { Facets, LibraryGroup, LibraryRow, LibraryRows, LibrarySort, RevealAnswer, SessionFilter } from '@shared/contract';
import { type Agent, splitSessionId } from '@shared/model';
import type { Db } from '../library/database';
import { notExcluded } from '../library/keep/exclusions';
import { type Forest, forestOf } from '../lineage/forest';
import { agentRoles } from './agent-roles';
import { conditionOf, sortColumn } from './session-filter';
import { isoTime, summaryFrom, summaryOf, type SummaryRow, summarySelect, toldAgent } from './session-summary';

export interface LibraryView {
  filter: SessionFilter;
  sort: LibrarySort;
  group: LibraryGroup;
  toggled: string[];
}

interface Node {
  id: number;
  key: string;
  parent: string | null;
  group: string;
  groupName: string;
  groupDetail: string | null;
  groupApart: string | null;
}

type FlatRow =
  | { type: 'group'; id: string; name: string; detail: string | null; apart: string | null; open: boolean; sessions: number }
  | { type: 'session'; node: Node; depth: number; open: boolean; children: number; parentIndex: number };

interface Flattened {
  revision: number;
  sessions: number;
  rows: FlatRow[];
}

/** Depth to which rows are indented; deeper ones are shown at this depth. */
const deepest = 200;

/** The tree of the library as a flat list, made once for a view and a revision, handed out in windows. */
export class LibraryTree {
  #kept: { view: string; flat: Flattened } | null = null;

  constructor(readonly db: Db) {}

  rows(view: LibraryView, revision: number, from: number, count: number): LibraryRows {
    const flat = this.#flattened(view, revision);
    const window = flat.rows.slice(from, from + count);
    const shown = window.flatMap((row) => (row.type === 'session' ? [row.node.id] : []));
    const summaries = this.#summaries(shown);
    const roles = agentRoles(this.db, shown);
    const rows = window.map((row): LibraryRow => {
      if (row.type === 'group') return row;
      const summary = summaries.get(row.node.id);
      if (!summary) throw new Error(`session ${row.node.key} left the library while it was listed`);
      return { type: 'session', id: summary.id, depth: row.depth, open: row.open, children: row.children, summary, role: roles.get(row.node.id) ?? null, parentIndex: row.parentIndex };
    });
    return { revision, total: flat.rows.length, sessions: flat.sessions, from, rows };
  }

  /** Opens whatever hides a session, and says where it then stands. */
  reveal(view: LibraryView, revision: number, session: string): RevealAnswer {
    const parts = splitSessionId(session);
    if (!parts) return { index: null, toggled: view.toggled };
    const key = `${parts.store}/${parts.native}`;
    const { nodes, forest } = this.#nodes(view);
    const parents = new Map<string, Node>();
    for (const node of nodes) for (const child of forest.childrenOf(node)) parents.set(child.key, node);
    const node = nodes.find((candidate) => candidate.key === key);
    if (!node) return { index: null, toggled: view.toggled };
    const toggled = new Set(view.toggled);
    let top = node;
    for (let up = parents.get(node.key); up; up = parents.get(up.key)) {
      toggled.add(up.key);
      top = up;
    }
    toggled.delete(top.group);
    const opened = { ...view, toggled: [...toggled] };
    const index = this.#flattened(opened, revision).rows.findIndex((row) => row.type === 'session' && row.node.key === key);
    return { index: index < 0 ? null : index, toggled: opened.toggled };
  }

  #flattened(view: LibraryView, revision: number): Flattened {
    const name = JSON.stringify(view);
    if (this.#kept?.view === name && this.#kept.flat.revision === revision) return this.#kept.flat;
    const { nodes, forest } = this.#nodes(view);
    const flat = { revision, sessions: nodes.length, rows: flatten(forest, new Set(view.toggled)) };
    this.#kept = { view: name, flat };
    return flat;
  }

  #nodes(view: LibraryView): { nodes: Node[]; forest: Forest<Node> } {
    const { sql, values } = conditionOf(view.filter);
    const rows = this.db
      .prepare(
        `SELECT s.id, st.key AS store, s.native, s.parent, ${toldAgent} AS agent, p.key AS projectKey, p.name AS projectName, p.folder, ${sortColumn(view.sort)} AS time
         ${summaryFrom} WHERE ${sql} ORDER BY time DESC NULLS LAST, s.native`,
      )
      .all(...values) as { id: number; store: string; native: string; parent: string | null; agent: string; projectKey: string | null; projectName: string | null; folder: string | null; time: number | null }[];
    const alike = view.group === 'project' ? this.#sharedNames() : new Set();
    const nodes = rows.map((row): Node => {
      const [group, groupName, groupDetail] = groupOf(view.group, row);
      return { id: row.id, key: `${row.store}/${row.native}`, parent: row.parent === null ? null : `${row.store}/${row.parent}`, group, groupName, groupDetail,
        groupApart: view.group === 'project' && alike.has((row.projectName ?? '').toLowerCase()) ? row.folder : null,
      };
    });
    return { nodes, forest: forestOf(nodes) };
  }

  #summaries(ids: number[]): Map<number, ReturnType<typeof summaryOf>> {
    if (ids.length === 0) return new Map();
    const rows = this.db.prepare(`${summarySelect} WHERE s.id IN (${ids.map(() => '?').join(', ')})`).all(...ids) as SummaryRow[];
    return new Map(rows.map((row) => [row.id, summaryOf(row)]));
  }

  /** Names, in lower case, that several listed projects have. */
  #sharedNames(): Set<string> {
    const names = this.db.prepare('SELECT p.name FROM project p WHERE p.id IN (SELECT project FROM session WHERE ignored = 0)').pluck().all() as string[];
    const seen = new Set<string>();
    return new Set(names.map((name) => name.toLowerCase()).filter((name) => seen.size === seen.add(name).size));
  }

  facets(): Facets {
    const shown = `${summaryFrom} WHERE s.ignored = 0 AND ${notExcluded}`;
    const alike = this.#sharedNames();
    const projects = this.db
      .prepare(`SELECT p.key, p.name, p.folder, count(*) AS sessions ${shown} AND p.id IS NOT NULL GROUP BY p.id ORDER BY max(s.updated) DESC`)
      .all() as { key: string; name: string; folder: string | null; sessions: number }[];
    return {
      agents: this.db.prepare(`SELECT ${toldAgent} AS agent, count(*) AS sessions ${shown} GROUP BY 1 ORDER BY sessions DESC`).all() as { agent: Agent; sessions: number }[],
      projects: projects.map((project) => ({ ...project, apart: alike.has(project.name.toLowerCase()) ? project.folder : null })),
      archived: (this.db.prepare(`SELECT count(*) AS n ${shown} AND s.archived IS NOT NULL`).get() as { n: number }).n,
      damagedSessions: (this.db.prepare(`SELECT count(*) AS n ${shown} AND s.damage > 0`).get() as { n: number }).n,
    };
  }
}

function groupOf(group: LibraryGroup, row: { agent: string; projectKey: string | null; projectName: string | null; folder: string | null; time: number | null }): [string, string, string | null] {
  switch (group) {
    case 'project':
      return [`project:${row.projectKey ?? ''}`, row.projectName ?? 'no folder recorded', row.folder];
    case 'agent':
      return [`agent:${row.agent}`, row.agent, null];
    case 'day': {
      const day = isoTime(row.time)?.slice(0, 10) ?? 'no date';
      return [`day:${day}`, day, 'UTC'];
    }
  }
}

/** Groups stand in the order of their newest session; groups are open unless toggled, sessions closed unless toggled. */
function flatten(forest: Forest<Node>, toggled: Set<string>): FlatRow[] {
  const groups = new Map<string, Node[]>();
  for (const root of forest.roots) {
    const members = groups.get(root.group);
    if (members) members.push(root);
    else groups.set(root.group, [root]);
  }
  const rows: FlatRow[] = [];
  for (const [id, members] of groups) {
    const first = members[0] as Node;
    const open = !toggled.has(id);
    const groupIndex = rows.length;
    rows.push({ type: 'group', id, name: first.groupName, detail: first.groupDetail, apart: first.groupApart, open, sessions: countOf(forest, members) });
    if (!open) continue;
    const stack = members.map((node) => ({ node, depth: 0, parentIndex: groupIndex })).reverse();
    for (let next = stack.pop(); next; next = stack.pop()) {
      const children = forest.childrenOf(next.node);
      const isOpen = children.length > 0 && toggled.has(next.node.key);
      const index = rows.length;
      rows.push({ type: 'session', node: next.node, depth: Math.min(next.depth, deepest), open: isOpen, children: children.length, parentIndex: next.parentIndex });
      if (!isOpen) continue;
      for (let i = children.length - 1; i >= 0; i--) stack.push({ node: children[i] as Node, depth: next.depth + 1, parentIndex: index });
    }
  }
  return rows;
}

function countOf(forest: Forest<Node>, members: readonly Node[]): number {
  let count = 0;
  const open = [...members];
  for (let next = open.pop(); next; next = open.pop()) {
    count++;
    for (const child of forest.childrenOf(next)) open.push(child);
  }
  return count;
}
