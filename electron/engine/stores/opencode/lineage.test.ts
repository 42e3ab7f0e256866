import { nativeId } from '@shared/model';
import { expect, test } from 'vitest';
import type { LineageMessage, LineageView, SessionFacts } from '../store';
import { summarise } from './facts';
import { forkMark, markedMetadata } from './fork-mark';
import { lineage } from './lineage';

interface Made {
  id: string;
  title?: string;
  created: number;
  copied?: number;
  begins?: number | null;
  slug?: string;
  unlogged?: boolean;
  fork?: { session: string; message: string | null };
  messages?: LineageMessage[];
}

function libraryOf(sessions: Made[]): { view: LineageView; asked: () => number } {
  let asked = 0;
  const facts = new Map(sessions.map((made): [string, SessionFacts] => [made.id, {
    ...summarise(nativeId(made.id), []), title: made.title ?? null, created: made.created,
    own: { copied: made.copied ?? 0, begins: made.begins ?? null, project: 'p', slug: made.slug ?? null, unlogged: made.unlogged === true, ...(made.fork ? { fork: made.fork } : {}) },
  }]));
  const messages = new Map(sessions.map(({ id, messages: said }) => [id, said ?? []]));
  return {
    asked: () => asked,
    view: {
      sessions: () => sessions.map(({ id }) => ({ native: nativeId(id), facts: facts.get(id) as SessionFacts })),
      facts: (native) => facts.get(native),
      messages: (native) => {
        asked++;
        return messages.get(native) ?? [];
      },
      holders: () => [],
      relatives: () => [],
    },
  };
}

const said = (key: string, time: number, digest = 1): LineageMessage => ({ key, role: 'user', time, filed: time, parts: [{ kind: 'text', callId: null, digest }] });
const all = (sessions: Made[]) => new Set(sessions.map(({ id }) => nativeId(id)));

test('5,000 sessions without messages cost a look at none of the others', () => {
  const sessions = Array.from({ length: 5_000 }, (_, n): Made => ({ id: `plain_${n}`, title: `Title ${n}`, created: n, slug: `slug-${n}`, unlogged: n % 2 === 0 }));
  const { view, asked } = libraryOf(sessions);
  const work = { looked: 0 };
  expect(lineage(view, all(sessions), work)).toEqual([]);
  expect([work.looked, asked()]).toEqual([0, 0]);
});

test('2,500 empty forks of 2,500 sessions of one title are held against two of them each', () => {
  const sessions = Array.from({ length: 2_500 }, (_, n): Made[] => [{ id: `s_${n}`, title: 'New', created: n }, { id: `f_${n}`, title: 'New (fork #1)', created: 10_000 + n }]).flat();
  const { view, asked } = libraryOf(sessions);
  const work = { looked: 0 };
  const edges = lineage(view, all(sessions), work);
  expect(edges.map(({ parent }) => parent)).toEqual(Array.from({ length: 2_500 }, () => 's_0'));
  expect(edges[0]?.evidence).toBe('Likely: its title is that of a fork of s_0, which had nothing that a fork copies. s_1 fits as well; the older one is taken.');
  expect([work.looked, asked()]).toEqual([5_000, 2]);
});

test('sessions that had something when the forks were made are passed over once, not once a fork', () => {
  const sessions = Array.from({ length: 1_000 }, (_, n): Made[] => [
    { id: `w_${n}`, title: 'New', created: n, messages: [said(`m_${n}`, 5_000)] }, { id: `x_${n}`, title: 'New (fork #1)', created: 10_000 + n },
  ]).flat();
  const { view } = libraryOf(sessions);
  const work = { looked: 0 };
  expect(lineage(view, all(sessions), work)).toEqual([]);
  expect(work.looked).toBe(1_000);
});

test('a chain of 1,000 forks with copies is told by titles: each is compared with its own source', () => {
  const title = (n: number) => (n === 0 ? 'Work' : `Work (fork #${n})`);
  const sessions = Array.from({ length: 1_000 }, (_, n): Made => ({ id: `c_${n}`, title: title(n), created: 1_000 + n, copied: n === 0 ? 0 : 1, begins: 500, messages: [said(`c_m_${n}`, 500)] }));
  const { view, asked } = libraryOf(sessions);
  const work = { looked: 0 };
  const edges = lineage(view, all(sessions), work);
  expect(edges.map(({ child, parent }) => `${child} of ${parent}`)).toEqual(Array.from({ length: 999 }, (_, n) => `c_${n + 1} of c_${n}`));
  expect([work.looked, asked()]).toEqual([999, 1_000]);
});

test('a fork that was renamed is told by its messages, also when the store does not note where its source begins', () => {
  const sessions: Made[] = [
    { id: 'r_other', title: 'Other', created: 1, begins: 90, messages: [said('a', 90, 7)] },
    { id: 'r_source', title: 'Source', created: 2, messages: [said('b', 90), said('c', 95)] },
    { id: 'r_fork', title: 'Renamed', created: 100, copied: 2, begins: 90, messages: [said('d', 90), said('e', 95)] },
  ];
  const edges = lineage(libraryOf(sessions).view, all(sessions));
  expect(edges).toMatchObject([{ child: 'r_fork', parent: 'r_source', kind: 'fork', after: 'c', inherited: ['d', 'e'] }]);
});

test('an import is told by short name and time among 2,000 sessions of one moment', () => {
  const sessions = Array.from({ length: 1_000 }, (_, n): Made[] => [
    { id: `o_${n}`, title: `${n}`, created: 7, slug: `slug-${n}` }, { id: `i_${n}`, title: `${n}`, created: 7, slug: `slug-${n}`, unlogged: true },
  ]).flat();
  const { view, asked } = libraryOf(sessions);
  const edges = lineage(view, all(sessions));
  expect(edges).toHaveLength(1_000);
  expect(edges.every(({ child, parent, kind }) => kind === 'import' && child.slice(1) === parent.slice(1))).toBe(true);
  expect(asked()).toBe(0);
});

test('a source that comes later is found for a fork that did not change', () => {
  const sessions: Made[] = [{ id: 'late_s', title: 'Late', created: 1 }, { id: 'late_f', title: 'Late (fork #1)', created: 2 }];
  expect(lineage(libraryOf(sessions).view, new Set([nativeId('late_s')]))).toMatchObject([{ child: 'late_f', parent: 'late_s' }]);
});

test('a source is compared with forks once in a library, and again in another one', () => {
  const { view } = libraryOf([{ id: 'twice', title: 'Twice read', created: 1 }, { id: 'twice_fork', title: 'Twice read (fork #1)', created: 2 }]);
  const parents = (library: object) => lineage({ ...view, library }, new Set([nativeId('twice')])).map(({ parent }) => parent);
  const library = {};
  expect(parents(library)).toEqual(['twice']);
  expect(parents(library)).toEqual([]);
  expect(parents({})).toEqual(['twice']);
});

test('a fork that Retrace made says where it comes from, also where another session would fit better', () => {
  const sessions: Made[] = [
    { id: 'm_source', title: 'Source', created: 1, begins: 90, messages: [said('a', 90), said('b', 95)] },
    { id: 'm_twin', title: 'Renamed', created: 2, begins: 90, messages: [said('c', 90), said('d', 95)] },
    { id: 'm_fork', title: 'Renamed (fork #1)', created: 100, copied: 2, begins: 90, messages: [said('e', 90), said('f', 95), said('g', 200)], fork: { session: 'm_source', message: 'b' } },
  ];
  expect(lineage(libraryOf(sessions).view, all(sessions))).toEqual([{
    child: 'm_fork', parent: 'm_source', kind: 'fork', certainty: 'recorded', after: 'b', callId: null, inherited: ['e', 'f'],
    evidence: 'Retrace made it of m_source, and its metadata says so.',
  }]);
});

test('the mark keeps what other programs noted, and says nothing in a session that only got it copied', () => {
  const metadata = markedMetadata('{"theirs":{"n":1},"retrace":{"forkOf":{"session":"old","message":null,"self":"older"}}}', { session: 'ses_a', message: 'msg_1', self: 'ses_b' });
  expect(metadata).toEqual({ theirs: { n: 1 }, retrace: { forkOf: { session: 'ses_a', message: 'msg_1', self: 'ses_b' } } });
  expect(forkMark(JSON.stringify(metadata), 'ses_b')).toEqual({ session: 'ses_a', message: 'msg_1', self: 'ses_b' });
  expect([forkMark(metadata, 'ses_c'), forkMark(null, 'ses_b'), forkMark('{"retrace":7}', 'ses_b'), forkMark('no json', null)]).toEqual([null, null, null, null]);
});
