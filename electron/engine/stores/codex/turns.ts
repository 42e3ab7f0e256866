import type { SpineRecord } from '../store';

const starts = new Set(['event_msg/task_started', 'event_msg/turn_started']);
const ends = new Set(['event_msg/task_complete', 'event_msg/turn_complete', 'event_msg/turn_aborted']);

export const isTurnStart = (record: SpineRecord): boolean => starts.has(record.type);
export const isTurnEnd = (record: SpineRecord): boolean => ends.has(record.type);

/** A person's message as it is shown, in any shape. */
export const isPrompt = (record: SpineRecord): boolean => record.prompt && record.role === 'user' && record.note?.['said'] !== undefined;

/** Context put in by Codex; the instructions of the oldest releases count as a person's message. */
const isContext = (record: SpineRecord): boolean => record.injected && record.type.startsWith('response_item/message:') && record.role !== 'assistant' && record.note?.['outlives'] !== true;

/**
 * The turns shown so far. A turn begins where it says so, a compaction of its own included; before releases wrote that,
 * at each message of the person (FORMAT.md, "Turns").
 */
export class TurnStack {
  readonly #turns: SpineRecord[][] = [];
  /** A begun turn that has not ended: messages inside it begin no other. */
  #isOpen = false;
  /** What was put in since the last turn said or did something: it goes with the turn it was put in for. */
  #before: SpineRecord[] = [];

  add(record: SpineRecord): void {
    if (!this.#isOpen && isContext(record)) {
      this.#before.push(record);
      return;
    }
    if (isTurnStart(record) || (!this.#isOpen && isPrompt(record))) {
      this.#turns.push([]);
      this.#isOpen = isTurnStart(record);
    }
    if (isTurnEnd(record)) this.#isOpen = false;
    this.#turns.at(-1)?.push(...this.#before, record);
    this.#before = [];
  }

  /** Takes the last turns off, and returns their records. */
  takeBack(count: number): SpineRecord[] {
    this.#isOpen = false;
    return count <= 0 ? [] : [...this.#turns.splice(-count).flat(), ...this.#before.splice(0)];
  }
}

/** The record that began a last turn without an end; null when the session came to an end. */
export function lastTurn(live: readonly SpineRecord[]): number | null {
  const hasTurns = live.some(isTurnStart);
  for (let i = live.length - 1; i >= 0; i--) {
    const record = live[i] as SpineRecord;
    if (hasTurns && isTurnEnd(record)) return null;
    if (hasTurns ? isTurnStart(record) : isPrompt(record)) return record.index;
    // Shapes without turns: an answered message of the person is an end.
    if (!hasTurns && record.role === 'assistant') return null;
  }
  return null;
}
