import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectedOf, type Fixture, fixtureNames, openFixture } from '../../../../e2e/fixtures';
import { filesOfDiff } from './patches';
import { dataFolder, TestLibrary, type TestSession, withFixture } from './library.test-support';

/** The parts of the ground truth that are asserted; see the fixtures' README for what each was taken from. */
interface ExpectedSession {
  id: string;
  title: string;
  version: string;
  directory: string | null;
  parentID: string | null;
  lineage: { kind: 'root' | 'fork' | 'subagent' | 'child' | 'imported'; of?: string; parent?: string; beforeMessage?: string | null; copiedMessages?: number };
  children: string[];
  created: number;
  updated: number;
  archived: number | null;
  shareURL: string | null;
  agent: string | null;
  model: { id: string } | null;
  tokens: { input: number; output: number; reasoning: number; cache: { read: number; write: number } } | null;
  messages: { total: number; user: number; assistant: number };
  order: string[];
  parts: Record<string, number>;
  tools: Record<string, number>;
  firstUserText: string | null;
  compactions: { generation?: 2; messageID?: string; markerMessageID?: string | null; summaryMessageID?: string; summaryText: string | null; failed?: string | null; auto?: boolean; overflow?: boolean | null; tailStartID?: string | null; messagesBefore?: number }[];
  prunedToolParts: { partID: string; at: number }[];
  errors: { messageID: string; name: string }[];
  unfinishedMessages: string[];
  revert: {
    messageID: string; partID: string | null; snapshot: string; hiddenMessages: number | null; hiddenPartsInTarget: number | null;
    storedDiffFiles: { file: string; additions: number; deletions: number; status: string }[];
    undoneWork: { file: string; additions: number; deletions: number; status: string }[];
  } | null;
  todos: { content: string; status: string; priority: string }[] | null;
  secondGeneration: { messages: number; types: Record<string, number>; order: string[]; revert: { messageID: string; files: { path: string; additions: number; deletions: number }[] } | null } | null;
}

interface Expected {
  sessions: ExpectedSession[];
  otherData?: { sessions: ExpectedSession[] };
}

const first = ({ held }: TestSession) => held.filter(({ type }) => type.startsWith('message/'));
const second = ({ held }: TestSession) => held.filter(({ type, note }) => type.startsWith('v2/') && type !== 'v2/input' && note?.['seq'] !== null);
const partRows = ({ ordered }: TestSession) => ordered.filter(({ type }) => type.startsWith('part/'));

const count = (words: string[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
};

/** The word the store itself uses for a call's state: a refusal is an `error`, an aborted shell command `completed`. */
function storedStatus(session: TestSession, key: string): string {
  const { record } = session.part(key);
  const bytes = session.library.bytes(record.source, record.at, record.bytes)?.toString('utf8') ?? '';
  return (JSON.parse(bytes) as { r: { data: { state: { status: string } } } }).r.data.state.status;
}

describe.each(fixtureNames('opencode'))('%s', (name) => {
  const expected = expectedOf('opencode', name) as Expected;
  let fixture: Fixture;
  let library: TestLibrary;
  beforeAll(() => {
    fixture = openFixture('opencode', name);
    library = TestLibrary.of(dataFolder(fixture.home));
    library.pass();
  });
  afterAll(() => fixture.dispose());

  test('all of it was read', () => {
    expect(library.survey.problem).toBe(null);
    expect(library.damage).toEqual([]);
    expect(library.unknown).toEqual({});
    expect(library.natives).toEqual(expected.sessions.map(({ id }) => id).sort());
  });

  test('sessions, messages, parts, tools and figures are those of the program', () => {
    expect.hasAssertions();
    for (const truth of expected.sessions) checkSession(library.session(truth.id), truth);
  });

  test('reverts hide what the program hides', () => {
    expect.hasAssertions();
    for (const truth of expected.sessions) checkRevert(library.session(truth.id), truth);
  });

  test('compactions are those that count', () => {
    expect.hasAssertions();
    for (const truth of expected.sessions) checkCompactions(library.session(truth.id), truth);
  });

  test('lineage is what was done', () => {
    expect.hasAssertions();
    checkLineage(library, expected.sessions);
  });

  test('the list stands before anything is read', () => {
    const heads = TestLibrary.of(library.location.folder);
    heads.pass(() => false);
    const found = Object.fromEntries(heads.survey.heads.map((head) => [head.native, head]));
    for (const truth of expected.sessions) {
      expect(found[truth.id], truth.id).toMatchObject({ title: truth.title, created: truth.created, archived: truth.archived, parent: truth.parentID });
      if (truth.directory !== null) expect(found[truth.id]?.directory).toBe(truth.directory);
    }
  });

  test('a second pass finds nothing to do', () => {
    library.pass();
    expect({ lines: library.lines, batches: library.batches, gone: library.survey.gone }).toEqual({ lines: 0, batches: 0, gone: [] });
  });
});

function checkSession(session: TestSession, truth: ExpectedSession): void {
  const { facts } = session;
  expect(facts).toMatchObject({ title: truth.title, agentVersion: truth.version, created: truth.created, updated: truth.updated, archived: truth.archived });
  expect(facts.kind).toBe(truth.parentID === null ? 'session' : 'subagent');
  // The API of 0.5.29 names no folder; its replies do.
  if (truth.directory !== null) expect(facts.directory).toBe(truth.directory);
  if (truth.model !== null) expect(facts.model).toBe(truth.model.id);
  if (truth.agent !== null) expect(facts.agentName).toBe(truth.agent);
  expect(facts.todos).toEqual((truth.todos ?? []).map(({ content, status, priority }) => ({ content, status, priority })));
  if (truth.shareURL !== null) expect(facts.notices.map(({ text }) => text).join('\n')).toContain(truth.shareURL);

  const rows = first(session);
  expect(rows.length).toBe(truth.messages.total);
  expect(count(rows.map(({ message }) => message?.role ?? 'none'))).toEqual(count([...Array<string>(truth.messages.user).fill('user'), ...Array<string>(truth.messages.assistant).fill('assistant')]));
  expect(rows.every(({ message }) => message?.counted)).toBe(true);
  const seconds = new Set(second(session).map(({ key }) => key));
  expect(session.messageOrder.filter((key) => !seconds.has(key) && session.messages.get(key)?.counted && rows.some((row) => row.key === key))).toEqual(truth.order);
  expect(count(partRows(session).map(({ type }) => type.slice(5)))).toEqual(truth.parts);
  expect(count(partRows(session).filter(({ type }) => type === 'part/tool').map(({ key, parts }) => `${parts[0]?.tool?.name}:${storedStatus(session, key ?? '')}`))).toEqual(truth.tools);
  // The first text, be it typed or the note the program files a `!command` under; the ground truth cuts it at 200 characters.
  const texts = session.parts.filter(({ role, part, state }) => role === 'user' && part.kind === 'text' && state !== 'pending');
  const text = (texts.find(({ record }) => record.type === 'part/text') ?? texts[0])?.part.text ?? null;
  expect(text?.slice(0, 200) ?? null).toBe(truth.firstUserText);

  expect(partRows(session).filter(({ note }) => note?.['cleared'] !== undefined).map(({ key, note }) => ({ partID: key, at: note?.['cleared'] })).sort(byPart)).toEqual([...truth.prunedToolParts].sort(byPart));
  for (const { partID } of truth.prunedToolParts) expect(session.part(partID)).toMatchObject({ state: 'cleared', seen: true });
  expect(rows.filter(({ note }) => note?.['error'] !== undefined).map(({ key, note }) => ({ messageID: key, name: note?.['error'] })).sort(byMessage)).toEqual([...truth.errors].sort(byMessage));
  for (const { messageID } of truth.errors) expect(session.part(messageID).part.kind).toBe('notice');
  expect(rows.filter(({ note }) => note?.['done'] === false).map(({ key }) => key)).toEqual(truth.unfinishedMessages);
  expect(session.settled.condition).toBe(truth.unfinishedMessages.length > 0 ? 'interrupted' : 'finished');

  // An import whose messages were there already brought its row's figures, and no message.
  if (truth.tokens !== null && truth.tokens.input > 0 && truth.messages.total > 0) {
    const sums = { input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } };
    for (const { message } of rows) {
      sums.input += message?.tokens?.input ?? 0;
      sums.output += message?.tokens?.output ?? 0;
      sums.reasoning += message?.tokens?.reasoning ?? 0;
      sums.cache.read += message?.tokens?.cacheRead ?? 0;
      sums.cache.write += message?.tokens?.cacheWrite ?? 0;
    }
    expect(sums).toEqual(truth.tokens);
  }
  if (truth.secondGeneration) {
    expect(session.ordered.filter(({ key }) => seconds.has(key)).map(({ key }) => key)).toEqual(truth.secondGeneration.order);
    expect(seconds.size).toBe(truth.secondGeneration.messages);
    expect(count(second(session).map(({ type }) => type.slice(3)))).toEqual(truth.secondGeneration.types);
  }
}

const byPart = (a: { partID: unknown }, b: { partID: unknown }) => String(a.partID).localeCompare(String(b.partID));
const byMessage = (a: { messageID: unknown }, b: { messageID: unknown }) => String(a.messageID).localeCompare(String(b.messageID));

function checkRevert(session: TestSession, { revert, secondGeneration }: ExpectedSession): void {
  const { facts, settled } = session;
  expect(settled.reverted).toBe(revert !== null);
  if (!revert) {
    expect(facts.revert).toBe(null);
    expect(session.parts.some(({ state }) => state === 'reverted')).toBe(false);
    return;
  }
  expect(facts.revert).toMatchObject({ message: revert.messageID, part: revert.partID, snapshot: revert.snapshot });
  const files = facts.revert?.files.map(({ path, added, removed }) => ({ file: path, additions: added, deletions: removed }));
  expect(files).toEqual(revert.storedDiffFiles.map(({ file, additions, deletions }) => ({ file, additions, deletions })));
  expect(filesOfDiff(facts.revert?.diff ?? '').map(({ path, kind }) => `${path} ${kind}`)).toEqual(
    revert.storedDiffFiles.map(({ file, status }) => `${file} ${{ added: 'create', deleted: 'delete', modified: 'edit' }[status]}`),
  );
  const hidden = session.held.filter((_, index) => settled.records[index]?.state === 'reverted');
  if (secondGeneration) {
    const order = secondGeneration.order;
    expect(hidden.map(({ key }) => key).sort()).toEqual(order.slice(order.indexOf(revert.messageID) + 1).sort());
    return;
  }
  const hiddenMessages = new Set(hidden.map(({ message }) => message?.key));
  const target = hidden.filter(({ message, type }) => message?.key === revert.messageID && type.startsWith('part/'));
  if (revert.partID !== null) hiddenMessages.delete(revert.messageID);
  expect(hiddenMessages.size).toBe(revert.hiddenMessages);
  if (revert.hiddenPartsInTarget !== null) expect(target.length).toBe(revert.hiddenPartsInTarget);
  for (const shown of session.parts) expect(shown.seen && shown.state === 'reverted').toBe(false);
}

function checkCompactions(session: TestSession, { compactions }: ExpectedSession): void {
  const counting = compactions.filter(({ failed }) => !failed);
  expect(session.settled.compactions).toBe(counting.length);
  for (const compaction of compactions) {
    const key = compaction.summaryMessageID ?? compaction.messageID ?? '';
    const summary = session.parts.filter(({ message, part }) => message === key && part.kind === 'summary');
    if (compaction.summaryText === null) expect(summary).toEqual([]);
    else expect(summary.map(({ part }) => part.text)).toEqual([compaction.summaryText]);
    if (compaction.failed) expect(session.settled.notices.map(({ text }) => text).join('\n')).toContain(`${key} failed`);
  }
  const last = counting.at(-1);
  const states = new Map(session.parts.map(({ message, state }) => [message, state]));
  if (!last) return expect([...states.values()]).not.toContain('compacted');
  const lastKey = last.summaryMessageID ?? last.messageID ?? '';
  expect(session.parts.find(({ message, part }) => message === lastKey && part.kind === 'summary')?.state).toBe('summary');
  const order = session.messageOrder.filter((key) => session.messages.get(key)?.counted);
  const from = order.indexOf(last.markerMessageID ?? lastKey);
  const tail = last.tailStartID ? order.indexOf(last.tailStartID) : from;
  order.forEach((key, place) => {
    const isCompacted = session.parts.filter(({ message }) => message === key).some(({ state }) => state === 'compacted');
    const hasParts = session.parts.some(({ message }) => message === key);
    expect(isCompacted, `${key} at ${place}`).toBe(hasParts && place < tail);
  });
  if (last.messagesBefore !== undefined) expect(from).toBe(last.messagesBefore);
}

function checkLineage(library: TestLibrary, truths: ExpectedSession[]): void {
  const edges = library.edges();
  for (const truth of truths) {
    const found = edges.filter(({ child }) => child === truth.id);
    switch (truth.lineage.kind) {
      case 'root':
        expect(found, truth.id).toEqual([]);
        break;
      case 'fork':
        expect(found, truth.id).toHaveLength(1);
        expect(found[0], truth.id).toMatchObject({ parent: truth.lineage.of, kind: 'fork', certainty: 'inferred' });
        checkInherited(library, truth, found[0]?.inherited ?? []);
        break;
      case 'subagent':
        expect(found, truth.id).toHaveLength(1);
        expect(found[0]).toMatchObject({ parent: truth.lineage.parent, kind: 'subagent', certainty: 'recorded', callId: expect.any(String), after: expect.any(String) });
        break;
      case 'child':
        expect(found).toMatchObject([{ parent: truth.lineage.parent, kind: 'subagent', certainty: 'recorded', callId: null }]);
        break;
      case 'imported':
        expect(library.session(truth.id).facts.notices.map(({ text }) => text).join('\n')).toContain('imported');
        break;
    }
    const children = edges.filter(({ parent, kind }) => parent === truth.id && kind === 'subagent').map(({ child }) => child);
    expect(children.sort()).toEqual([...truth.children].sort());
  }
}

/** Copies that are still there: a revert made final in the fork has deleted some of one fixture's. */
function checkInherited(library: TestLibrary, truth: ExpectedSession, inherited: string[]): void {
  const own = library.session(truth.id);
  const copied = truth.order.filter((key) => (own.messages.get(key)?.time ?? Infinity) < truth.created);
  expect(inherited).toEqual(copied);
  if (truth.messages.total >= (truth.lineage.copiedMessages ?? 0)) expect(inherited).toHaveLength(truth.lineage.copiedMessages ?? 0);
}

test('another data folder is a store of its own, and an empty event log does not say that a session was imported', () => {
  withFixture(openFixture('opencode', 'v118-share-import'), (_library, { home, expected }) => {
    const other = TestLibrary.of(`${home}/other-data/opencode`);
    other.pass();
    const truths = (expected as Expected).otherData?.sessions ?? [];
    expect(other.natives).toEqual(truths.map(({ id }) => id));
    for (const truth of truths) checkSession(other.session(truth.id), truth);
    expect(other.session('ses_e2b38726bffec1bGQpB4nw029f').facts.notices.map(({ text }) => text).filter((text) => text.includes('imported'))).toEqual([]);
    expect(other.location.folder).not.toBe(dataFolder(home));
  });
});
