import type { ContextRequest, ContextView, SentPiece } from '../stores/store';

/** For a store without rules of its own: what settling says is seen, in timeline order. Knows the present of the current branch only. */
export function plainContext({ settled, spine, parts, before }: ContextRequest): ContextView {
  const order = settled.order ?? spine.records.map((_, index) => index);
  const end = before === null ? order.length : order.indexOf(before);
  const until = new Set(order.slice(0, end));
  const sent = order.slice(0, end).flatMap((record): SentPiece[] => {
    const verdict = settled.records[record];
    if (!verdict?.seen) return [];
    return (parts[record] ?? []).map(({ block }) => ({ type: 'part', record, block, output: verdict.state === 'cleared' ? 'cleared' : 'whole' }));
  });
  return {
    records: settled.records.map((verdict, index) => (until.has(index) ? verdict : null)), sent,
    notes: before === null ? [] : ['This agent’s rules for an earlier point are not known: what was left out since then is left out here, too.'],
  };
}
