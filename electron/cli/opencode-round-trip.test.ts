import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { piped, type Place, retrace } from '../../e2e/command-line';
import { type FixtureFamily, openFixture } from '../../e2e/fixtures';

/**
 * What leaves in the shape of `opencode export` comes in as it was: exported from one home, imported into the library of
 * an empty one, its messages, parts, states of calls and tokens are the same.
 */
interface ShownPart {
  kind: string;
  text?: string;
  state: string;
  bytes: number;
  tool?: { name: string; status: string; input: string | null; output: string | null };
}
interface Shown {
  session: Record<string, unknown> & { counts: unknown; tokens: unknown; parent: unknown };
  branches: unknown[];
  messages: (Record<string, unknown> & { role: string; parts: ShownPart[] })[];
  damage: unknown[];
  checkpoints: unknown;
}

let folder: string;
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'retrace-opencode-round-trip-'))));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function json<T>(place: Place, ...args: string[]): Promise<T> {
  const { code, stdout, stderr } = await retrace(place, ...args, '--json');
  if (code !== 0) throw new Error(`${args.join(' ')}: ${stderr}`);
  return JSON.parse(stdout) as T;
}

/** Each session as it is shown here, and as it is shown where only its export came. */
async function* thereAndBack(family: FixtureFamily, name: string, sessions: readonly string[]): AsyncIterable<[string, Shown, Shown]> {
  const fixture = openFixture(family, name);
  const own = join(folder, name);
  mkdirSync(join(own, 'empty'), { recursive: true });
  const here = { home: fixture.home, library: join(own, 'here.db') };
  const there = { home: join(own, 'empty'), library: join(own, 'there.db') };
  // Aider keeps its histories in projects.
  const places = family === 'aider' ? readdirSync(fixture.home, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.aider.chat.history.md')) : [];
  await json(here, 'ls', ...places.flatMap((path) => ['--add', join(fixture.home, dirname(path))]));
  for (const session of sessions) {
    const file = join(own, `${session}.json`);
    await json(here, 'export', session, '--format', 'opencode', '--no-redact', '--out', file, '--no-index');
    const { session: imported } = await json<{ session: string }>(there, 'import', file, '--yes');
    yield [session, await json(here, 'show', session, '--no-index'), await json(there, 'show', imported)];
  }
  fixture.dispose();
}

/** What an export of OpenCode can carry: no todos, no lineage (so of a fork not what is inherited), no folder of a worktree; a row has another size in it. */
function carried({ session, branches, messages, damage, checkpoints }: Shown, isFork: boolean): unknown {
  const { title, directory, model, created, updated, archived, counts, tokens, compactions, reverted } = session;
  const text = JSON.stringify({
    session: { title, directory, model, created, updated, archived, counts, compactions, reverted, ...(!isFork && { tokens }) }, branches, damage, checkpoints,
    messages: messages.map((message) => ({ ...message, parts: message.parts.map(({ bytes: _bytes, ...part }) => part) })),
  });
  return JSON.parse(text.replace(/"(?:opencode|retrace~[0-9a-f]{12})\/ses_/g, '"~/ses_'));
}

/** All that has a session of a fixture: messages, calls, tokens in and out. */
const figures = ({ counts, tokens }: Shown['session']) => {
  const { messages, toolCalls } = counts as { messages: number; toolCalls: number };
  const { input, output } = tokens as { input: number; output: number };
  return [messages, toolCalls, input, output];
};

describe.each<[name: string, sessions: [id: string, ...figures: number[]][]]>([
  ['v118-main', [
    ['ses_e1c4ca54fffeipXfLMeNjmVdC1', 10, 4, 7_853, 488], ['ses_e0762e6efffedNXO6ObahX01E1', 7, 0, 5_298, 374], ['ses_e0be46b49ffeZLcnAASaKwuf2r', 9, 3, 9_915, 558],
    ['ses_e12390258ffeUfJCLGDeQ7saG5', 4, 0, 1_742, 95], ['ses_e1239077effevnpTtgj1qWpooG', 19, 14, 22_431, 1_318],
  ]],
  ['v118-compaction', [['ses_e5a88f5d8ffe1ZsVkLgg62norn', 13, 1, 7_256, 544]]],
  ['v118-revert', [['ses_e3b6b944effeLb54R5shbyxppF', 12, 7, 13_636, 875]]],
  ['v11-json', [['ses_434d12ff1ffevZzQPZPdNDw0h7', 7, 4, 7_584, 436], ['ses_439f7877effepokJRqr9n7Ebc1', 2, 1, 0, 0]]],
  ['v05-json', [['ses_710183801ffeV0NvqHgwECBrcz', 4, 3, 2_932, 182]]],
  ['v118-pruned', [['ses_e4b15cb34ffeC2axhXq4gnLPeu', 15, 5, 15_825, 903]]],
])('OpenCode %s', (name, sessions) => {
  test('its own sessions', async () => {
    const seen: unknown[] = [];
    for await (const [id, here, there] of thereAndBack('opencode', name, sessions.map(([session]) => session))) {
      const isFork = here.session.parent !== null;
      expect(carried(there, isFork), id).toEqual(carried(here, isFork));
      seen.push([id, ...figures(there.session)]);
    }
    expect(seen).toEqual(sessions);
  });
});

/**
 * What of another agent's session has a place in OpenCode's shape: what was said, thought and called, with what came of
 * it. The messages are more than before: what the agent put in beside a prompt is a message of its own there.
 */
function told({ messages }: Shown): string[] {
  return messages.flatMap(({ role, parts }) => parts.filter(({ kind }) => ['text', 'reasoning', 'tool'].includes(kind)).map(({ kind, text = '', tool }) => `${role === 'assistant' ? role : 'user'} ${kind} ${tool ? `${tool.name} ${tool.status === 'completed' ? '' : 'not '}completed: ${tool.output ?? ''}` : text}`));
}

describe.each<[FixtureFamily, string, string, ...figures: number[]]>([
  ['claude-code', 'agents', 'ac464ab6-da7a-4724-bdcd-ef89b67cc317', 21, 6],
  ['codex', 'exec-patch-plan', '01a22802-7c44-7043-a645-a8af3f78f5df', 15, 9],
])('%s %s in OpenCode’s shape', (family, name, session, messages, toolCalls) => {
  test('says what was said and called', async () => {
    for await (const [, here, there] of thereAndBack(family, name, [session])) {
      expect(told(there)).toEqual(told(here));
      expect(there.damage).toEqual([]);
      expect(there.session.counts).toMatchObject({ messages, toolCalls });
      expect(there.session['title']).toBe(here.session['title']);
    }
  });
});

test('what another program writes is imported from standard input, packed or not', async () => {
  const fixture = openFixture('opencode', 'v118-pruned');
  mkdirSync(join(folder, 'piped'));
  const there = { home: join(folder, 'piped'), library: join(folder, 'piped.db') };
  const { stdout } = await retrace({ home: fixture.home, library: join(folder, 'piping.db') }, 'export', 'ses_e4b15cb34ffeC2axhXq4gnLPeu', '--format', 'opencode');
  const { code, stdout: said } = await piped(stdout, there, 'import', '-', '--yes', '--json');
  expect(code).toBe(0);
  const { plan, session } = JSON.parse(said) as { plan: { preview: Record<string, unknown> }; session: string };
  expect(plan.preview).toMatchObject({ kind: 'opencode export', from: 'standard input', title: 'Harvest tables', counts: { messages: 15 } });
  expect(await piped(gzipSync(stdout), there, 'import', '-', '--json')).toMatchObject({ code: 1, stderr: `It is in the library already, with the same content: ${session}.\n` });
  // And on from there: it is still what OpenCode wrote.
  expect(JSON.parse((await retrace(there, 'export', session, '--format', 'opencode')).stdout)).toEqual(JSON.parse(stdout));
  expect((await retrace(there, 'export', session, '--no-index')).stdout).toMatch(/^# Harvest tables\n\n- \*\*Agent\*\*: OpenCode 1\.18\.\d+ · mock-1\n/);
  expect(await piped('', there, 'import', '-')).toMatchObject({ code: 1, stderr: 'The file is empty.\n' });
  fixture.dispose();
});
