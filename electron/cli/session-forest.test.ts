import { asSessionId, nativeId, type SessionSummary, storeId } from '@shared/model';
import { expect, test } from 'vitest';
import { documentOf } from './commands/tree';
import { forestOfSessions, walk } from './session-forest';

function session(native: string, parent: string | null): SessionSummary {
  return {
    id: asSessionId(`opencode/${native}`), agent: 'opencode', writtenBy: 'opencode', store: storeId('opencode'), nativeId: nativeId(native), title: native.toUpperCase(), directory: '/p', project: 'p',
    gitBranch: null, model: null, created: null, updated: null, archived: null, kind: parent === null ? 'session' : 'subagent',
    parent: parent === null ? null : { id: asSessionId(`opencode/${parent}`), kind: 'subagent', certainty: 'recorded', evidence: 'parent_id' },
    agentName: null, counts: null, tokens: null, compactions: 0, reverted: false, source: 'present', damage: 0,
  };
}

const parse = (sessions: SessionSummary[]): unknown => {
  const forest = forestOfSessions(sessions);
  return JSON.parse([...documentOf(forest, forest.roots)].join(''));
};

test('the document nests sessions as they hang, orphans and loops at the top', () => {
  const tree = parse([session('a', null), session('b', 'a'), session('c', 'b'), session('d', 'a'), session('lost', 'gone'), session('x', 'y'), session('y', 'x')]);
  const shape = (nodes: { id: string; children: never[] }[]): unknown[] => nodes.map(({ id, children }) => [id.slice('opencode/'.length), shape(children)]);
  expect(shape(tree as never)).toEqual([['a', [['b', [['c', []]]], ['d', []]]], ['lost', []], ['y', [['x', []]]]]);
  expect((tree as { children: object[] }[])[0]?.children[0]).toMatchObject({
    id: 'opencode/b', title: 'B', kind: 'subagent', parent: { id: 'opencode/a', kind: 'subagent', certainty: 'recorded', evidence: 'parent_id' },
  });
});

test('no session at all is an empty list', () => {
  expect(parse([])).toEqual([]);
});

test('a chain of 10,000 forks is walked without recursion', () => {
  const chain = Array.from({ length: 10_000 }, (_, i) => session(`s${i}`, i === 0 ? null : `s${i - 1}`));
  const forest = forestOfSessions(chain);
  const text = [...documentOf(forest, forest.roots)].join('');
  expect(text.match(/"children":\[/g)).toHaveLength(10_000);
  expect(text.endsWith(`${']}'.repeat(10_000)}\n]\n`)).toBe(true);
  expect([...walk(forest, forest.roots)].at(10_000)).toMatchObject({ depth: 9_999, last: true });
});
