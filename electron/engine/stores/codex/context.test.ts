import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fixtureNames, openFixture } from '../../../../e2e/fixtures';
import { drive, type DrivenSession, type Driver } from './drive.test-support';
import { asNumber, asObject, asObjects, asText, asTexts } from '../foreign/fields';
import { contextOf, listOf, requestOf } from './sent.test-support';

const names = fixtureNames('codex');

function withFixture(name: string, check: (sessions: Map<string, DrivenSession>, driver: Driver) => void): void {
  const fixture = openFixture('codex', name);
  try {
    const { sessions, driver } = drive(fixture.home);
    check(sessions, driver);
  } finally {
    fixture.dispose();
  }
}

function sessionIn(sessions: Map<string, DrivenSession>, id: string): DrivenSession {
  const session = sessions.get(id);
  if (!session) throw new Error(`no session ${id}`);
  return session;
}

interface Requests {
  threads: Map<string, string[]>;
  points: { thread: string; lines: number; sent: string[] }[];
}

/** What the real program sent; see the file's own `about`. */
function requestsOf(name: string): Requests | null {
  const path = join(import.meta.dirname, '../../../../e2e/fixtures/codex', name, 'requests.json');
  if (!existsSync(path)) return null;
  const requests = asObject(JSON.parse(readFileSync(path, 'utf8'))) ?? {};
  return {
    threads: new Map(Object.entries(asObject(requests['threads']) ?? {}).map(([id, thread]) => [id, asTexts(asObject(thread)?.['sent'])])),
    points: asObjects(requests['points']).map((point) => ({ thread: asText(point['thread']) ?? '', lines: asNumber(point['lines']) ?? 0, sent: asTexts(point['sent']) })),
  };
}

/** The first record behind so many lines of a thread's one file. Ordinals count from 0, lines without them from 1. */
function recordBehind(session: DrivenSession, lines: number): number | null {
  const isNumbered = session.records.some(({ key }) => key === '1');
  const order = session.settled.order ?? session.records.map((_, index) => index);
  return order.find((index) => (session.records[index]?.order ?? 0) >= lines + (isNumbered ? 0 : 1)) ?? null;
}

/** Items in order; outputs apart, since those of calls made together stand behind the last of them. */
function sentBy(session: DrivenSession, driver: Driver, before: number | null): string[] {
  const { items, outputs } = requestOf(session, driver, contextOf(session, before));
  return [...items, ...outputs.toSorted()];
}

const outputsLast = (sent: string[]): string[] => [...sent.filter((line) => !line.startsWith('output ')), ...sent.filter((line) => line.startsWith('output ')).toSorted()];

describe.each(names)('codex/%s', (name) => {
  test('what is seen is what is sent', () =>
    withFixture(name, (sessions) => {
      for (const session of sessions.values()) {
        const view = contextOf(session);
        expect(view.records, session.native).toEqual(session.settled.records);
        const sent = new Set(view.sent.map((piece) => (piece.type === 'part' ? piece.record : piece.from)));
        const seen = session.settled.records.flatMap((record, index) => (record.seen && ((session.records[index]?.parts.length ?? 0) > 0 || sent.has(index)) ? [index] : []));
        expect([...sent].sort((a, b) => a - b), session.native).toEqual(seen);
        const pieces = view.sent.map((piece) => JSON.stringify(piece));
        expect(new Set(pieces).size, session.native).toBe(pieces.length);
      }
    }));
});

/** Only where requests of the program were recorded: files of old releases cannot be resumed. */
test.each(names.filter((name) => requestsOf(name) !== null))('codex/%s is what the program itself sent when it was resumed', (name) =>
  withFixture(name, (sessions, driver) => {
    for (const [id, sent] of requestsOf(name)?.threads ?? []) expect(sentBy(sessionIn(sessions, id), driver, null), id).toEqual(outputsLast(sent));
  }));

test.each(names.filter((name) => (requestsOf(name)?.points.length ?? 0) > 0))('codex/%s: at a point it is what the program sent of a file that ended there', (name) =>
  withFixture(name, (sessions, driver) => {
    for (const { thread, lines, sent } of requestsOf(name)?.points ?? []) {
      const session = sessionIn(sessions, thread);
      expect(sentBy(session, driver, recordBehind(session, lines)), `${thread} behind line ${lines}`).toEqual(outputsLast(sent));
    }
  }));

/** Every piece of every thread, one line each: role, kind, state, first words. */
test.each(names)('codex/%s: the whole lists', (name) => {
  const wanted: unknown = JSON.parse(readFileSync(join(import.meta.dirname, '../../../../e2e/fixtures/codex', name, 'context.json'), 'utf8'));
  withFixture(name, (sessions, driver) => {
    expect(Object.fromEntries([...sessions].map(([id, session]) => [id, listOf(session, driver, contextOf(session))]))).toEqual(wanted);
  });
});

const lines = (sessions: Map<string, DrivenSession>, driver: Driver, id: string, before: (session: DrivenSession) => number | null): string[] => {
  const [, session] = [...sessions].find(([native]) => native.includes(id)) ?? [];
  return session ? listOf(session, driver, contextOf(session, before(session))).filter((line) => !line.includes(' hidden ')) : [];
};

const promptOf = (text: string) => (session: DrivenSession): number => {
  const part = session.parts.find(({ record, body }) => record.message?.prompt && body.text === text);
  return session.records.findIndex((record) => record === part?.record);
};

test('revert-chain: before a turn that was taken back the thread is what it was then', () =>
  withFixture('revert-chain', (sessions, driver) => {
    const root = 'ac14-70a3';
    expect(lines(sessions, driver, root, promptOf('Say four'))).toEqual([
      'user text live Say one', 'assistant text live You asked me to say one.', 'user text live Say two', 'assistant text live You asked me to say two.',
      'user text live Say three', 'assistant text live You asked me to say three.',
    ]);
    expect(lines(sessions, driver, root, promptOf('Say five'))).toEqual([
      'user text live Say one', 'assistant text live You asked me to say one.', 'user text live Say two', 'assistant text live You asked me to say two.',
    ]);
    expect(lines(sessions, driver, root, () => null)).toEqual([
      'user text live Say one', 'assistant text live You asked me to say one.', 'user text live Say two', 'assistant text live You asked me to say two.',
      'user text live Say six', 'assistant text live You asked me to say six.',
    ]);
    const session = [...sessions].find(([id]) => id.includes(root))?.[1] as DrivenSession;
    const view = contextOf(session, promptOf('Say five')(session));
    const stateOf = (text: string) => view.records[promptOf(text)(session)]?.state ?? null;
    expect([stateOf('Say one'), stateOf('Say three'), stateOf('Say four'), stateOf('Say five'), stateOf('Say six')]).toEqual(['live', 'reverted', 'reverted', null, null]);
  }));

test('compaction: before the turn that compacted everything is whole; behind it the summary stands in the place it is sent in', () =>
  withFixture('compaction', (sessions, driver) => {
    const auto = '3650-7031';
    expect(lines(sessions, driver, auto, promptOf('Fill the context'))).toEqual(['user text live Say start', 'assistant text live You asked me to say start.']);
    expect(lines(sessions, driver, auto, promptOf('Say end'))).toEqual([
      'user text live Say start', 'user text live Fill the context', 'system summary summary SUMMARY: heightAt was added to src/tide.', 'assistant text live Counted to five after the summary.',
    ]);
  }));

test('what could not be known is said', () => {
  const notes = (name: string, id: string): string[] => {
    let found: string[] = [];
    withFixture(name, (sessions) => (found = contextOf([...sessions].find(([native]) => native.includes(id))?.[1] as DrivenSession).notes));
    return found;
  };
  const always = 'Not listed: the base instructions and the tools’ schemas, which go along with every request.';
  const resumed = 'When Codex resumes the thread, it adds what has changed of its own context (instructions, folder, permissions, skills, model) in front of the next message.';
  expect(notes('compaction', '3650-7031')).toEqual([always, resumed]);
  expect(notes('v050', 'b823-7be2')).toEqual([always, resumed, 'This release did not record what the compaction left: it is rebuilt as Codex does, of the person’s messages and the summary.']);
  expect(notes('bare-020', '')).toEqual([always, 'Current releases cannot resume a file of this shape; this is what the release that wrote it would send.']);
});
