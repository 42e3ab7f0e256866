import { expect, test } from 'vitest';
import { nativeId } from '@shared/model';
import type { ContextBlock, JsonObject, Spine, SpineRecord } from '../store';
import { context } from './context';
import { settle } from './settle';

const source = 'rollout-2026-11-29T15-53-01-01a22802-7c44-7043-a645-a8af3f78f5df.jsonl';

/** Turns of one message and four calls; every thousandth record compacts, and repeats the last messages. `reads` counts how often a record's type is asked for. */
function longThread(length: number): { spine: Spine; parts: ContextBlock[][]; reads: () => number } {
  let count = 0;
  const prompts: number[] = [];
  const records = Array.from({ length }, (_, index): SpineRecord => {
    const isPrompt = index % 10 === 0;
    const isCompaction = index % 1000 === 999;
    const isOutput = !isPrompt && index % 2 === 0;
    if (isPrompt) prompts.push(index);
    const kept = prompts.slice(-50).map((said) => ['user', 20, said + 1]);
    const note: JsonObject | null = isCompaction ? { history: [...kept, ['user', 100, 0]], summary: kept.length } : isPrompt ? { said: index + 1 } : null;
    const type = isCompaction ? 'compacted' : isPrompt ? 'event_msg/item_completed/UserMessage' : isOutput ? 'response_item/function_call_output' : 'response_item/function_call';
    return {
      index, key: String(index), parent: -1, inChain: false, missing: null, joins: -1, time: null, order: index, message: index, messageKey: isOutput ? null : `m${index}`,
      role: isPrompt ? 'user' : 'assistant', prompt: isPrompt, injected: false, note, source, gone: false,
      get type() {
        count++;
        return type;
      },
    };
  });
  const parts = records.map(({ index, messageKey, prompt }): ContextBlock[] =>
    messageKey === null ? [] : [{ block: 0, kind: prompt ? 'text' : index % 1000 === 999 ? 'summary' : 'tool', size: 20, outputSize: 5, status: 'completed', result: -1 }],
  );
  return { spine: { session: nativeId('t'), records, evidence: [], now: 0 }, parts, reads: () => count };
}

test('a thread of 50,000 records is gone through a few times, whatever its length', () => {
  const readsOf = (length: number): number => {
    const { spine, parts, reads } = longThread(length);
    const view = context({ spine, settled: settle(spine), branch: null, before: null, parts });
    // The last compaction is the last record: fifty messages it repeats, and its summary.
    expect(view.sent).toHaveLength(51);
    return reads() / length;
  };
  const few = readsOf(5_000);
  const many = readsOf(50_000);
  expect(many).toBeLessThan(few * 1.1);
  expect(many).toBeLessThan(60);
});
