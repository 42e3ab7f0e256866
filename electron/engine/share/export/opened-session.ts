import type { Outline } from '@shared/contract';
import { asSessionId, type ExportRefusal, type ExportScope, type MessageId, messageId, type PartView, type SessionDetail, type SessionId } from '@shared/model';
import type { Db } from '../../library/database';
import { sessionDetail } from '../../queries/detail';
import { messageKeyOf, type ViewRow } from '../../queries/part-rows';
import { type PartWindow, windowsOf } from '../../queries/part-windows';
import { findSession } from '../../queries/session-summary';
import type { Timeline } from '../../queries/timeline';
import type { SessionStore } from '../../stores/store';
import { type ScopeOf, scopeOf } from './scope';
import { SessionChanged } from './show-document';

/** What of a session leaves beside its words. */
export interface Wanted {
  toolOutput: boolean;
  reasoning: boolean;
}

/** Windows kept: the parts of a message may lie apart, with those of another between them. */
const keptWindows = 3;

/** Rows of parts that are looked at together. */
const namesAtOnce = 1_000;

/** A session that is exported: what is known of it, and its parts, read in windows. What is held is bounded by the windows and by the largest part. */
export class OpenedSession {
  readonly #windows: PartWindow[];
  readonly #kept = new Map<PartWindow, PartView[]>();

  private constructor(
    readonly id: SessionId,
    readonly row: number,
    readonly detail: SessionDetail,
    readonly outline: Outline,
    readonly scope: ScopeOf,
    readonly timeline: Timeline,
    readonly revision: number,
    readonly wanted: Wanted,
    readonly store: SessionStore,
    readonly storeRow: number,
  ) {
    this.#windows = windowsOf(outline.sizes);
  }

  static open(db: Db, timeline: Timeline, revision: number, id: string, scope: ExportScope, wanted: Wanted): OpenedSession | ExportRefusal {
    const found = findSession(db, id);
    const detail = found && sessionDetail(db, id, 'messages');
    const outline = timeline.outline(id, revision, true);
    const store = found && timeline.storeOf(found.agent);
    if (!found || !detail || !outline || !store) return { refused: 'session', reason: `There is no session ${JSON.stringify(id)}.` };
    const chosen = scopeOf(db, found.id, detail, scope);
    if ('refused' in chosen) return chosen;
    const { store: storeRow } = db.prepare('SELECT store FROM session WHERE id = ?').get(found.id) as { store: number };
    return new OpenedSession(asSessionId(id), found.id, detail, outline, chosen, timeline, revision, wanted, store, storeRow);
  }

  /** Whether a part is of a kind that leaves. */
  keeps(index: number): boolean {
    return this.wanted.reasoning || this.outline.kinds[index] !== 'r';
  }

  async part(index: number): Promise<PartView> {
    const window = this.#windowOf(index);
    let parts = this.#kept.get(window);
    this.#kept.delete(window);
    if (!parts) {
      // Others may ask the engine meanwhile.
      await new Promise((resolve) => setImmediate(resolve));
      parts = this.timeline.parts(this.id, this.revision, window.from, window.count, true)?.parts ?? [];
    }
    this.#kept.set(window, parts);
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= keptWindows) break;
      this.#kept.delete(oldest);
    }
    const part = parts[index - window.from];
    if (!part) throw new SessionChanged('The session changed while it was read. Try again.');
    return this.wanted.toolOutput ? part : withoutOutput(part);
  }

  /** The parts that leave, in the order of the timeline. */
  async *parts(): AsyncIterable<PartView> {
    for (let index = 0; index < this.outline.total; index++) {
      if (!this.keeps(index)) continue;
      const part = await this.part(index);
      if (this.scope.includes(part.message.id, index)) yield part;
    }
  }

  /** How many parts leave, and of how many messages. */
  size(): { messages: number; parts: number } {
    const { messages = [] } = this.outline;
    const counted = new Set<number>();
    let parts = 0;
    for (let from = 0; from < this.outline.total; from += namesAtOnce) {
      const rows = this.scope.whole ? [] : this.timeline.rows.window(this.row, from, namesAtOnce);
      for (let index = from; index < Math.min(from + namesAtOnce, this.outline.total); index++) {
        const row = rows[index - from];
        if (!this.keeps(index) || (row && !this.scope.includes(this.messageOf(row), index))) continue;
        parts++;
        counted.add(messages[index] ?? -1);
      }
    }
    return { messages: counted.size, parts };
  }

  messageOf(row: ViewRow): MessageId {
    return messageId(this.id, messageKeyOf(row));
  }

  /** Keys of files of the store that steps in the scope are shown with: saved outputs that were too long for a record. */
  async filesAskedFor(): Promise<Set<string>> {
    const keys = new Set<string>();
    for (const { from, count } of this.#windows) {
      const kinds = this.outline.kinds.slice(from, from + count);
      if (!/[xXm]/.test(kinds)) continue;
      await new Promise((resolve) => setImmediate(resolve));
      for (const row of this.timeline.rows.window(this.row, from, count)) {
        if (this.scope.includes(this.messageOf(row), row.seq)) this.timeline.bodies.body(this.store, this.storeRow, row, (key) => keys.add(key));
      }
    }
    return keys;
  }

  #windowOf(index: number): PartWindow {
    let low = 0;
    for (let high = this.#windows.length - 1; low < high; ) {
      const middle = (low + high + 1) >> 1;
      if ((this.#windows[middle] as PartWindow).from <= index) low = middle;
      else high = middle - 1;
    }
    return this.#windows[low] as PartWindow;
  }
}

function withoutOutput(part: PartView): PartView {
  return part.tool ? { ...part, tool: { ...part.tool, output: null, images: [] } } : part;
}
