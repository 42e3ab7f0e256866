import { Writable } from 'node:stream';
import { type Engine, LinkClosed } from '@shared/link';
import type { JournalEntry, PlanView } from '@shared/model';
import { expect, test } from 'vitest';
import type { CommandContext } from './command-context';
import { Output } from './output';
import { offerPlan } from './plan-run';

const plan = { id: 'abc-1', refused: null } as PlanView;
const entryThat = (state: JournalEntry['state']) => ({ id: 'abc-1', state, kind: 'fork', result: 'codex/x', written: ['/a'], because: [], noUndo: null, resume: null }) as unknown as JournalEntry;

/** Confirms a plan at an engine that goes away meanwhile; the next one has this in its journal. */
async function confirmed(entry: JournalEntry | null): Promise<{ code: number; answer: unknown; said: string[] }> {
  let text = '';
  const said: string[] = [];
  const call = (method: string) => (method === 'plan.apply' ? Promise.reject(new LinkClosed('The link to the engine closed.')) : Promise.resolve(entry));
  const context = {
    engine: { call, on: () => () => undefined, onClose: () => undefined } as Engine, json: true, warn: (line: string) => said.push(line),
    out: new Output(new Writable({ write: (chunk: Buffer, _encoding, done) => ((text += chunk.toString()), done()) })), wait: ({ work }) => work(),
  } as Pick<CommandContext, 'engine' | 'json' | 'warn' | 'out' | 'wait'> as CommandContext;
  const code = await offerPlan(context, plan, true);
  await context.out.finish();
  return { code, answer: JSON.parse(text), said };
}

test('when the Retrace that writes ends before it answers, the journal tells what became of the plan', async () => {
  expect(await confirmed(entryThat('applied'))).toMatchObject({ code: 0, answer: { applied: true, session: 'codex/x', undo: 'abc-1' }, said: [] });
  expect(await confirmed(entryThat('interrupted'))).toMatchObject({ code: 1, answer: { applied: false }, said: ['The Retrace that had the library ended meanwhile, and its journal says: interrupted.'] });
  expect(await confirmed(null)).toMatchObject({ code: 1, answer: { applied: false, entry: null }, said: ['The Retrace that had the library ended before it began: nothing was changed. Ask once more.'] });
});

test('a plan that Ctrl-C stopped before its first change ends with 130, one that was done meanwhile with 0', async () => {
  const stopped = async (outcome: object) => {
    const asked: string[] = [];
    const call = (method: string) => (asked.push(method), Promise.resolve(method === 'plan.apply' ? outcome : null));
    const context = {
      engine: { call, on: () => () => undefined, onClose: () => undefined } as Engine, json: true, warn: () => undefined,
      out: new Output(new Writable({ write: (_chunk: Buffer, _encoding, done) => done() })),
      wait: ({ work, stop }) => (stop?.(), work()),
    } as Pick<CommandContext, 'engine' | 'json' | 'warn' | 'out' | 'wait'> as CommandContext;
    return { code: await offerPlan(context, plan, true), asked };
  };
  expect(await stopped({ applied: false, refused: 'It was cancelled before the first change.', stale: false, entry: null })).toEqual({ code: 130, asked: ['plan.cancel', 'plan.apply'] });
  expect(await stopped({ applied: true, entry: entryThat('applied') })).toEqual({ code: 0, asked: ['plan.cancel', 'plan.apply'] });
});
