import type { Spine, SpineRecord } from '../../store';
import { asFilledText } from '../../foreign/fields';
import type { Chain } from '../chain';
import type { Evidence } from '../evidence';
import { threadAt } from '../point';
import { isPrompt, isTurnEnd, isTurnStart } from '../turns';

/** A turn of a thread by its records. */
export interface Turn {
  records: SpineRecord[];
  start: SpineRecord;
  /** The line that ended it; null where none did, or where that release wrote none. */
  end: SpineRecord | null;
  /** Its release marks beginning and end. */
  isMarked: boolean;
  id: string | null;
  /** How many turns Codex sees in it: a review stands inside its parent's turn as one more. */
  counts: number;
}

/** A place between two turns, for a point that may lie anywhere. */
export interface TurnPoint {
  evidence: Evidence;
  chain: Chain;
  /** Whole turns before the point, oldest first. */
  kept: Turn[];
  /** The first line that is left out of what stood there then; null: nothing is. */
  boundary: SpineRecord | null;
  /** Turns left out because they never ended. */
  unfinished: number;
  /** The point lay inside a turn, and stands for all of it. */
  isInside: boolean;
}

/** The turns of records that were not taken back (FORMAT.md, "Turns"). */
export function turnsOf(live: readonly SpineRecord[]): Turn[] {
  const turns: Turn[] = [];
  let isOpen = false;
  for (const record of live) {
    if (isTurnStart(record) || (!isOpen && isPrompt(record))) {
      isOpen = isTurnStart(record);
      turns.push({ records: [], start: record, end: null, isMarked: isOpen, id: asFilledText(record.note?.['turn']), counts: 1 });
    }
    turns.at(-1)?.records.push(record);
    if (!isTurnEnd(record)) continue;
    isOpen = false;
    close(turns, record);
  }
  return turns;
}

/** An end that names an earlier turn than the last one ends that one, and what stands between is part of it. */
function close(turns: Turn[], end: SpineRecord): void {
  const id = asFilledText(end.note?.['turn']);
  const named = turns.findLastIndex((turn) => id !== null && turn.id === id);
  if (named >= 0 && turns[named]?.end === null) for (const inner of turns.splice(named + 1)) join(turns[named] as Turn, inner);
  const turn = turns.at(-1);
  if (!turn || turn.end !== null) return;
  turn.end = end;
  turn.id = id ?? turn.id;
}

function join(turn: Turn, inner: Turn): void {
  turn.records.push(...inner.records);
  turn.counts += inner.counts;
}

/** The person's message that opens a turn: a point before it lies between turns. */
const opensTurn = (turn: Turn | undefined, record: SpineRecord): boolean =>
  record.prompt && record.role === 'user' && turn?.records.some((other) => other.prompt && other.role === 'user' && other.messageKey !== record.messageKey) !== true;

/** Finds the last whole turn before a record; null: before now, after everything. */
export function turnPoint(spine: Spine, before: number | null): TurnPoint {
  const { evidence, chain, found } = threadAt(spine, before);
  const kept = turnsOf(found.live);
  const record = before === null ? null : (spine.records[before] ?? null);
  const point: TurnPoint = { evidence, chain, kept, boundary: record, unfinished: 0, isInside: false };
  const drop = (): void => {
    point.boundary = kept.pop()?.start ?? point.boundary;
  };
  const last = kept.at(-1);
  if (record && last?.isMarked && last.end === null) {
    point.isInside = !opensTurn(last, record);
    drop();
  } else if (record && last && !last.isMarked && !(record.prompt && record.role === 'user')) {
    point.isInside = !isTurnStart(record);
    if (point.isInside) drop();
  }
  // Releases that mark no end: an answered message is one.
  const isWhole = (turn: Turn) => (turn.isMarked ? turn.end !== null : turn.records.some(({ role }) => role === 'assistant'));
  for (let turn = kept.at(-1); turn && !isWhole(turn); turn = kept.at(-1)) {
    drop();
    point.unfinished++;
  }
  return point;
}

/** The turn of the thread as it is now that a record belongs to; null when it has been taken back, or stands before all turns. */
export function turnWith(spine: Spine, before: number): { turn: Turn; place: number; turns: Turn[]; isInside: boolean } | null {
  const turns = turnsOf(threadAt(spine, null).found.live);
  const record = spine.records[before];
  if (!record) return null;
  // A message's pictures stand in a line before it, where no turn is marked in the turn before.
  const opened = record.messageKey === null ? -1 : turns.findIndex(({ start }) => start.messageKey === record.messageKey);
  const place = opened >= 0 ? opened : turns.findIndex(({ records }) => records.includes(record));
  const turn = turns[place];
  return turn ? { turn, place, turns, isInside: opened < 0 && record !== turn.start && !opensTurn({ ...turn, records: turn.records.slice(0, turn.records.indexOf(record)) }, record) } : null;
}
