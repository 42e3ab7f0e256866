import { describe, expect, test } from 'vitest';
import { fixtureNames, openFixture } from '../../../../e2e/fixtures';
import { atEachLine, drive, type DrivenSession } from './drive.test-support';
import { asList, asNumber, asObject, asObjects, asText, asTexts, type Fields } from '../foreign/fields';
import { oneLine } from './fields';

/** Expectations as the makers of the fixtures wrote them down; see expected.json of each. */
interface Expected {
  threads: Map<string, Fields>;
  summary: Fields[];
  whole: Fields;
}

function expectationsOf(value: unknown): Expected {
  const whole = asObject(value) ?? {};
  const threads = asObject(whole['threads']) ?? asObject(whole['currentReleaseReads']) ?? {};
  return { whole, summary: asObjects(whole['summary']), threads: new Map(Object.entries(threads).map(([id, thread]) => [id, asObject(thread) ?? {}])) };
}

const names = [...fixtureNames('codex')];

function withFixture(name: string, check: (sessions: Map<string, DrivenSession>, expected: Expected) => void): void {
  const fixture = openFixture('codex', name);
  try {
    check(drive(fixture.home).sessions, expectationsOf(fixture.expected));
  } finally {
    fixture.dispose();
  }
}

/** What a person sees: texts of messages that count and were not taken back. */
function conversation(session: DrivenSession): [string, string][] {
  return session.parts
    .filter(({ fact, record, settled }) => fact.kind === 'text' && !fact.injected && !['reverted', 'hidden'].includes(settled.state) && session.messages.get(record.message?.key ?? '')?.counted)
    .map(({ record, body }) => [record.message?.role ?? '', body.text ?? '']);
}

const prompts = (session: DrivenSession) => conversation(session).filter(([role]) => role === 'user').map(([, text]) => text);

const sessionIn = (sessions: Map<string, DrivenSession>, id: string): DrivenSession => {
  const session = sessions.get(id);
  if (!session) throw new Error(`no session ${id}`);
  return session;
};

const shownRecords = (session: DrivenSession) => (session.settled.order ?? session.records.map((_, index) => index)).map((index) => ({ record: session.records[index], settled: session.settled.records[index] }));

/** One status a turn, in order: what the program's own server answers. */
function turnStatuses(session: DrivenSession): string[] {
  const turns = new Map<string, string>();
  for (const { record, settled } of shownRecords(session)) {
    if (!record || ['reverted', 'hidden'].includes(settled?.state ?? '')) continue;
    const turn = asText(record.note?.['turn']) ?? '';
    if (record.type === 'event_msg/task_started') turns.set(turn, 'interrupted');
    if (record.type === 'event_msg/task_complete') turns.set(turn, record.note?.['failed'] === true ? 'failed' : 'completed');
    if (record.type === 'event_msg/turn_aborted') turns.set(turn, 'interrupted');
  }
  return [...turns.values()];
}

/** All tokens of a session's own requests. */
function ownTokens(session: DrivenSession): number {
  const inherited = new Set(session.edges.flatMap((edge) => edge.inherited));
  let sum = 0;
  for (const [key, { tokens }] of session.messages) {
    if (tokens && !inherited.has(key)) sum += tokens.input + tokens.output + tokens.reasoning + tokens.cacheRead + tokens.cacheWrite;
  }
  return sum;
}

/** The program's server shows nothing of this helper, though its one exchange is in the file (expected.json, `note`). */
const misread = '01a22803-c420-7a10-b912-1f13091dc4f0';
/** Thread begun and never used: it has no file, the server knew it while it ran. */
const neverWritten = ['01a22803-4a6c-7b02-9621-d3887c236f5d', '01a22803-4928-7b13-a2be-fe961290d6be'];

describe.each(names)('codex/%s', (name) => {
  test('shows the conversation of every thread as the program does', () =>
    withFixture(name, (sessions, { threads }) => {
      for (const [id, thread] of threads) {
        if (id === misread || neverWritten.includes(id) || thread['readError'] !== undefined) continue;
        const wanted = asObjects(thread['messages']).map((message) => [asText(message['role']), (asText(message['text']) ?? '').replace(/\n?\[(?:localImage|image)\]\n?/, '')]);
        expect(conversation(sessionIn(sessions, id)), id).toEqual(wanted);
      }
    }));

  test('counts, names, files and edges of every thread are those of the program', () =>
    withFixture(name, (sessions, { summary }) => {
      for (const row of summary) {
        const id = asText(row['id']) ?? '';
        if (id === misread || neverWritten.includes(id)) continue;
        const session = sessionIn(sessions, id);
        const shown = conversation(session);
        const { facts, edges } = session;
        const helper = session.records[0]?.message === undefined ? null : facts.title;
        expect({
          id,
          user: shown.filter(([role]) => role === 'user').length,
          assistant: shown.filter(([role]) => role === 'assistant').length,
          title: facts.title,
          archived: facts.archived !== null,
          fork: edges.find(({ kind }) => kind === 'fork')?.parent ?? null,
        }).toEqual({
          id,
          user: row['userMessages'],
          assistant: row['assistantMessages'],
          // A helper of the second kind has no message of a person: it is known by its path.
          title: oneLine(asText(row['name']) ?? asText(row['preview']) ?? '') || helper,
          archived: row['archived'] === true,
          fork: facts.kind === 'subagent' ? null : (row['forkedFromId'] ?? inferredForks[id] ?? null),
        });
        if (row['parentThreadId'] !== null) expect(edges.find(({ kind }) => kind === 'subagent')?.parent, id).toBe(row['parentThreadId']);
      }
    }));

  test('tokens are those the requests were billed, once each', () =>
    withFixture(name, (sessions, { summary, whole }) => {
      const recorded = asObject(whole['tokensRecorded']);
      for (const row of summary) {
        const id = asText(row['id']) ?? '';
        if (neverWritten.includes(id)) continue;
        expect(ownTokens(sessionIn(sessions, id)), id).toBe(asNumber(asObject(recorded?.[id])?.['total']) ?? row['tokensBilled']);
      }
    }));

  test('every turn ended as the program says', () =>
    withFixture(name, (sessions, { summary }) => {
      for (const row of summary) {
        const id = asText(row['id']) ?? '';
        if (id === misread || neverWritten.includes(id) || withoutTurns.has(name)) continue;
        expect(turnStatuses(sessionIn(sessions, id)), id).toEqual(reordered[id] ?? row['turnStatuses']);
      }
    }));

  test('messages of the person are those that were scripted', () =>
    withFixture(name, (sessions, { whole }) => {
      for (const [id, wanted] of Object.entries(asObject(whole['visibleUserMessages']) ?? {})) expect(prompts(sessionIn(sessions, id)), id).toEqual(wanted);
      for (const [id, wanted] of Object.entries(Array.isArray(whole['visible']) ? {} : (asObject(whole['visible']) ?? {}))) expect(conversation(sessionIn(sessions, id)), id).toEqual(wanted);
      if (Array.isArray(whole['visible'])) expect(conversation([...sessions.values()][0] as DrivenSession)).toEqual(whole['visible']);
    }));

  test('forks and helpers hang where they were made, with the turns they took over', () =>
    withFixture(name, (sessions, { whole }) => {
      for (const edge of asObjects(whole['forkEdges'])) {
        const child = sessionIn(sessions, asText(edge['to']) ?? '');
        const found = child.edges.find(({ kind }) => kind === 'fork');
        const turns = new Set(found?.inherited.map((key) => key.replace(/\.[^.]*$/, '')));
        expect([found?.parent, turns.size], child.native).toEqual([edge['from'], edge['inheritedTurns']]);
      }
      for (const edge of asObjects(whole['spawnEdges'])) {
        const child = sessionIn(sessions, asText(edge['child_thread_id']) ?? '');
        expect(child.edges.map(({ kind, parent }) => [kind, parent]), child.native).toEqual([['subagent', edge['parent_thread_id']]]);
      }
    }));

  test('what was taken back is shown as taken back', () =>
    withFixture(name, (sessions, { whole }) => {
      const wanted = new Map<string, string[]>();
      for (const revert of asObjects(whole['revertsInOrder'])) {
        const thread = asText(revert['thread']) ?? '';
        wanted.set(thread, [...(wanted.get(thread) ?? []), ...asTexts(revert['hides'])]);
      }
      for (const [id, hidden] of wanted) {
        const session = sessionIn(sessions, id);
        const reverted = session.parts.filter(({ settled, record, fact }) => settled.state === 'reverted' && record.message?.prompt && fact.kind === 'text').map(({ body }) => body.text);
        expect(reverted, id).toEqual(hidden);
        expect(session.settled.reverted, id).toBe(true);
      }
      for (const [id, marks] of Object.entries(asObject(whole['rollbacks']) ?? {})) {
        const counts = Array.isArray(marks) ? marks : [...asList(asObject(marks)?.['copied']), ...asList(asObject(marks)?.['own'])];
        const session = sessionIn(sessions, id);
        expect(session.records.filter(({ type }) => type === 'event_msg/thread_rolled_back').map(({ note }) => note?.['turns']), id).toEqual(counts);
      }
    }));

  test('line by line gives what one pass gives', () => {
    const fixture = openFixture('codex', name);
    try {
      const whole = drive(fixture.home);
      const cut = drive(fixture.home, atEachLine);
      expect([...cut.sessions]).toEqual([...whole.sessions]);
      expect(cut.driver.damage).toEqual([]);
      expect(whole.driver.unknown).toEqual({});
    } finally {
      fixture.dispose();
    }
  });
});

/** 0.50 wrote no pointer to the parent: the lineage is worked out. */
const inferredForks: Record<string, string> = { '01a22804-b823-7be2-a63f-3a0acfd0c03b': '01a22804-9bd1-7243-b4de-77e761f5b621' };
/** Releases that record neither begin nor end of a turn. */
const withoutTurns = new Set(['v039', 'v050', 'v098', 'bare-020', 'ts-cli']);
/** A review's turn stands in its parent's file, too, without an end; the server lists it last, the file has it before. */
const reordered: Record<string, string[]> = {
  '01a22807-fd32-7cb1-b529-e465e6b4ede7': ['completed', 'completed', 'completed', 'failed', 'interrupted', 'completed'],
};
