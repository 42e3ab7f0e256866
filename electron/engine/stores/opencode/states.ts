import type { SettledRecord, Spine, SpineRecord } from '../store';
import { type Compaction, compactedBy, compactionsOf, secondCompactionsOf } from './compaction';
import { bestEvidence } from './facts';
import { recordsOf, type Unit, unitsOf } from './order';
import { asNumber, asText } from '../foreign/fields';
import { isoTime } from './records';
import { type Hidden, hiddenBy } from './revert';
import { isSent, retained, unsentReason } from './sent';

/** A session's rows in order with what has become of each at a point. */
export interface States {
  /** All of them, also what is gone from the store. */
  units: Unit[];
  /** Those the store has, until the point. */
  here: Unit[];
  hidden: Hidden | null;
  /** In the order in which they are sent. */
  sent: Unit[];
  /** Those that count, oldest first. */
  compactions: Compaction[];
  verdicts: Map<SpineRecord, SettledRecord>;
  isGone: (record: SpineRecord) => boolean;
}

/**
 * Works out what has become of every record: now, or (`before`) when the model was about to get that message. A
 * pending revert belongs to now; at an earlier point it was not there yet, nor was an output cleared that is cleared now.
 */
export function statesOf(spine: Spine, before: SpineRecord | null): States {
  const { records, evidence } = spine;
  const units = unitsOf(records);
  // When the whole session went from the store its rows are told as they were; only single rows were taken out of it.
  const anyHere = records.some((record) => !record.gone);
  const isGone = (record: SpineRecord) => anyHere && record.gone;
  const all = units.filter((unit) => recordsOf(unit).some((record) => !isGone(record)));
  const end = before === null ? -1 : all.findIndex((unit) => recordsOf(unit).includes(before));
  const here = end < 0 ? all : all.slice(0, end);
  const hidden = before === null ? hiddenBy(here, bestEvidence(evidence, 'revert')) : null;
  const counts = (unit: Unit) => unit.message !== null && !hidden?.records.has(unit.message) && !isGone(unit.message);
  const first = compactionsOf(here, counts);
  const second = secondCompactionsOf(here, counts);
  const isThere = (record: SpineRecord) => !hidden?.records.has(record) && !isGone(record);
  const sent = sentUnits(here, (unit) => (unit.parts.length > 0 ? unit.parts.some(isThere) : unit.message !== null && isThere(unit.message)), first, second);
  const inView = new Set(sent);
  const baseline = baselineOf(evidence, second.at(-1)?.cause ?? null, before);
  const verdicts = new Map<SpineRecord, SettledRecord>();
  const places = new Map(here.map((unit, place) => [unit.key, place]));
  for (const unit of end < 0 ? units : here) {
    const compactions = unit.generation === 1 ? first : unit.generation === 2 ? second : [];
    const ask: Question = { unit, place: places.get(unit.key) ?? -1, inView: inView.has(unit), compactions, hidden, asOf: before === null ? null : before.order, baseline };
    for (const record of recordsOf(unit)) verdicts.set(record, isGone(record) ? goneVerdict : verdictOf(record, ask));
  }
  return { units, here, hidden, sent, compactions: [...first, ...second].sort((a, b) => a.summary - b.summary), verdicts, isGone };
}

export const goneVerdict: SettledRecord = { state: 'reverted', reason: 'Removed from OpenCode’s store, as when a revert is made final; kept here from before.', cause: -1, seen: false };

/** Each generation keeps to its own messages; where a session has both they are told in the order of their times. */
function sentUnits(here: readonly Unit[], isThere: (unit: Unit) => boolean, first: readonly Compaction[], second: readonly Compaction[]): Unit[] {
  const last = first.at(-1);
  // The first version keeps no marker: what stands from its summary on is sent.
  const unmarked = last && last.from === last.summary ? last.summary : -1;
  const ofFirst = here.filter((unit, place) => unit.generation === 1 && place >= unmarked && isThere(unit));
  const kept = unmarked >= 0 ? ofFirst : retained(ofFirst);
  const from = second.at(-1)?.summary ?? 0;
  const ofSecond = here.filter((unit, place) => unit.generation === 2 && place >= from && isThere(unit));
  if (ofSecond.length === 0) return kept;
  return kept.length === 0 ? ofSecond : [...kept, ...ofSecond].sort((a, b) => a.time - b.time);
}

/** Number up to which system texts are in the session's baseline and are not sent again (FORMAT.md, "Second generation"). */
function baselineOf(evidence: Spine['evidence'], compaction: SpineRecord | null, before: SpineRecord | null): number {
  const compacted = asNumber(compaction?.note?.['seq']) ?? 0;
  const epoch = asNumber(bestEvidence(evidence, 'epoch')?.['seq']) ?? 0;
  const point = before === null ? Infinity : (asNumber(before.note?.['seq']) ?? Infinity);
  return Math.max(compacted, epoch < point ? epoch : 0);
}

interface Question {
  unit: Unit;
  place: number;
  /** Its unit is among those sent. */
  inView: boolean;
  compactions: readonly Compaction[];
  hidden: Hidden | null;
  /** ms since 1970 of the point; null: now. */
  asOf: number | null;
  baseline: number;
}

/** Several states may fit a record; they are asked for in the order in which they win. */
function verdictOf(record: SpineRecord, { unit, place, inView, compactions, hidden, asOf, baseline }: Question): SettledRecord {
  if (hidden?.records.has(record)) return { state: 'reverted', reason: hidden.reason, cause: hidden.cause?.index ?? -1, seen: false };
  if (unit.generation === 'inbox') {
    return { state: 'pending', reason: `Waits in the inbox (${asText(record.note?.['delivery']) ?? 'unknown delivery'}); the model has not seen it.`, cause: record.index, seen: false };
  }
  const compaction = inView ? null : (compactedBy(compactions, place) ?? compactions.at(-1));
  if (compaction) {
    return { state: 'compacted', reason: `The summary in ${compaction.cause.key ?? 'a later message'} stands for it.`, cause: compaction.cause.index, seen: false };
  }
  const seen = isSent(record, unit) && !(record.type === 'v2/system' && (asNumber(record.note?.['seq']) ?? 0) <= baseline);
  const cleared = unit.generation === 1 ? asNumber(record.note?.['cleared']) : null;
  if (cleared !== null && (asOf === null || cleared <= asOf)) {
    return { state: 'cleared', reason: `OpenCode cleared the output of ${record.key ?? 'this call'} for the model at ${isoTime(cleared)}; it is still stored.`, cause: record.index, seen };
  }
  const summary = compactions.at(-1);
  if (summary && summary.summary === place && isSummary(record)) {
    return { state: 'summary', reason: 'Stands for what was compacted before it.', cause: summary.cause.index, seen };
  }
  if (record.injected) return { state: 'hidden', reason: 'Written by OpenCode, not by the person or the model.', cause: record.index, seen };
  return { state: 'live', reason: seen ? null : unsentReason(record), cause: -1, seen };
}

const isSummary = (record: SpineRecord): boolean => record.type === 'part/text' || record.type === 'v2/compaction';
