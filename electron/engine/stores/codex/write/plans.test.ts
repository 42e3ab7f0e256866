import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ApplyOutcome, PlanRefusal, PlanView } from '@shared/model';
import { type ContextHome, openHome } from '../../../context/home.test-support';

const whole = <T extends object>(answer: T | PlanRefusal | null): T => {
  if (answer === null || 'refused' in answer && 'instead' in answer) throw new Error(answer === null ? 'no answer' : (answer as PlanRefusal).refused);
  return answer as T;
};

/** Bytes of all rollouts, by their place. */
function rollouts(folder: string): Map<string, string> {
  const found = new Map<string, string>();
  const walk = (path: string): void => {
    for (const name of readdirSync(path)) {
      const child = join(path, name);
      if (statSync(child).isDirectory()) walk(child);
      else found.set(child, readFileSync(child, 'latin1'));
    }
  };
  walk(folder);
  return found;
}

const homeOf = (home: ContextHome, view: PlanView): string => {
  const [step] = view.steps;
  if (step?.kind !== 'file') throw new Error('no file');
  return step.path.slice(0, step.path.indexOf('/sessions/'));
};

const words = ({ parts }: Awaited<ReturnType<ContextHome['context']>>): string[] => parts.map((part) => `${part.role} ${part.kind}`);

test.each(['by-reference', 'self-contained'])('a fork %s is applied, found with its parent and its context, and taken back', async (way) => {
  const home = await openHome('codex', 'fork-tree');
  try {
    const session = home.sessions.find(({ id }) => id.includes('93eb-7702'))?.id ?? '';
    const parts = await home.parts(session);
    const at = parts.find(({ text }) => text?.text.startsWith('What does heightAt'))?.message.id ?? '';
    const view = whole(await home.ask('plan.fork', { session, at, way }));
    expect(view).toMatchObject({ kind: 'fork', refused: null, stepsTotal: 1 });
    // By the short name too, as `retrace show` prints it.
    expect(whole(await home.ask('plan.fork', { session, at: at.slice(at.indexOf('#') + 1), way })).title).toBe(view.title);
    const before = rollouts(join(homeOf(home, view), 'sessions'));
    const outcome = (await home.ask('plan.apply', { plan: view.id })) as ApplyOutcome;
    expect(outcome).toMatchObject({ applied: true });
    if (!outcome.applied) return;
    await home.ask('index.run', {});
    const forked = outcome.entry.result ?? '';
    expect(outcome.entry.resume?.argv).toEqual(['codex', 'resume', forked.slice(forked.lastIndexOf('/') + 1)]);
    const original = await home.context(session, { at });
    const fork = await home.context(forked);
    // Behind the point the original holds what was put in for the next turn.
    expect(words(fork)).toEqual(words(original).slice(0, words(fork).length));
    expect(words(original).slice(words(fork).length).every((piece) => !piece.startsWith('assistant'))).toBe(true);
    const undo = whole(await home.ask('plan.undo', { entry: outcome.entry.id }));
    expect(await home.ask('plan.apply', { plan: undo.id })).toMatchObject({ applied: true });
    expect(rollouts(join(homeOf(home, view), 'sessions'))).toEqual(before);
  } finally {
    await home.close();
  }
});

test('a fork whose original changed since it was drawn is not made; a line that takes turns back goes again', async () => {
  const home = await openHome('codex', 'legacy-0125');
  try {
    const session = home.sessions.find(({ id }) => id.includes('0266-78f2'))?.id ?? '';
    const parts = await home.parts(session);
    const at = parts.find(({ text }) => text?.text === 'Say six')?.message.id ?? '';
    const fork = whole(await home.ask('plan.fork', { session, at }));
    const folder = join(homeOf(home, fork), 'sessions');
    const before = rollouts(folder);
    const back = whole(await home.ask('plan.revert', { session, before: at, scope: 'conversation', takes: [] }));
    expect(back).toMatchObject({ kind: 'revert', refused: null, steps: [{ kind: 'file', act: 'append', why: 'A line that takes back the last 2 turns.' }] });
    const outcome = (await home.ask('plan.apply', { plan: back.id })) as ApplyOutcome;
    expect(outcome).toMatchObject({ applied: true });
    if (!outcome.applied) return;
    const [place] = [...before].find(([path]) => path.includes('0266-78f2')) ?? [''];
    expect(readFileSync(place, 'latin1').startsWith(before.get(place) ?? 'x')).toBe(true);
    expect(readFileSync(place, 'latin1').slice((before.get(place) ?? '').length)).toContain('"type":"thread_rolled_back","num_turns":2');
    const undo = whole(await home.ask('plan.undo', { entry: outcome.entry.id }));
    expect(await home.ask('plan.apply', { plan: undo.id })).toMatchObject({ applied: true });
    expect(rollouts(folder)).toEqual(before);
    rmSync(place);
    expect(await home.ask('plan.apply', { plan: fork.id })).toMatchObject({ applied: false });
    expect(existsSync(place)).toBe(false);
  } finally {
    await home.close();
  }
});

test('a fork before a turn that was taken back has what stood there then', async () => {
  const home = await openHome('codex', 'revert-chain');
  try {
    const session = home.sessions.find(({ id }) => id.includes('ac14-70a3'))?.id ?? '';
    const parts = await home.parts(session);
    const at = parts.find(({ text }) => text?.text === 'Say four')?.message.id ?? '';
    const view = whole(await home.ask('plan.fork', { session, at, way: 'self-contained' }));
    const outcome = (await home.ask('plan.apply', { plan: view.id })) as ApplyOutcome;
    if (!outcome.applied) throw new Error(outcome.refused);
    await home.ask('index.run', {});
    const fork = await home.parts(outcome.entry.result ?? '');
    expect(fork.filter(({ kind, message, injected }) => kind === 'text' && message.role === 'user' && !injected).map(({ text }) => text?.text)).toEqual(['Say one', 'Say two', 'Say three']);
    expect(await home.ask('plan.revert', { session, before: at, scope: 'conversation', takes: [] })).toMatchObject({ refused: 'No turn of the thread as it is now stands behind this point: nothing would be taken back.' });
  } finally {
    await home.close();
  }
});
