import type { Tokens } from '@shared/model';
import { type Carry, remember, type Totals } from './carry';
import { asFilledText, asNumber, asObject, type Fields } from '../foreign/fields';

/** Response ids remembered to count a request once. */
const remembered = 12;

/** Cached input is part of the input, reasoning part of the output (FORMAT.md, "Tokens"). */
function tokensOf(totals: Totals): Tokens {
  return {
    input: Math.max(0, totals.input - totals.cached - totals.written), output: Math.max(0, totals.output - totals.reasoning), reasoning: totals.reasoning,
    cacheRead: totals.cached, cacheWrite: totals.written,
  };
}

function totalsOf(usage: Fields): Totals {
  const number = (name: string) => Math.max(0, asNumber(usage[name]) ?? 0);
  return {
    input: number('input_tokens'), cached: number('cached_input_tokens'), written: number('cache_write_input_tokens'), output: number('output_tokens'),
    reasoning: number('reasoning_output_tokens'),
  };
}

const sumOf = (totals: Totals): number => totals.input + totals.output;

/** One `token_usage_record`: a request of this thread, counted once. Copies keep the id of the thread that was billed. */
export function usageOfRecord(carry: Carry, payload: Fields): Tokens | null {
  const usage = asObject(payload['usage']);
  const thread = asFilledText(payload['thread_id']);
  if (!usage || (thread !== null && thread !== carry.thread)) return null;
  carry.usesRecords = true;
  const response = asFilledText(payload['response_id']);
  if (response !== null) {
    if (carry.responses.includes(response)) return null;
    remember(carry.responses, response, remembered);
  }
  return tokensOf(totalsOf(usage));
}

/**
 * One `token_count`: what its running total rose by since the last one. A total that falls starts again from nothing.
 * In a file that continues another one the first total holds what came before: the request's own figure stands for it.
 * Files with a record for each request have no use for totals.
 */
export function usageOfTotals(carry: Carry, payload: Fields): Tokens | null {
  const info = asObject(payload['info']);
  const total = asObject(info?.['total_token_usage']);
  if (!total) return null;
  const now = totalsOf(total);
  const before = carry.totals;
  carry.totals = now;
  if (carry.usesRecords) return null;
  if (!before && carry.meta?.base) return firstOfContinued(carry, now, asObject(info?.['last_token_usage']));
  const rise = before && sumOf(now) >= sumOf(before) ? difference(now, before) : now;
  return sumOf(rise) > 0 ? tokensOf(rise) : null;
}

function firstOfContinued(carry: Carry, now: Totals, last: Fields | null): Tokens | null {
  // Before the first answer a total only repeats what was.
  if (!carry.message) return null;
  const own = last ? totalsOf(last) : now;
  return sumOf(own) <= sumOf(now) && sumOf(own) > 0 ? tokensOf(own) : null;
}

function difference(now: Totals, before: Totals): Totals {
  const rise = (name: keyof Totals) => Math.max(0, now[name] - before[name]);
  return { input: rise('input'), cached: rise('cached'), written: rise('written'), output: rise('output'), reasoning: rise('reasoning') };
}
