import type { ContextEpoch, ContextHistory } from '@shared/model';

/** The epoch a part lies in, and its number from 1; null before the history is known. */
export function epochAt(history: ContextHistory | null, index: number): { number: number; epoch: ContextEpoch } | null {
  if (!history) return null;
  const at = history.epochs.findIndex((epoch) => index < epoch.to);
  const epoch = history.epochs[at < 0 ? history.epochs.length - 1 : at];
  return epoch && index >= epoch.from ? { number: history.epochsLeftOut + (at < 0 ? history.epochs.length : at + 1), epoch } : null;
}
