import { accessSync, constants, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ran } from './child';
import { chatCompletions } from './mock/chat-completions';
import type { Conversation } from './mock/script';
import { MockModel } from './mock/server';
import { Place } from './place';
import { Retrace } from './retrace';

/** Aider comes from PyPI, which is not asked here: the one that is installed is taken. */
const aider = (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, 'aider')).find((path) => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
});

if (aider === undefined) console.warn('Skipped: what Aider does with forks of its histories, since no `aider` is on the PATH.');

describe.skipIf(aider === undefined)('Aider', () => {
  const place = new Place(null);
  const retrace = new Retrace(place);
  let model: MockModel;
  let session = '';

  const say = (prompt: string, ...args: string[]): Promise<Conversation[]> =>
    model.turnsDuring(() =>
      ran(aider ?? '', ['--model', 'openai/mock-1', '--no-stream', '--yes-always', '--no-check-update', '--no-show-model-warnings', '--no-analytics', '--no-auto-commits', '--map-tokens', '0', '--message', prompt, ...args], { cwd: place.project, env: { ...place.env, OPENAI_API_BASE: `${model.address}/v1`, OPENAI_API_KEY: 'none' } }),
    );

  beforeAll(async () => {
    model = await MockModel.start({ ...chatCompletions, read: (body) => ({ ...chatCompletions.read(body), purpose: 'turn' }) }, []);
    await say('greet');
    await say('ask', '--restore-chat-history');
    session = (await retrace.list()).find(({ agent }) => agent === 'aider')?.id ?? '';
  });

  afterAll(async () => {
    await model.close();
    place.dispose();
  });

  test.each([
    { at: null, kept: ['user greet', 'user ask'] },
    { at: 'ask', kept: ['user greet'] },
  ])('goes on with a fork before $at, and the original keeps every byte', async ({ at, kept }) => {
    const history = join(place.project, '.aider.chat.history.md');
    const before = readFileSync(history);
    const fork = await retrace.fork(session, at === null ? {} : { at: await retrace.promptThatSays(session, at) });
    const file = fork.plan.steps.flatMap((step) => (step.kind === 'file' ? [step.path] : []))[0] ?? '';
    const [turn] = await say('onwards', '--restore-chat-history', '--chat-history-file', file);
    expect(turn?.pieces.filter((piece) => kept.includes(piece))).toEqual(kept);
    expect(turn?.pieces.some((piece) => piece === 'user ask')).toBe(kept.includes('user ask'));
    expect(readFileSync(history).equals(before)).toBe(true);
    await retrace.undo(fork.undo).then(
      () => expect.unreachable('the fork was gone on with'),
      (error: unknown) => expect(String(error)).toContain('changed since'),
    );
  });
});
