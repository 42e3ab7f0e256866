import { afterAll, describe, expect, test } from 'vitest';
import { expectedOf, type Fixture, fixtureNames, openFixture } from '../../../../e2e/fixtures';
import { drive, type DrivenPart, type DrivenSession, type DrivenStore } from './drive.test-support';
import { claudeCode } from './index';

/** What the cases expect of single records: outputs, questions, pictures, plans, errors, interrupts. */
interface Details {
  session_id: string;
  persisted_results?: { tool: string; command: string; file_first_line: string; file_last_line: string }[];
  background_commands?: { description: string; command: string; exit: number }[];
  pr_links?: { number: number; url: string; repository: string }[];
  plan?: { text: string };
  images?: { file: string; media_type: string; bytes: number }[];
  shell_commands?: { typed: string; stdout: string }[];
  hooks?: string[];
  questions?: { question: string; answer: string }[];
  api_errors?: { status: number; prompt: string }[];
  interrupts?: string[];
  denied_tools?: string[];
  failed_tools?: string[];
}

const opened: Fixture[] = [];
afterAll(() => opened.forEach((fixture) => fixture.dispose()));

const cases = fixtureNames('claude-code').flatMap((name) => (expectedOf('claude-code', name) as { sessions: Details[] }).sessions.map((details) => ({ name, details })));
const stores = new Map<string, DrivenStore>();

function open(name: string): DrivenStore {
  const known = stores.get(name);
  if (known) return known;
  const fixture = openFixture('claude-code', name);
  opened.push(fixture);
  const store = drive(claudeCode, fixture.home);
  stores.set(name, store);
  return store;
}

function given<T>(field: (details: Details) => T[] | undefined): { name: string; session_id: string; wanted: T }[] {
  return cases.flatMap(({ name, details }) => (field(details) ?? []).map((wanted) => ({ name, session_id: details.session_id, wanted })));
}

function sessionIn(name: string, native: string): { store: DrivenStore; session: DrivenSession } {
  const store = open(name);
  const session = store.sessions.get(native);
  if (!session) throw new Error(`no session ${native}`);
  return { store, session };
}

function callOf(store: DrivenStore, session: DrivenSession, tool: string, target: string): DrivenPart {
  const found = session.parts.find((part) => part.fact.tool?.name === tool && store.body(part).tool?.target?.endsWith(target));
  if (!found) throw new Error(`no call ${tool} ${target}`);
  return found;
}

test.each(given((details) => details.persisted_results))('$name: the whole output of "$wanted.command" is in its file', ({ name, session_id, wanted }) => {
  const { store, session } = sessionIn(name, session_id);
  const lines = store.body(callOf(store, session, wanted.tool, wanted.command)).tool?.output?.trimEnd().split('\n') ?? [];
  expect([lines[0], lines.at(-1)]).toEqual([wanted.file_first_line, wanted.file_last_line]);
});

test.each(given((details) => details.background_commands))('$name: "$wanted.description" went on in the background and reported', ({ name, session_id, wanted }) => {
  const { store, session } = sessionIn(name, session_id);
  const call = callOf(store, session, 'Bash', wanted.command);
  expect(call.result?.fact.status).toBe('completed');
  const note = store.body(call).tool?.note ?? '';
  const task = /in the background as (\w+)\./.exec(note)?.[1] ?? 'none';
  const report = session.parts.find((part) => part.fact.kind === 'notice' && part.fact.text?.includes(`<task-id>${task}</task-id>`));
  expect(report?.fact.title).toMatch(new RegExp(`"${wanted.description}".*exit code ${wanted.exit}`));
});

test.each(given((details) => details.pr_links))('$name: pull request $wanted.number', ({ name, session_id, wanted }) => {
  expect(sessionIn(name, session_id).session.facts.pullRequests).toContainEqual(wanted);
});

test.each(given((details) => details.plan && [details.plan]))('$name: the plan', ({ name, session_id, wanted }) => {
  const { session } = sessionIn(name, session_id);
  const plan = session.parts.find((part) => part.fact.tool?.family === 'plan');
  expect(plan?.fact.text).toContain(wanted.text);
  expect(plan?.result?.fact).toMatchObject({ status: 'completed', text: expect.stringContaining('approved') });
});

test.each(given((details) => details.images))('$name: the picture $wanted.file', ({ name, session_id, wanted }) => {
  const { store, session } = sessionIn(name, session_id);
  const part = session.parts.find((candidate) => candidate.fact.kind === 'file' && candidate.fact.title === wanted.file);
  const image = part && store.body(part).file?.image;
  expect({ mime: image?.mime, bytes: Buffer.from(image?.data ?? '', 'base64').length }).toEqual({ mime: wanted.media_type, bytes: wanted.bytes });
});

test.each(given((details) => details.shell_commands))('$name: the shell command $wanted.typed', ({ name, session_id, wanted }) => {
  const { session } = sessionIn(name, session_id);
  const at = session.parts.findIndex((part) => part.fact.kind === 'command' && part.fact.text === wanted.typed);
  expect(session.parts[at + 1]?.fact).toMatchObject({ kind: 'notice', text: wanted.stdout });
});

test.each(given((details) => details.hooks))('$name: the hook $wanted', ({ name, session_id, wanted }) => {
  const { session } = sessionIn(name, session_id);
  const hook = wanted.split(': hook_')[0];
  const shown = session.parts.filter((part) => part.fact.title?.startsWith(`Hook ${hook}`));
  expect(shown.length).toBeGreaterThan(0);
  expect(shown.every((part) => part.fact.kind === 'notice' && part.fact.injected && part.fact.text !== null)).toBe(true);
});

test.each(given((details) => details.questions))('$name: the question "$wanted.question"', ({ name, session_id, wanted }) => {
  const { store, session } = sessionIn(name, session_id);
  expect(store.body(callOf(store, session, 'AskUserQuestion', wanted.question)).tool?.output).toContain(`"${wanted.question}"="${wanted.answer}"`);
});

describe('errors', () => {
  test.each(given((details) => details.api_errors))('$name: API error $wanted.status after "$wanted.prompt"', ({ name, session_id, wanted }) => {
    const { store, session } = sessionIn(name, session_id);
    const prompt = session.parts.findIndex((part) => part.fact.text === wanted.prompt);
    const error = session.parts.slice(prompt + 1).find((part) => part.record.type === 'assistant');
    expect(error?.fact).toMatchObject({ kind: 'notice', injected: false });
    expect(error?.record.message).toMatchObject({ counted: false, tokens: null });
    const record = error?.record;
    const entry = JSON.parse(store.bytesOf(error?.source ?? '').subarray(record?.at, (record?.at ?? 0) + (record?.bytes ?? 0)).toString());
    expect(entry.apiErrorStatus).toBe(wanted.status);
  });

  test.each(given((details) => details.denied_tools))('$name: refused: $wanted', ({ name, session_id, wanted }) => {
    const { store, session } = sessionIn(name, session_id);
    const [tool = '', target = ''] = wanted.split(/: (.*)/);
    expect(callOf(store, session, tool, target).result?.fact.status).toBe('denied');
  });

  test.each(given((details) => details.failed_tools))('$name: failed: $wanted', ({ name, session_id, wanted }) => {
    const { store, session } = sessionIn(name, session_id);
    const [, tool = '', target = '', why = ''] = /^(\w+): (.*) \((.*)\)$/.exec(wanted) ?? [];
    const call = callOf(store, session, tool, target);
    expect(call.result?.fact.status).toBe('error');
    expect(`exit code ${store.body(call).tool?.exitCode} ${call.result?.fact.text}`.toLowerCase()).toContain(why);
  });

  test.each(given((details) => details.interrupts))('$name: interrupted: $wanted', ({ name, session_id, wanted }) => {
    const { session } = sessionIn(name, session_id);
    const marker = /"(\[Request interrupted[^"]*)"/.exec(wanted)?.[1];
    const shown = session.parts.filter((part) => part.fact.text === marker);
    expect(shown.length).toBeGreaterThan(0);
    expect(shown.every((part) => part.fact.kind === 'notice' && part.fact.title === 'Interrupted by the person')).toBe(true);
  });
});
