import { describe, expect, test } from 'vitest';
import type { NativeId } from '@shared/model';
import type { EdgeFact, LineageMessage, LineageView, SessionFacts } from '../store';
import { summarise } from './facts';
import { lineage } from './lineage';

const at = (hour: number) => Date.UTC(2026, 0, 1, hour);

interface Family {
  [session: string]: { messages: LineageMessage[]; begunBy?: string; fork?: { parent: string; evidence: string } };
}

const message = (key: string, role: LineageMessage['role'], hour: number, filed: number | null = null, digest = hour): LineageMessage => ({
  key, role, time: at(hour), filed, parts: [{ kind: 'text', callId: null, digest }],
});

function view(family: Family): LineageView {
  const facts = (session: NativeId): SessionFacts | undefined => {
    const member = family[session];
    if (!member) return undefined;
    const edges: EdgeFact[] = member.fork ? [{ child: session, parent: member.fork.parent as NativeId, kind: 'fork', certainty: 'recorded', evidence: member.fork.evidence, after: null, callId: null, inherited: [] }] : [];
    return { ...summarise(session, []), edges, own: { begunBy: member.begunBy ?? null } };
  };
  const holders = (key: string) => Object.entries(family).filter(([, { messages }]) => messages.some((own) => own.key === key)).map(([native]) => native as NativeId);
  return {
    facts, holders,
    sessions: () => Object.keys(family).map((native) => ({ native: native as NativeId, facts: facts(native as NativeId) as SessionFacts })),
    messages: (session) => family[session]?.messages ?? [],
    relatives: (session) => [...new Set((family[session]?.messages ?? []).flatMap(({ key }) => holders(key)))].filter((other) => other !== session),
  };
}

const edges = (family: Family, ...changed: string[]) => lineage(view(family), new Set(changed as NativeId[])).map(({ child, parent, kind, certainty, inherited }) => `${child} ${kind} of ${parent} (${certainty}): ${inherited.join(' ')}`);

const shared = [message('p1', 'user', 1), message('a1', 'assistant', 1), message('p2', 'user', 2), message('a2', 'assistant', 2)];
const copied = shared.map((one) => ({ ...one, filed: 0 }));

describe('copies', () => {
  const fork: Family = {
    original: { messages: [...shared, message('p3', 'user', 9)] },
    copy: { messages: [...copied, message('q3', 'user', 5)] },
  };

  test('with marks on the copied records, whoever went on first', () => {
    expect(edges(fork, 'original', 'copy')).toEqual(['copy fork of original (inferred): p1 a1 p2 a2']);
  });

  test('are found when the copy is read first, and when the original comes later', () => {
    expect(edges({ copy: fork['copy'] as Family[string] }, 'copy')).toEqual([]);
    expect(edges(fork, 'original')).toEqual(['copy fork of original (inferred): p1 a1 p2 a2']);
  });

  test('sessions that share nothing cost nothing', () => {
    expect(edges({ one: { messages: [message('x', 'user', 1)] }, two: { messages: [message('y', 'user', 1)] } }, 'one', 'two')).toEqual([]);
  });

  test('told by what was surely written in the original', () => {
    const family: Family = {
      original: { messages: [...shared.slice(0, 2), message('p2', 'user', 2, at(2)), message('a2', 'assistant', 2), message('p3', 'user', 9)] },
      copy: { messages: [...shared, message('q3', 'user', 5)] },
    };
    expect(edges(family, 'copy')).toEqual(['copy fork of original (inferred): p1 a1 p2 a2']);
  });

  test('without any trace, by who went on first', () => {
    expect(edges({ original: { messages: [...shared, message('p3', 'user', 3)] }, copy: { messages: [...shared, message('q3', 'user', 5)] } }, 'copy')).toEqual(['copy fork of original (inferred): p1 a1 p2 a2']);
  });

  test('that never went on are the copy', () => {
    expect(edges({ a: { messages: shared }, b: { messages: [...shared, message('p3', 'user', 3)] } }, 'a', 'b')).toEqual(['a fork of b (inferred): p1 a1 p2 a2']);
  });

  test('twins are counted once', () => {
    expect(edges({ a: { messages: shared }, b: { messages: shared } }, 'a', 'b')).toEqual(['b fork of a (inferred): p1 a1 p2 a2']);
  });
});

describe('chains of copies', () => {
  const middle = [...copied, message('b1', 'user', 3), message('b2', 'assistant', 3)];
  const family: Family = {
    a: { messages: [...shared, message('a9', 'user', 9)] },
    b: { messages: [...middle, message('b9', 'user', 10)], fork: { parent: 'a', evidence: 'says a' } },
    c: { messages: [...middle.map((one) => ({ ...one, filed: 0 })), message('c1', 'user', 11)], fork: { parent: 'b', evidence: 'says b' } },
    d: { messages: [...copied, message('d1', 'user', 4)], fork: { parent: 'a', evidence: 'says a' } },
  };

  test('hang under their nearest owner; two forks from one place under their original', () => {
    expect(edges(family, 'c').toSorted()).toEqual([
      'b fork of a (recorded): p1 a1 p2 a2',
      'c fork of b (recorded): p1 a1 p2 a2 b1 b2',
      'd fork of a (recorded): p1 a1 p2 a2',
    ]);
  });

  test('keep the pointer to an original that is not there any more, and do not call its requests their own', () => {
    const { a: _, c: __, ...rest } = family;
    expect(edges(rest, 'b', 'd').toSorted()).toEqual(['b fork of a (recorded): p1 a1 p2 a2', 'd fork of a (recorded): p1 a1 p2 a2']);
  });

  test('say what shows it, and where the copy departs', () => {
    const [edge] = lineage(view({ original: { messages: [...shared, message('p3', 'user', 3)] }, copy: { messages: [...copied, message('q3', 'user', 5)] } }), new Set(['copy' as NativeId]));
    expect(edge).toMatchObject({ evidence: 'Shares 4 messages from its beginning with session original.', after: 'a2' });
  });
});

test('a resume of release 1.0.16 keeps only the ids of answers; its prompts are known by their content', () => {
  const renamed = [message('n1', 'user', 7, null, 1), message('a1', 'assistant', 7, 0, 1), message('n2', 'user', 7, null, 2), message('a2', 'assistant', 7, 0, 2), message('n3', 'user', 8, null, 8)];
  const [edge] = lineage(view({ old: { messages: shared }, new: { messages: renamed, begunBy: '1.0.16' } }), new Set(['new' as NativeId]));
  expect(edge).toMatchObject({
    child: 'new', parent: 'old', kind: 'resume', certainty: 'inferred', after: 'a2', inherited: ['n1', 'a1', 'n2', 'a2'],
    evidence: 'Shares 4 messages from its beginning with session old, under new record ids, as release 1.0 writes them when it resumes.',
  });
});

test('one id that all answers share makes no edge: prompts and answers must say the same, and the release must be one that renames', () => {
  const one = (prompt: string, hour: number, said: number): LineageMessage[] => [message(prompt, 'user', hour), message('msg-1', 'assistant', hour, null, said)];
  const others = (begunBy: string): Family => ({ a: { messages: one('pa', 1, 11), begunBy }, b: { messages: one('pb', 2, 12), begunBy }, c: { messages: one('pc', 3, 11), begunBy } });
  expect(edges(others('2.1.59'), 'a', 'b', 'c')).toEqual([]);
  expect(edges(others('1.0.16'), 'a', 'b', 'c')).toEqual([]);
  const alike = (begunBy: string): Family => ({ a: { messages: one('pa', 1, 11), begunBy }, b: { messages: [message('pb', 'user', 2, null, 1), message('msg-1', 'assistant', 2, null, 11), message('pc', 'user', 3)], begunBy } });
  expect(edges(alike('2.1.59'), 'a', 'b')).toEqual([]);
  expect(edges(alike('1.0.16'), 'a', 'b')).toEqual(['b resume of a (inferred): pb msg-1']);
});

test('subagents are not compared', () => {
  expect(edges({ 's.agent-1': { messages: shared }, s: { messages: [...shared, message('p3', 'user', 3)] } }, 's.agent-1', 's')).toEqual([]);
});
