import { expect, it } from 'vitest';
import { asMessageId, asPartId, asSessionId } from '@shared/model';
import { everything, formatAddress, noLens, parseAddress } from './address';

const session = asSessionId('claude-code:~/.claude/0b9f-11');

it('keeps a session and a part whose ids hold slashes and signs', () => {
  const view = { kind: 'session', session, part: asPartId(`${session}#a/b#0?x`) } as const;
  const hash = formatAddress({ view, library: everything, lens: noLens });
  expect(hash).toBe('#/session/claude-code%3A~%2F.claude%2F0b9f-11/part/claude-code%3A~%2F.claude%2F0b9f-11%23a%2Fb%230%3Fx');
  expect(parseAddress(hash)).toEqual({ view, library: everything, lens: noLens });
});

it('takes a part by its key alone', () => {
  expect(parseAddress('#/session/oc%2Fses_1/part/prt_9').view).toEqual({ kind: 'session', session: 'oc/ses_1', part: 'oc/ses_1#prt_9' });
});

it('keeps the map of a session, whose id may end like one', () => {
  for (const named of [session, asSessionId('codex/map')]) {
    expect(parseAddress(formatAddress({ view: { kind: 'map', session: named }, library: everything, lens: noLens })).view).toEqual({ kind: 'map', session: named });
    expect(parseAddress(formatAddress({ view: { kind: 'session', session: named, part: null }, library: everything, lens: noLens })).view).toEqual({ kind: 'session', session: named, part: null });
  }
});

it('keeps the files of a session, whose scope it is, and which one is shown', () => {
  const view = { kind: 'files', session, scope: { kind: 'part', part: `${session}#a/b` }, file: '/p/100% a?.ts' } as const;
  const hash = formatAddress({ view, library: everything, lens: noLens });
  expect(parseAddress(hash).view).toEqual(view);
  const named = asSessionId('codex/files');
  expect(parseAddress('#/session/codex%2Ffiles').view).toEqual({ kind: 'session', session: named, part: null });
  expect(parseAddress('#/session/codex%2Ffiles/files?scope=turn:2').view).toEqual({ kind: 'files', session: named, scope: { kind: 'turn', turn: 2 }, file: null });
});

it('keeps filters through every view', () => {
  const library = { ...everything, agents: ['opencode' as const, 'codex' as const], projects: ['/home/dev/a b', 'x&y'], archived: 'only' as const, since: '7d', title: 'retry 100%', group: 'day' as const, sort: 'created' as const };
  for (const view of [{ kind: 'home' }, { kind: 'doctor' }, { kind: 'work', project: null, plan: null }, { kind: 'work', project: '/home/dev/a b', plan: '07d5' }, { kind: 'memory', project: null }, { kind: 'memory', project: 'c:/work/100% a' }, { kind: 'search', query: 'error-401 "a.b()"' }, { kind: 'session', session, part: null }] as const) {
    expect(parseAddress(formatAddress({ view, library, lens: noLens }))).toEqual({ view, library, lens: noLens });
  }
});

it('keeps two sessions that are compared, and a branch of each', () => {
  const view = { kind: 'compare', a: session, b: asSessionId('codex/01a2/x'), branchA: '2', branchB: null } as const;
  const hash = formatAddress({ view, library: everything, lens: noLens });
  expect(hash).toBe('#/compare/claude-code%3A~%2F.claude%2F0b9f-11/codex%2F01a2%2Fx?branch-a=2');
  expect(parseAddress(hash)).toEqual({ view, library: everything, lens: noLens });
  for (const broken of ['#/compare/', '#/compare/codex%2F1', '#/compare/codex%2F1/', '#/compare/codex%2F1/codex%2F2/codex%2F3']) expect(parseAddress(broken).view).toEqual({ kind: 'home' });
  expect(parseAddress('#/compare/codex%2F1/codex%2F2?branch-b=first').view).toEqual({ kind: 'compare', a: 'codex/1', b: 'codex/2', branchA: null, branchB: null });
});

it('falls back to defaults for what it does not understand', () => {
  expect(parseAddress('')).toEqual({ view: { kind: 'home' }, library: everything, lens: noLens });
  expect(parseAddress('#/session/?group=nonsense&agent=hal&since=soon&lens=fish&branch=-1')).toEqual({ view: { kind: 'home' }, library: everything, lens: noLens });
  expect(parseAddress('#/session/%E0%A4%A/part/x').view).toEqual({ kind: 'session', session: '%E0%A4%A', part: '%E0%A4%A#x' });
});

it('keeps the lens of a session, its branch and its point', () => {
  const lens = { lens: 'model' as const, branch: '2', before: asMessageId(`${session}#m1`) };
  const hash = formatAddress({ view: { kind: 'session', session, part: null }, library: everything, lens });
  expect(hash).toBe('#/session/claude-code%3A~%2F.claude%2F0b9f-11?lens=model&branch=2&before=claude-code%3A%7E%2F.claude%2F0b9f-11%23m1');
  expect(parseAddress(hash).lens).toEqual(lens);
  expect(formatAddress({ view: { kind: 'home' }, library: everything, lens })).toBe('#/');
});
