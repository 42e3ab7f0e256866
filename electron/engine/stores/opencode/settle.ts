import type { Settled, Spine, SpineRecord } from '../store';
import { asNumber } from '../foreign/fields';
import { compactionsOf, secondCompactionsOf } from './compaction';
import { diagnose } from './diagnose';
import { bestEvidence } from './facts';
import { hasNoEnd, interruptedTools, isLive } from './interruption';
import { noticesOf } from './notices';
import { recordsOf } from './order';
import { unsaidBlocks } from './sent';
import { goneVerdict, statesOf } from './states';

/** What a session's rows add up to: their order, and what has become of each for the model. Pure. */
export function settle(spine: Spine): Settled {
  const { records, evidence } = spine;
  const { units, here, hidden, verdicts, isGone } = statesOf(spine, null);
  const live = isLive(here, asNumber(bestEvidence(evidence, 'session')?.['updated']), spine.now);
  const order = units.flatMap(recordsOf).map(({ index }) => index);
  const replies = here.filter((unit) => unit.message?.role === 'assistant' && !hidden?.records.has(unit.message));
  const last = replies.at(-1);
  const interrupted = last !== undefined && hasNoEnd(last) && !live;
  const orphans = records.some((record) => record.note?.['orphan'] === true);
  return {
    records: records.map((record) => verdicts.get(record) ?? goneVerdict),
    order: order.length === 0 ? null : order,
    branches: order.length === 0 ? [] : [{ current: true, path: order.filter((index) => !isGone(records[index] as SpineRecord)) }],
    compactions: compactionsOf(here, () => true).length + secondCompactionsOf(here, () => true).length,
    reverted: hidden !== null,
    notices: noticesOf({ units: here, records, hidden, interrupted: interrupted ? last : null, live, now: spine.now, isGone }),
    condition: interrupted ? 'interrupted' : orphans ? 'recovered' : 'finished',
    tools: interruptedTools(here, live, evidence),
    diagnoses: diagnose({ units: here, interrupted: interrupted ? last : null, isGone }),
    ...unsentOf(records),
  };
}

/** Said only where there are some: most sessions have none. */
function unsentOf(records: readonly SpineRecord[]): Pick<Settled, 'unsent'> {
  const unsent = records.flatMap((record) => unsaidBlocks(record).map((block) => ({ record: record.index, block })));
  return unsent.length === 0 ? {} : { unsent };
}
