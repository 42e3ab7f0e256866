import { expect, test } from 'vitest';
import type { ComparedSide, Comparison } from '@shared/model';
import { type FixtureFamily, openFixture, recordedHome } from '../../../e2e/fixtures';
import { Diffs } from '../diff/diffs';
import { Timeline } from '../queries/timeline';
import { Shelf } from '../stores/acceptance';
import { claudeCode } from '../stores/claude-code';
import { codex } from '../stores/codex';
import { opencode } from '../stores/opencode';
import { Comparisons } from './comparisons';

const stores = { 'claude-code': claudeCode, codex, opencode } as const;

async function withFixture(agent: keyof typeof stores, family: FixtureFamily, name: string, check: (comparisons: Comparisons) => Promise<void>): Promise<void> {
  const fixture = openFixture(family, name);
  const shelf = new Shelf(fixture.home, stores[agent]);
  try {
    await shelf.pass();
    const timeline = new Timeline(shelf.library.db, () => stores[agent]);
    const reach = () => ({ home: fixture.home, platform: process.platform, added: [], confined: true, maps: [{ from: recordedHome, to: fixture.home }] });
    await check(new Comparisons(shelf.library.db, timeline, new Diffs(shelf.library.db, timeline, reach, () => 1)));
  } finally {
    shelf.dispose();
    fixture.dispose();
  }
}

/** The side of a comparison in a few words. */
const told = ({ messages, turns, departs, first, lastWords, condition, knows }: ComparedSide) => ({
  messages, turns, departs: departs?.index ?? null, first: first?.index ?? null, says: lastWords?.text ?? null, condition, knows: knows.map(({ kind, text, index }) => `${kind} ${text} at ${index}`),
});

async function compared(comparisons: Comparisons, a: string, b: string, branches: { a?: string; b?: string } = {}): Promise<Comparison> {
  const answer = await comparisons.compare({ session: a, branch: branches.a }, { session: b, branch: branches.b }, 1);
  if ('refused' in answer) throw new Error(answer.refused);
  return answer;
}

const prompts = ({ turns }: Comparison) => turns.map(({ a, b }) => [a?.prompt ?? null, b?.prompt ?? null]);
const files = (comparison: Comparison) => comparison.files.map(({ path, a, b }) => `${path} ${a ? `+${a.added} −${a.removed}` : '-'} ${b ? `+${b.added} −${b.removed}` : '-'}`);

test('a Claude Code fork: what was copied is found by its ids, and each went its own way', () =>
  withFixture('claude-code', 'claude-code', 'fork', async (comparisons) => {
    const comparison = await compared(comparisons, 'claude-code/8c79ba69-f3c3-4e6e-8769-51c5ae17641c', 'claude-code/3419ba3e-4eb6-48dd-92f7-057ce8956c77');
    expect(comparison.common).toEqual({
      found: 'recorded', messages: 12, byIds: 12, byContent: 0, turns: 3,
      evidence: 'requestSessionId of its copied records names session 8c79ba69-f3c3-4e6e-8769-51c5ae17641c. The first 12 messages are equal by id.',
      edges: [{ child: 'claude-code/3419ba3e-4eb6-48dd-92f7-057ce8956c77', parent: 'claude-code/8c79ba69-f3c3-4e6e-8769-51c5ae17641c', kind: 'fork', certainty: 'recorded' }],
    });
    expect(told(comparison.a)).toEqual({ messages: 2, turns: 1, departs: 23, first: 24, says: 'The closure-based counter is complete.', condition: 'finished', knows: [] });
    expect(told(comparison.b)).toEqual({
      messages: 5, turns: 2, departs: 23, first: 24, says: 'The class-based counter is complete.', condition: 'finished', knows: ['file counter-class.js at 26'],
    });
    expect(comparison.b.tokens).toEqual({ input: 33, output: 124, reasoning: 0, cacheRead: 5_449, cacheWrite: 1_092 });
    expect(comparison.a.tokens).toEqual({ input: 11, output: 30, reasoning: 0, cacheRead: 1_765, cacheWrite: 353 });
    expect(prompts(comparison)).toEqual([['Please finish the original', 'Please try the counter another way'], [null, 'Please finish the other way']]);
    expect(files(comparison)).toEqual(['counter-class.js - +4 −0']);
    expect(comparison.turns[0]?.b).toMatchObject({ index: 24, parts: 4, toolCalls: 1, failed: 0, files: ['counter-class.js'], filesLeftOut: 0, lastWords: 'Here is a class-based counter.' });
  }));

test('branches of one session part where the person rewound', () =>
  withFixture('claude-code', 'claude-code', 'rewind', async (comparisons) => {
    const id = 'claude-code/668bfb69-92c3-4453-af88-82ab42de9ae5';
    const comparison = await compared(comparisons, id, id, { a: '1' });
    expect(comparison.common).toEqual({ found: 'same session', evidence: 'Both are branches of one session.', messages: 7, byIds: 7, byContent: 0, turns: 2, edges: [] });
    expect(told(comparison.a)).toEqual({
      messages: 8, turns: 2, departs: 21, first: 22, says: 'util.js is gone and the version is 2.', condition: 'left', knows: ['command echo built > build.log && ls at 23', 'command rm util.js && ls at 27'],
    });
    expect(told(comparison.b)).toEqual({ messages: 9, turns: 3, departs: 21, first: 31, says: 'The demo greets people and nothing else.', condition: 'finished', knows: ['command ls at 32'] });
    expect(files(comparison)).toEqual(['app.js +1 −1 -', 'greet.js - +1 −1']);
    expect((await compared(comparisons, id, id, { a: '2' })).common).toMatchObject({ messages: 10, turns: 3 });
  }));

test('a task that was sent again is no common turn, though its words are the same', () =>
  withFixture('claude-code', 'claude-code', 'rewind-resend', async (comparisons) => {
    const id = 'claude-code/5690db35-b89a-427d-b36a-03d564f39d4a';
    const comparison = await compared(comparisons, id, id, { a: '1', b: '2' });
    expect(comparison.common).toMatchObject({ found: 'same session', messages: 7, turns: 2 });
    expect(prompts(comparison)).toEqual([
      ['Next, record the build with a shell command', 'Next, record the build with a shell command'], ['Also drop the util helper', 'Please list what exists now'], [null, 'Please rename greet to salute'],
    ]);
  }));

test('a branch without tools is told by its turns', () =>
  withFixture('claude-code', 'field', 'cc-branches', async (comparisons) => {
    const id = 'claude-code/ef2843ff-74cf-46a6-b6dc-0914faa30751';
    expect(prompts(await compared(comparisons, id, id, { a: '2', b: '1' }))).toEqual([['Try symbols instead.', 'Try ISO codes.'], [null, 'Add a table of codes.'], [null, 'Use it in total.js.']]);
  }));

test('Codex forks of forks meet where their lines part, whatever thread the messages are copied from', () =>
  withFixture('codex', 'codex', 'fork-tree', async (comparisons) => {
    const cousins = await compared(comparisons, 'codex/01a22802-9d63-7c72-89d9-1edd6b8c0398', 'codex/01a22802-9fd5-7bd0-98d1-37a154a587b3');
    expect(cousins.common).toMatchObject({ found: 'recorded', evidence: 'They are connected over 5 edges, all recorded. The first 6 messages are equal by id.', messages: 6, turns: 1 });
    expect(prompts(cousins)).toEqual([['Say epsilon', 'What does heightAt return before the first row?'], [null, 'Say three'], [null, 'Say alpha'], [null, 'Say omega']]);
    expect(told(cousins.b).knows).toEqual(['decision It returns 0, because no row is at or before that minute. at 17']);
    const child = await compared(comparisons, 'codex/01a22802-93eb-7702-8562-6597124c7eff', 'codex/01a22802-9e5c-7d03-b8a4-f72a1e30b2d6');
    expect(child.common).toMatchObject({ found: 'recorded', messages: 12, byIds: 12 });
    expect([child.a.messages, child.b.messages]).toEqual([0, 2]);
    expect(child.a.first).toBe(null);
  }));

test('a fork of Codex by copy and one by reference begin like their origin', async () => {
  await withFixture('codex', 'field', 'cx-fork-by-copy', async (comparisons) => {
    const { common, a, b } = await compared(comparisons, 'codex/019ee40b-3400-7803-bd7c-9ec7081ab44d', 'codex/019efea6-ba00-7d49-b50d-aad92245d358');
    expect(common).toMatchObject({ found: 'recorded', messages: 4, byIds: 4, turns: 2 });
    expect([told(a).says, told(b).says]).toEqual([null, 'Rewritten by hand.']);
  });
  await withFixture('codex', 'field', 'cx-fork-by-reference', async (comparisons) => {
    const comparison = await compared(comparisons, 'codex/01a19b7c-a680-7ca7-a044-59fe661380f3', 'codex/01a19b81-3a60-79fd-8eb7-ae2ff7179bf4');
    expect(comparison.common).toMatchObject({ found: 'recorded', messages: 4, byIds: 4, turns: 2 });
    expect([comparison.a.tokens?.input, comparison.b.tokens?.input]).toEqual([1_500, 1_400]);
    expect(told(comparison.a)).toMatchObject({ departs: 3, first: 4, says: 'Currencies are in.' });
  });
});

test('turns of Codex that were taken back are not compared, and counted', () =>
  withFixture('codex', 'codex', 'revert-chain', async (comparisons) => {
    const { common, a } = await compared(comparisons, 'codex/01a22802-ac14-70a3-8810-594634c27659', 'codex/01a22802-ae60-7263-a041-c52f199b4f3f');
    expect(common).toMatchObject({ messages: 8, turns: 4 });
    expect({ reverted: a.reverted, messages: a.messages, says: a.lastWords?.text }).toEqual({ reverted: 2, messages: 2, says: 'You asked me to say six.' });
  }));

test('OpenCode forks have other ids and equal content; the edge that says so is an inferred one', () =>
  withFixture('opencode', 'opencode', 'v118-main', async (comparisons) => {
    const origin = 'opencode/ses_e1c685695ffext9gqa0c8sgW3P';
    const fork = await compared(comparisons, origin, 'opencode/ses_e170ce624ffeGOgTcsafwBek3Z');
    expect(fork.common).toMatchObject({ found: 'equal content', messages: 14, byIds: 0, byContent: 14, turns: 3 });
    expect(fork.common.edges.map(({ certainty }) => certainty)).toEqual(['inferred']);
    expect(told(fork.a)).toEqual({ messages: 0, turns: 0, departs: 46, first: null, says: null, condition: 'finished', knows: [] });
    expect(told(fork.b)).toMatchObject({ messages: 3, turns: 1, first: 47, knows: ['file README.md at 49'] });
    expect(fork.a.tokens).toEqual({ input: 0, output: 0, reasoning: 0, cacheRead: 0, cacheWrite: 0 });
    const cousins = await compared(comparisons, 'opencode/ses_e1239077effevnpTtgj1qWpooG', 'opencode/ses_e12390403ffe30gGRxbN2zP1x6');
    expect(cousins.common.evidence).toBe('They are connected over 3 edges, 3 of them inferred. The first 14 messages are equal in content.');
  }));

test('unrelated sessions have no common beginning and stand side by side whole; one session beside itself leaves nothing', () =>
  withFixture('opencode', 'opencode', 'v118-main', async (comparisons) => {
    const [one, other] = ['opencode/ses_e1c4ca54fffeipXfLMeNjmVdC1', 'opencode/ses_e0762f168ffeEQQM2vAfaahfUV'];
    const apart = await compared(comparisons, one, other);
    expect(apart.common).toEqual({ found: 'none', evidence: 'No record connects the two. No message of one begins the other.', messages: 0, byIds: 0, byContent: 0, turns: 0, edges: [] });
    expect([apart.a.departs, apart.a.first?.index, apart.b.first?.index]).toEqual([null, 0, 0]);
    expect([apart.a.turns, apart.b.turns, apart.turns.length]).toEqual([3, 2, 3]);
    const same = await compared(comparisons, other, other);
    expect(same.common).toMatchObject({ found: 'same session', evidence: 'Both are the same branch of the same session.', messages: 5, turns: 2 });
    expect([same.a.messages, same.b.messages, same.turns, same.files]).toEqual([0, 0, [], []]);
  }));

test('what is not there is refused in a sentence', () =>
  withFixture('opencode', 'opencode', 'v118-main', async (comparisons) => {
    const known = 'opencode/ses_e0762f168ffeEQQM2vAfaahfUV';
    const refusal = (a: string, branch?: string) => comparisons.compare({ session: a, branch }, { session: known }, 1);
    expect(await refusal('opencode/ses_nowhere')).toEqual({ refused: 'The library has no session opencode/ses_nowhere.' });
    expect(await refusal(known, '7')).toEqual({ refused: 'There is no branch 7 of opencode/ses_e0762f168ffeEQQM2vAfaahfUV; there is one, 1.' });
    expect(await refusal('opencode/ses_e02aa7954ffeN65UexhphdexDw')).toEqual({ refused: 'The session opencode/ses_e02aa7954ffeN65UexhphdexDw has no messages.' });
    expect(comparisons.branches('opencode/ses_nowhere', 1)).toBe(null);
  }));

test('each branch tells what it did since it departed, and each place where the tree divides its ways', () =>
  withFixture('claude-code', 'claude-code', 'rewind', async (comparisons) => {
    const answer = comparisons.branches('claude-code/668bfb69-92c3-4453-af88-82ab42de9ae5', 1);
    expect(answer?.branches.map(({ id, current, departs, turns, messages, lastWords, lastPrompt, tokens }) => [
      id, current, departs?.index, turns, messages, lastPrompt?.text, lastWords?.text, tokens?.output,
    ])).toEqual([
      ['1', false, 21, 2, 8, 'Also drop the util helper', 'util.js is gone and the version is 2.', 250],
      ['2', false, 33, 1, 4, 'Please rename greet to salute', 'Renamed to salute.', 125],
      ['3', true, 21, 3, 9, 'Please tell me the final state', 'The demo greets people and nothing else.', 220],
    ]);
    expect(answer?.forks.map(({ at, ways }) => [at?.index, ways.map(({ branches, first, turns, prompt }) => [branches, first?.index, turns, prompt])])).toEqual([
      [21, [[['1'], 22, 2, 'Next, record the build with a shell command'], [['3'], 31, 3, 'Please list what exists now']]],
      [33, [[['2'], 34, 1, 'Please rename greet to salute'], [['3'], 38, 2, 'Please rename greet to welcome']]],
    ]);
  }));

test('a rewind to the very first prompt divides before the first part; a session of one branch never divides', async () => {
  await withFixture('claude-code', 'claude-code', 'rewind-root', async (comparisons) => {
    const answer = comparisons.branches('claude-code/9edca0f6-6427-4a42-9a0a-03520a003ffd', 1);
    expect(answer?.forks.map(({ at, ways }) => [at, ways.map(({ branches, first }) => [branches, first?.index])])).toEqual([[null, [[['1'], 0], [['2'], 22]]]]);
    expect(answer?.branches.map(({ departs }) => departs)).toEqual([null, null]);
  });
  await withFixture('codex', 'field', 'cx-fork-by-copy', async (comparisons) => {
    const answer = comparisons.branches('codex/019ee40b-3400-7803-bd7c-9ec7081ab44d', 1);
    expect(answer?.branches.map(({ id, current, turns, messages, lastWords }) => [id, current, turns, messages, lastWords?.text])).toEqual([['1', true, 2, 4, 'Lexer added.']]);
    expect(answer?.forks).toEqual([]);
  });
});
