import { asPartId, asSessionId, type Edge, type EdgeKind, type Family, type FamilyBranch, type FamilySession, type SessionId } from '@shared/model';
import { expect, it } from 'vitest';
import { branchItem, foldsAbove, graphOf, type MapGraph, stepFrom } from './graph';

const id = (name: string) => asSessionId(`s/${name}`);
const branch = (number: number): FamilyBranch => ({ id: String(number), tip: asPartId(`s/a#${number}`), count: number, departs: null, at: 0 });

function session(name: string, under: string | null, second: number, branches: FamilyBranch[] = []): FamilySession {
  return {
    id: id(name), known: true, title: name, agent: 'codex', kind: 'session', created: '1970-01-01T00:00:00.000Z', began: new Date(second * 1_000).toISOString(), updated: null, under: under === null ? null : id(under),
    writtenBy: 'claude-code', archived: null, counts: null, tokens: null, rolledUp: null, subagents: 0, untold: 0, live: false, reverted: false, source: 'present', damage: 0, branches,
  };
}
const edge = (child: string, parent: string, kind: EdgeKind): Edge => ({ child: id(child), parent: id(parent), kind, certainty: 'recorded', evidence: '', parentKnown: true, after: null, part: null, inherited: 0 });

/** `a` led to helper `h` (which led to `i`), then to fork `f`; `f` also resumes `r`. */
const family: Family = {
  session: id('a'), cut: null,
  sessions: [session('f', 'a', 3), session('a', null, 1, [branch(1)]), session('i', 'h', 4), session('h', 'a', 2), session('r', null, 9)],
  edges: [edge('h', 'a', 'subagent'), edge('i', 'h', 'subagent'), edge('f', 'r', 'resume'), edge('f', 'a', 'fork'), edge('a', 'a', 'fork')],
};
const none = new Map<SessionId, boolean>();
const bare = (name: string) => name.replace('s/', '').replace('\n', '~');
const shown = (graph: MapGraph) => graph.order.map(bare);
const walk = (graph: MapGraph, from: string, ...directions: Parameters<typeof stepFrom>[2][]) => bare(directions.reduce((at, direction) => stepFrom(graph, at, direction), from));

it('reads each session, its branches, then what came of it, oldest first', () => {
  const graph = graphOf(family, none);
  expect(shown(graph)).toEqual(['a', 'a~1', 'h', 'i', 'f', 'r']);
  expect(graph.items.get(id('a'))).toMatchObject({ level: 1, position: 1, siblings: 2, subagents: 1, folded: false, hidden: [] });
  expect(graph.items.get(id('f'))).toMatchObject({ level: 2, position: 2, siblings: 3, parent: 's/a' });
  const [first, second] = (graph.items.get(id('f')) as { edges: Edge[] }).edges;
  expect([first?.kind, second?.kind]).toEqual(['fork', 'resume']);
  expect((graph.items.get(id('a')) as { edges: Edge[] }).edges).toEqual([]);
});

it('folding hides the helpers and what they led to, and nothing else', () => {
  const graph = graphOf(family, new Map([[id('a'), true]]));
  expect(shown(graph)).toEqual(['a', 'a~1', 'f', 'r']);
  expect(graph.items.get(id('a'))).toMatchObject({ folded: true, hidden: ['s/h', 's/i'] });
  expect(foldsAbove(family, graph, id('i')).map(bare)).toEqual(['a', 'h']);
  expect(foldsAbove(family, graph, id('f'))).toEqual([]);
});

it('more than twelve helpers begin folded, twelve do not', () => {
  const withHelpers = (count: number): Family => ({
    session: id('a'), cut: null, sessions: [session('a', null, 0), ...Array.from({ length: count }, (_, at) => session(`h${at}`, 'a', at + 1))],
    edges: Array.from({ length: count }, (_, at) => edge(`h${at}`, 'a', 'subagent')),
  });
  expect(graphOf(withHelpers(12), none).order).toHaveLength(13);
  expect(shown(graphOf(withHelpers(13), none))).toEqual(['a']);
  expect(graphOf(withHelpers(13), new Map([[id('a'), false]])).order).toHaveLength(14);
});

it('walks up, down and sideways, and stays where there is nothing', () => {
  const graph = graphOf(family, none);
  expect(walk(graph, id('a'), 'down')).toBe('h');
  expect(walk(graph, id('a'), 'down', 'down')).toBe('i');
  expect(walk(graph, id('i'), 'up', 'right')).toBe('f');
  expect(walk(graph, id('f'), 'right')).toBe('a~1');
  expect(walk(graph, id('a'), 'down', 'last', 'first')).toBe('h');
  expect(walk(graph, id('a'), 'right')).toBe('r');
  expect(walk(graph, id('r'), 'left')).toBe('a');
  expect(walk(graph, id('a'), 'up', 'left')).toBe('a');
  expect(walk(graph, branchItem(id('a'), branch(1)), 'down')).toBe('a~1');
  expect(walk(graph, 's/gone', 'up')).toBe('a');
});

it('of many branches the first six are drawn', () => {
  const many: Family = { session: id('a'), cut: null, sessions: [session('a', null, 0, Array.from({ length: 375 }, (_, at) => branch(at + 1)))], edges: [] };
  expect(graphOf(many, none).order).toHaveLength(7);
});
