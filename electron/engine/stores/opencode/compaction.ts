import type { SpineRecord } from '../store';
import type { Unit } from './order';
import { asText } from '../foreign/fields';

/** A compaction that counts: its summary stands for what is before `from`, but for the kept tail. */
export interface Compaction {
  /** Place of its marker, or of the summary where the version wrote no marker. */
  from: number;
  /** Place of the summary. */
  summary: number;
  /** First place that is kept word for word before `from`; equal to it when nothing is. */
  tail: number;
  cause: SpineRecord;
}

/** Compactions of the first generation among the units that `counts` lets through (FORMAT.md, "Compaction"). */
export function compactionsOf(units: readonly Unit[], counts: (unit: Unit) => boolean): Compaction[] {
  const placeOf = new Map(units.map((unit, place) => [unit.key, place]));
  return units.flatMap((unit, summary) => {
    const note = unit.message?.note;
    if (unit.generation !== 1 || !unit.message || note?.['summary'] !== true || note['error'] !== undefined || !counts(unit)) return [];
    const marker = placeOf.get(asText(note['parent']) ?? '');
    const mark = marker === undefined ? undefined : units[marker]?.parts.find((part) => part.type === 'part/compaction');
    // The first version has no marker and no `finish`: a reply that ended is a summary that counts.
    if (note['finish'] === undefined && (mark || note['done'] !== true)) return [];
    const from = mark && marker !== undefined ? marker : summary;
    const tail = placeOf.get(asText(mark?.note?.['tail']) ?? '');
    return [{ from, summary, tail: tail === undefined || tail > from ? from : tail, cause: unit.message }];
  });
}

/** Compactions of the second generation: one row each; nothing before it is kept word for word. */
export function secondCompactionsOf(units: readonly Unit[], counts: (unit: Unit) => boolean): Compaction[] {
  return units.flatMap((unit, place) =>
    unit.generation === 2 && unit.message?.note?.['compaction'] === true && counts(unit) ? [{ from: place, summary: place, tail: place, cause: unit.message }] : [],
  );
}

/** The compaction that took a place out of what the model sees; null while the last one still shows it. */
export function compactedBy(compactions: readonly Compaction[], place: number): Compaction | null {
  const last = compactions.at(-1);
  if (!last || isKept(last, place)) return null;
  return compactions.find((compaction) => !isKept(compaction, place)) ?? last;
}

const isKept = ({ from, tail }: Compaction, place: number): boolean => place >= tail || place >= from;
