import { afterAll, describe, expect, test } from 'vitest';
import { expectedOf, type Fixture, openFixture } from '../../../../e2e/fixtures';
import { drive, type DrivenSession, type DrivenStore } from './drive.test-support';
import { claudeCode } from './index';

const opened: Fixture[] = [];
afterAll(() => opened.forEach((fixture) => fixture.dispose()));

function open(name: string): { store: DrivenStore; expect: ReturnType<typeof expectations> } {
  const fixture = openFixture('field', name);
  opened.push(fixture);
  return { store: drive(claudeCode, fixture.home), expect: expectations(name) };
}

interface Line {
  role: string;
  text: string;
}

interface FieldSession {
  id: string;
  folder?: string;
  conversation: Line[];
  otherBranches: { forksAfterText: string; messages: number; conversation: Line[] }[];
  damaged: { line: number; bytes: number; what: string }[];
  state: string;
  compactions: { afterMessages: number; trigger: string; preTokens: number; summaryStartsWith: string }[];
  gaps: { beforeText: string; missingParent: string }[];
  children: { agentId: string; agentType: string; spawnedByToolUse: string; depth: number; conversation: Line[]; toolCalls: number; hookRecords: number }[];
  requests: number;
  tokens: { input: number; cacheWrite: number; cacheRead: number; output: number };
  assistantTexts: string[];
}

interface FieldExpect {
  sessions: FieldSession[];
  canContinue: { sends: string[] };
  projects: { folder: string; sessions: string[] }[];
  sessionCount: number;
}

const expectations = (name: string): FieldExpect => (expectedOf('field', name) as { expect: FieldExpect }).expect;

const sessionOf = (store: DrivenStore, native: string): DrivenSession => {
  const session = store.sessions.get(native);
  if (!session) throw new Error(`no session ${native}`);
  return session;
};

const currentPath = (session: DrivenSession): number[] => session.settled.branches.find(({ current }) => current)?.path ?? [];

/** What person and model said along a path. */
function conversation(session: DrivenSession, path: number[]): Line[] {
  return path.flatMap((index) => {
    const record = session.records[index];
    const text = record?.parts.find((part) => part.kind === 'text' && !part.injected)?.text;
    return record?.message && text ? [{ role: record.message.role, text }] : [];
  });
}

/** Prose of the records that the model would get. */
const seenProse = (session: DrivenSession): string[] => conversation(session, currentPath(session).filter((index) => session.settled.records[index]?.seen)).map(({ text }) => text);

describe('field/cc-branches', () => {
  const { store, expect: wanted } = open('cc-branches');
  const [truth] = wanted.sessions;
  const session = sessionOf(store, truth?.id ?? '');

  test('the branch that ends last in the file is the current one', () => {
    expect(conversation(session, currentPath(session))).toEqual(truth?.conversation);
    expect(seenProse(session)).toEqual(wanted.canContinue.sends);
  });

  test('the longer, older branch is shown apart, from where it was left', () => {
    const other = session.settled.branches.filter(({ current }) => !current);
    expect(other).toHaveLength(1);
    const off = (other[0]?.path ?? []).filter((index) => session.settled.records[index]?.state === 'off-branch');
    const [branch] = truth?.otherBranches ?? [];
    expect(off).toHaveLength(branch?.messages ?? -1);
    expect(conversation(session, off)).toEqual(branch?.conversation);
    const before = (other[0]?.path ?? []).slice(0, (other[0]?.path ?? []).indexOf(off[0] as number));
    expect(conversation(session, before).at(-1)?.text).toBe(branch?.forksAfterText);
  });

  test('what was left says which record the session went on with', () => {
    const index = session.records.findIndex((record) => record.parts[0]?.text === 'Try ISO codes.');
    const went = session.records.findIndex((record) => record.parts[0]?.text === 'Try symbols instead.');
    expect(session.settled.records[index]).toEqual({
      state: 'off-branch', seen: false, cause: went,
      reason: `The session went on from record ${session.records[index]?.parent} with record ${session.records[went]?.key}; this branch was left.`,
    });
  });
});

describe('field/cc-nul-run', () => {
  const { store, expect: wanted } = open('cc-nul-run');
  const [truth] = wanted.sessions;
  const session = sessionOf(store, truth?.id ?? '');

  test('everything before and after the damaged line is there', () => {
    expect(conversation(session, currentPath(session))).toEqual(truth?.conversation);
    expect({ directory: session.facts.directory, ignored: session.facts.ignored, condition: session.settled.condition }).toEqual({ directory: truth?.folder, ignored: false, condition: truth?.state });
  });

  test('the damaged line is named once, by number and size', () => {
    expect(store.damage.map(({ line, bytes, reason }) => ({ line, bytes, what: reason }))).toEqual(truth?.damaged);
    expect(store.damage[0]?.place).toBe(session.records[0]?.source);
  });
});

describe('field/cc-orphan-parent', () => {
  const { store, expect: wanted } = open('cc-orphan-parent');
  const [truth] = wanted.sessions;
  const session = sessionOf(store, truth?.id ?? '');

  test('the whole conversation is shown, in the order of the file', () => {
    expect(conversation(session, currentPath(session))).toEqual(truth?.conversation);
    expect(session.settled.branches).toHaveLength(1);
    expect(session.settled.condition).toBe(truth?.state);
  });

  test('the gap is named with the missing record', () => {
    const [gap] = truth?.gaps ?? [];
    const [notice] = session.settled.notices;
    expect(notice?.kind).toBe('gap');
    expect(notice?.text).toContain(gap?.missingParent);
    expect(session.records[notice?.record ?? -1]?.parts[0]?.text).toBe(gap?.beforeText);
  });

  test('the compaction stands after four messages, with its summary', () => {
    const [compaction] = truth?.compactions ?? [];
    expect(session.settled.compactions).toBe(1);
    const boundary = session.records.findIndex((record) => record.type === 'system/compact_boundary');
    expect(session.records[boundary]?.note).toMatchObject({ trigger: compaction?.trigger, before: compaction?.preTokens });
    const before = session.records.slice(0, boundary);
    expect(before.filter((_, index) => session.settled.records[index]?.state === 'compacted')).toHaveLength(compaction?.afterMessages ?? -1);
    expect(session.parts.find((part) => part.fact.kind === 'summary')?.fact.text).toMatch(new RegExp(`^${compaction?.summaryStartsWith}`));
  });

  test('only what hangs below the gap is still seen by the model', () => {
    expect(seenProse(session)).toEqual(wanted.canContinue.sends);
  });
});

describe('field/cc-slug-collision', () => {
  const { store, expect: wanted } = open('cc-slug-collision');

  test('three projects in one store folder keep their own folders', () => {
    const projects = wanted.projects.map(({ folder, sessions }) => ({ folder, sessions: sessions.map((id) => sessionOf(store, id).facts.directory) }));
    expect(projects).toEqual(wanted.projects.map(({ folder }) => ({ folder, sessions: [folder] })));
    expect(store.survey.heads.map((head) => head.directory).sort()).toEqual(wanted.projects.map(({ folder }) => folder).sort());
  });
});

describe('field/cc-subagent-attachments', () => {
  const { store, expect: wanted } = open('cc-subagent-attachments');
  const [truth] = wanted.sessions;
  const [child] = truth?.children ?? [];
  const session = sessionOf(store, `${truth?.id}.agent-${child?.agentId}`);

  test('the helper is whole although hook records stand between its messages', () => {
    expect(conversation(session, currentPath(session))).toEqual(child?.conversation);
    expect(session.parts.filter((part) => part.fact.kind === 'tool')).toHaveLength(child?.toolCalls ?? -1);
    expect(session.records.filter((record) => record.type === 'attachment/hook_success')).toHaveLength(child?.hookRecords ?? -1);
  });

  test('it hangs under the call that started it, and is no session of its own', () => {
    expect(session.facts).toMatchObject({ kind: 'subagent', agentName: child?.agentType });
    expect(session.edges).toMatchObject([{ parent: truth?.id, callId: child?.spawnedByToolUse, kind: 'subagent', certainty: 'recorded' }]);
    expect([...store.sessions.values()].filter(({ facts }) => facts.kind === 'session' && !facts.ignored)).toHaveLength(wanted.sessionCount);
    expect(session.spine.evidence.find(({ slot }) => slot === 'meta')?.data['depth']).toBe(child?.depth);
  });

  test('there is no way to resume it', () => {
    expect(claudeCode.resumeCommand(session.native, session.facts)).toBeNull();
  });
});

describe('field/cc-usage-rows', () => {
  const { store, expect: wanted } = open('cc-usage-rows');
  const [truth] = wanted.sessions;
  const session = sessionOf(store, truth?.id ?? '');

  test('each request is counted once, with its largest figures', () => {
    const answers = [...session.messages.values()].filter((message) => message.role === 'assistant' && message.counted);
    expect(answers).toHaveLength(truth?.requests ?? -1);
    const total = (field: 'input' | 'cacheWrite' | 'cacheRead' | 'output') => answers.reduce((sum, message) => sum + (message.tokens?.[field] ?? 0), 0);
    expect({ input: total('input'), cacheWrite: total('cacheWrite'), cacheRead: total('cacheRead'), output: total('output') }).toEqual(truth?.tokens);
  });

  test('each text is shown once, the API error as a notice', () => {
    const said = session.parts.filter((part) => part.record.message?.role === 'assistant' && ['text', 'notice'].includes(part.fact.kind));
    expect(said.map((part) => part.fact.text)).toEqual(truth?.assistantTexts);
    expect(said.at(-1)).toMatchObject({ fact: { kind: 'notice' }, record: { message: { counted: false, tokens: null } } });
  });

  test('a repeated line makes no branch', () => {
    expect(session.settled.branches).toHaveLength(1);
    expect(session.settled.records.map(({ state }) => state)).toEqual(session.records.map(() => 'live'));
  });
});
