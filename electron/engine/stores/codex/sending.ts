import type { Role } from '@shared/model';
import type { SpineRecord } from '../store';
import { asList, asNumber, asText } from '../foreign/fields';

/**
 * One thing that goes to the model.
 * - `record`: the parts of a record, as they stand
 * - `item`: an item of a compaction's replacement history that no record of its own shows
 * - `thought`: reasoning of which nothing can be read; `size` is that of its record
 */
export type Sent =
  | { what: 'record'; index: number }
  | { what: 'item'; index: number; item: number; role: Role; size: number; said: number }
  | { what: 'thought'; index: number; size: number };

export const isCompaction = (record: SpineRecord): boolean => compactions.has(record.type);
const compactions = new Set(['compacted', 'response_item/compaction', 'response_item/context_compaction']);
/** Index of the last compaction in a list of records; -1 when there is none. */
export const lastCompaction = (live: readonly SpineRecord[]): number => live.findLastIndex(isCompaction);

/** Records that only say what a request cost or that its answer is not there, and prompts of a thread that has no file any more. */
const silent = new Set(['token_usage_record', 'event_msg/token_count', 'step', 'history']);

/**
 * What Codex sends of the lines that a thread still has, in order (FORMAT.md, "What goes to the model"): the response
 * items since the last compaction, behind what that compaction left. One pass; nothing is looked at twice but what a
 * compaction keeps.
 */
export function sendingOf(live: readonly SpineRecord[]): Sent[] {
  const walk = new Walk();
  for (const record of live) walk.take(record);
  return walk.sent;
}

class Walk {
  sent: Sent[] = [];
  /** Messages of the person so far, by what they say: a compaction repeats some of them. */
  readonly #said = new Map<number, number[]>();
  /** Texts shown by an event, until the line that was sent names them. */
  readonly #waiting = new Map<string, number>();
  /** Reasoning shown since the last that was sent. */
  #thoughts: number[] = [];
  /** Records that a compaction without a recorded history keeps. */
  readonly #own = new Set<number>();

  take(record: SpineRecord): void {
    const { note, index, type } = record;
    if (isCompaction(record)) return this.#compact(record);
    if (type === 'response_item/reasoning') return this.#think(record);
    const names = asText(note?.['sends']);
    if (names !== null) return this.#send(names);
    if (record.messageKey === null || silent.has(type) || note?.['unsent'] === true) return;
    if (note?.['waits'] === true) this.#waiting.set(record.key ?? '', index);
    else if (type === 'event_msg/agent_reasoning' || type === 'event_msg/item_completed/Reasoning') this.#thoughts.push(index);
    else this.#add(record);
  }

  #add(record: SpineRecord): void {
    this.sent.push({ what: 'record', index: record.index });
    const said = asNumber(record.note?.['said']);
    if (said !== null && record.prompt) {
      const known = this.#said.get(said);
      if (known) known.push(record.index);
      else this.#said.set(said, [record.index]);
    }
    if (said !== null || record.note?.['outlives'] === true) this.#own.add(record.index);
  }

  #send(key: string): void {
    const index = this.#waiting.get(key);
    if (index === undefined) return;
    this.#waiting.delete(key);
    this.sent.push({ what: 'record', index });
  }

  /** What an event showed of it stands for it; several events may show one item. */
  #think({ index, note }: SpineRecord): void {
    if (this.#thoughts.length === 0) this.sent.push({ what: 'thought', index, size: asNumber(note?.['size']) ?? 0 });
    else for (const shown of this.#thoughts) this.sent.push({ what: 'record', index: shown });
    this.#thoughts = [];
  }

  #compact(record: SpineRecord): void {
    const history = Array.isArray(record.note?.['history']) ? record.note['history'] : null;
    this.sent = history ? this.#repeated(record, history) : this.#rebuilt(record);
    this.#thoughts = [];
    this.#waiting.clear();
  }

  /** Items of a replacement history: where one repeats a message that has a record, that record; where it is the summary, this one. */
  #repeated(record: SpineRecord, history: readonly unknown[]): Sent[] {
    const summary = asNumber(record.note?.['summary']);
    const sent: Sent[] = [];
    // The newest messages are kept, so equal texts are taken from the end.
    const left = new Map<number, number>();
    for (let item = history.length - 1; item >= 0; item--) {
      const [role, size, said] = asList(history[item]);
      sent.push(this.#original(asNumber(said) ?? 0, left) ?? (item === summary ? { what: 'record', index: record.index } : {
        what: 'item', index: record.index, item, role: role === 'user' || role === 'assistant' ? role : 'system', size: asNumber(size) ?? 0, said: asNumber(said) ?? 0,
      }));
    }
    return sent.reverse();
  }

  #original(said: number, left: Map<number, number>): Sent | null {
    const records = said === 0 ? undefined : this.#said.get(said);
    if (!records) return null;
    const place = (left.get(said) ?? records.length) - 1;
    if (place < 0) return null;
    left.set(said, place);
    return { what: 'record', index: records[place] as number };
  }

  /** Releases that did not record it: Codex makes it anew of the person's messages and the summary. */
  #rebuilt(record: SpineRecord): Sent[] {
    const kept = this.sent.filter((one) => (one.what === 'record' ? this.#own.has(one.index) : one.what === 'item' && one.said !== 0));
    return [...kept, { what: 'record', index: record.index }];
  }
}
