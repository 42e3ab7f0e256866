import type { SettledRecord, Settled, Spine, SpineRecord } from '../store';
import { type Compaction, compactedBy, compactionsOf, secondCompactionsOf } from './compaction';
import { bestEvidence } from './facts';
import { hasNoEnd, interruptedTools, isLive } from './interruption';
import { noticesOf } from './notices';
import { recordsOf, type Unit, unitsOf } from './order';
import { asNumber, asText } from '../foreign/fields';
import { isoTime } from './records';
import { type Hidden, hiddenBy } from './revert';

/** What a session's rows add up to: their order, and what has become of each for the model. Pure. */
export function settle(spine: Spine): Settled {
  const { records, evidence } = spine;
  const units = unitsOf(records);
  // When the whole session went from the store its rows are told as they were; only single rows were taken out of it.
  const anyHere = records.some((record) => !record.gone);
  const isGone = (record: SpineRecord) => anyHere && record.gone;
  const here = units.filter((unit) => recordsOf(unit).some((record) => !isGone(record)));
  const hidden = hiddenBy(here, bestEvidence(evidence, 'revert'));
  const counts = (unit: Unit) => unit.message !== null && !hidden?.records.has(unit.message) && !isGone(unit.message);
  const first = compactionsOf(here, counts);
  const second = secondCompactionsOf(here, counts);
  const places = new Map(here.map((unit, place) => [unit.key, place]));
  const live = isLive(here, asNumber(bestEvidence(evidence, 'session')?.['updated']), spine.now);
  const verdicts = new Map<SpineRecord, SettledRecord>();
  for (const unit of units) {
    const place = places.get(unit.key) ?? -1;
    const compactions = unit.generation === 1 ? first : unit.generation === 2 ? second : [];
    for (const record of recordsOf(unit)) verdicts.set(record, isGone(record) ? goneVerdict : verdictOf(record, unit, place, compactions, hidden));
  }
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
  };
}

const goneVerdict: SettledRecord = { state: 'reverted', reason: 'Removed from OpenCode’s store, as when a revert is made final; kept here from before.', cause: -1, seen: false };

/** Several states may fit a record; they are asked for in the order in which they win. */
function verdictOf(record: SpineRecord, unit: Unit, place: number, compactions: Compaction[], hidden: Hidden | null): SettledRecord {
  if (hidden?.records.has(record)) return { state: 'reverted', reason: hidden.reason, cause: hidden.cause?.index ?? -1, seen: false };
  if (unit.generation === 'inbox') {
    return { state: 'pending', reason: `Waits in the inbox (${asText(record.note?.['delivery']) ?? 'unknown delivery'}); the model has not seen it.`, cause: record.index, seen: false };
  }
  const compaction = compactedBy(compactions, place);
  if (compaction) {
    return { state: 'compacted', reason: `The summary in ${compaction.cause.key ?? 'a later message'} stands for it.`, cause: compaction.cause.index, seen: false };
  }
  const cleared = asNumber(record.note?.['cleared']);
  if (cleared !== null) {
    return { state: 'cleared', reason: `OpenCode cleared the output of ${record.key ?? 'this call'} for the model at ${isoTime(cleared)}; it is still stored.`, cause: record.index, seen: true };
  }
  const summary = compactions.at(-1);
  if (summary && summary.summary === place && isSummary(record)) {
    return { state: 'summary', reason: 'Stands for what was compacted before it.', cause: summary.cause.index, seen: true };
  }
  if (record.injected) return { state: 'hidden', reason: 'Written by OpenCode, not by the person or the model.', cause: record.index, seen: isSent(record) };
  return { state: 'live', reason: null, cause: -1, seen: isSent(record) };
}

const isSummary = (record: SpineRecord): boolean => record.type === 'part/text' || record.type === 'v2/compaction';

/** Borders of steps, patches, errors and switches are the program's bookkeeping; the model never gets them. */
const isSent = (record: SpineRecord): boolean => !unsent.has(record.type) && !record.type.startsWith('message/') && record.note?.['ignored'] !== true;

const unsent = new Set(['part/step-start', 'part/step-finish', 'part/snapshot', 'part/patch', 'part/retry', 'part/damaged', 'v2/agent-switched', 'v2/model-switched', 'v2/damaged']);
