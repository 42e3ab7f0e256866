import type { Edge, Family, FamilyBranch, FamilySession, SessionId } from '@shared/model';

/** Direct subagents above which a session begins folded. */
export const foldedAbove = 12;
/** Stubs drawn beside one session; the Lineage tab has the others. */
const stubsDrawn = 6;

/** px; lineage.css draws cards and stubs in these sizes. */
export const card = { width: 252, height: 52 };
export const stub = { width: 132, height: 20 };

/** What one walks through on the map. */
interface Place {
  id: string;
  /** Item one step up; null for a root. */
  parent: string | null;
  /** Items one step down, oldest first; branches of the session itself behind them. */
  children: string[];
  /** From 1, as screen readers tell it. */
  level: number;
  /** From 1, among the items of the same parent. */
  position: number;
  siblings: number;
}

export interface SessionItem extends Place {
  kind: 'session';
  session: FamilySession;
  /** How it came from what it hangs under, then its other edges upwards. */
  edges: Edge[];
  /** Direct subagents. */
  subagents: number;
  folded: boolean;
  /** Sessions that folding hides. */
  hidden: SessionId[];
  stubs: FamilyBranch[];
}

export interface BranchItem extends Place {
  kind: 'branch';
  branch: FamilyBranch;
  session: FamilySession;
}

export type MapItem = SessionItem | BranchItem;

export interface MapGraph {
  items: Map<string, MapItem>;
  /** Ids in reading order: each session, then what came of it, oldest first. */
  order: string[];
}

export const branchItem = (session: SessionId, branch: FamilyBranch): string => `${session}\n${branch.id}`;

const oldestFirst = (a: FamilySession, b: FamilySession): number => (a.began ?? '').localeCompare(b.began ?? '') || a.id.localeCompare(b.id);

/** The family as it is drawn: `folds` is what the person folded or opened, everything else is at its default. */
export function graphOf(family: Family, folds: ReadonlyMap<SessionId, boolean>): MapGraph {
  const known = new Set(family.sessions.map(({ id }) => id));
  const below = new Map<SessionId | null, FamilySession[]>();
  for (const session of [...family.sessions].sort(oldestFirst)) {
    const under = session.under !== null && known.has(session.under) ? session.under : null;
    below.set(under, [...(below.get(under) ?? []), session]);
  }
  const up = new Map<SessionId, Edge[]>();
  for (const edge of family.edges) if (edge.child !== edge.parent) up.set(edge.child, [...(up.get(edge.child) ?? []), edge]);
  const isSubagent = (session: FamilySession) => (up.get(session.id) ?? []).some((edge) => edge.kind === 'subagent' && edge.parent === session.under);

  const items = new Map<string, MapItem>();
  const order: string[] = [];
  const roots = below.get(null) ?? [];
  const open = roots.map((session, at) => ({ session, parent: null as string | null, level: 1, position: at + 1, siblings: roots.length })).reverse();
  for (let next = open.pop(); next; next = open.pop()) {
    const { session, ...place } = next;
    const all = below.get(session.id) ?? [];
    const helpers = all.filter(isSubagent);
    const folded = helpers.length > 0 && (folds.get(session.id) ?? helpers.length > foldedAbove);
    const shown = folded ? all.filter((child) => !isSubagent(child)) : all;
    const stubs = session.branches.slice(0, stubsDrawn);
    const children = [...shown.map(({ id }) => id as string), ...stubs.map((branch) => branchItem(session.id, branch))];
    items.set(session.id, {
      ...place, kind: 'session', id: session.id, session, children, stubs, folded, subagents: helpers.length,
      edges: [...(up.get(session.id) ?? [])].sort((a, b) => Number(b.parent === session.under) - Number(a.parent === session.under)),
      hidden: folded ? allBelow(helpers, below) : [],
    });
    order.push(session.id);
    const inside = { parent: session.id, level: place.level + 1, siblings: children.length };
    stubs.forEach((branch, at) => {
      const id = branchItem(session.id, branch);
      items.set(id, { ...inside, kind: 'branch', id, branch, session, position: shown.length + at + 1, children: [] });
      order.push(id);
    });
    for (let at = shown.length - 1; at >= 0; at -= 1) open.push({ session: shown[at] as FamilySession, ...inside, position: at + 1 });
  }
  return { items, order };
}

function allBelow(sessions: readonly FamilySession[], below: ReadonlyMap<SessionId | null, FamilySession[]>): SessionId[] {
  const found = [...sessions];
  for (const session of found) found.push(...(below.get(session.id) ?? []));
  return found.map(({ id }) => id);
}

/** The session that hides another one by being folded, outermost first; nothing when it is drawn. */
export function foldsAbove(family: Family, graph: MapGraph, session: SessionId): SessionId[] {
  const under = new Map(family.sessions.map(({ id, under: parent }) => [id, parent]));
  const path: SessionId[] = [];
  for (let at = under.get(session) ?? null; at !== null && path.length <= under.size; at = under.get(at) ?? null) path.unshift(at);
  return graph.items.has(session) ? [] : path;
}

export type Direction = 'up' | 'down' | 'left' | 'right' | 'first' | 'last';

/** Where a step leads; the item itself when there is nothing that way. */
export function stepFrom(graph: MapGraph, id: string, direction: Direction): string {
  const item = graph.items.get(id);
  if (!item) return graph.order[0] ?? id;
  const siblings = item.parent === null ? graph.order.filter((each) => graph.items.get(each)?.parent === null) : (graph.items.get(item.parent)?.children ?? []);
  const at = siblings.indexOf(id);
  switch (direction) {
    case 'up':
      return item.parent ?? id;
    case 'down':
      return item.children[0] ?? id;
    case 'left':
      return siblings[at - 1] ?? id;
    case 'right':
      return siblings[at + 1] ?? id;
    case 'first':
      return siblings[0] ?? id;
    case 'last':
      return siblings.at(-1) ?? id;
  }
}
