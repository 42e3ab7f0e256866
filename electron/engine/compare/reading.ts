import { type Deeds, partId, type PartPointer, type Said, type SessionId } from '@shared/model';
import { itemsOf } from '../context/compacted-stretch';
import type { StretchItem } from '../context/losses';
import { partKey, type ViewRow } from '../queries/part-rows';
import { isoTime, type SummaryRow } from '../queries/session-summary';
import type { Timeline } from '../queries/timeline';
import type { PartBody, SessionStore } from '../stores/store';
import { pathWithin } from './knows';
import { figuresOf, spanOf, toldParts, tokensOf } from './turns';
import { isSaid, type WalkedMessage, type WalkedPart } from './walk';

/** Sentences of a stretch that are compared, the last ones: each is held against each of the other side. */
const decisionsTaken = 500;
/** Characters of a first line that are told. */
const lineLength = 240;

/** What tools of a stretch did to files, and what its parts tell. */
export interface StretchContent {
  /** `at`: place of its part in `parts`. */
  items: StretchItem[];
  parts: WalkedPart[];
  /** Paths changed by each part, by its row. */
  changed: Map<number, string[]>;
  looked: number;
  notLooked: number;
}

/** Reads of one session what its rows do not tell: names of parts, first lines, paths. */
export class SessionReading {
  readonly #storeRow: number;

  constructor(
    readonly id: SessionId,
    readonly summary: SummaryRow,
    readonly store: SessionStore,
    readonly timeline: Timeline,
  ) {
    this.#storeRow = (timeline.db.prepare('SELECT store FROM session WHERE id = ?').get(summary.id) as { store: number }).store;
  }

  pointer(part: WalkedPart | undefined): PartPointer | null {
    const row = part && this.timeline.rows.one(part.row);
    return row ? { part: partId(this.id, partKey(row)), index: row.seq } : null;
  }

  time = (ms: number | null): string | null => isoTime(ms, this.summary.localTime !== 0);

  #said(part: WalkedPart | undefined): Said | null {
    const row = part && this.timeline.rows.one(part.row);
    if (!row) return null;
    return { part: partId(this.id, partKey(row)), index: row.seq, text: firstLine(this.#body(row)?.text ?? row.title ?? '') };
  }

  prompt(message: WalkedMessage | undefined | null): Said | null {
    const part = message?.parts.find((each) => isSaid(each) && (each.kind === 'text' || each.kind === 'command')) ?? message?.parts.find(isSaid);
    return this.#said(part);
  }

  /** The last thing that the model said. */
  lastWords(messages: readonly WalkedMessage[]): Said | null {
    const part = messages.findLast((message) => message.role === 'assistant' && message.parts.some(isAnswer))?.parts.findLast(isAnswer);
    return this.#said(part);
  }

  deeds(messages: readonly WalkedMessage[]): Deeds {
    const prompts = messages.filter((message) => message.prompt && message.parts.some((part) => isSaid(part) && !part.reverted));
    const { began, ended } = spanOf(messages);
    return {
      ...figuresOf(messages), tokens: tokensOf(messages), began: this.time(began), ended: this.time(ended),
      firstPrompt: this.prompt(prompts[0]), lastPrompt: this.prompt(prompts.at(-1)), lastWords: this.lastWords(messages),
    };
  }

  /** Reads the bodies of the last parts of a stretch, at most `limit` of those that can tell something. */
  content(messages: readonly WalkedMessage[], limit: number): StretchContent {
    const telling = toldParts(messages).filter(tellsAnything);
    const parts = telling.slice(-limit);
    const items: StretchItem[] = [];
    const changed = new Map<number, string[]>();
    for (const [at, part] of parts.entries()) {
      const row = this.timeline.rows.one(part.row);
      const body = row ? this.#body(row) : null;
      if (!row || !body) continue;
      for (const item of itemsOf(row, body, part.family, at)) items.push(item.kind === 'file' ? { ...item, text: pathWithin(item.text, this.summary.directory) } : item);
      if (!wasDone(part)) continue;
      const edits = body.tool?.edits ?? [];
      if (edits.length > 0) changed.set(part.row, [...new Set(edits.map(({ path }) => path))]);
    }
    const decisions = items.filter(({ kind }) => kind === 'decision').slice(-decisionsTaken);
    return { items: [...items.filter(({ kind }) => kind !== 'decision'), ...decisions], parts, changed, looked: parts.length, notLooked: telling.length - parts.length };
  }

  #body(row: ViewRow): PartBody | null {
    return this.timeline.bodies.body(this.store, this.#storeRow, row);
  }
}

const tellsAnything = ({ kind }: WalkedPart): boolean => kind === 'tool' || kind === 'text' || kind === 'file';

const isAnswer = (part: WalkedPart): boolean => part.kind === 'text' && isSaid(part) && !part.reverted;
/** A call that was refused or failed changed nothing. */
const wasDone = ({ status }: WalkedPart): boolean => status !== 'denied' && status !== 'pending' && status !== 'error';

/** The first line that is not empty, cut where it is long; never inside a surrogate pair. */
export function firstLine(text: string): string {
  const line = text.split('\n').find((each) => each.trim() !== '')?.trim() ?? '';
  return line.length <= lineLength ? line.toWellFormed() : `${line.slice(0, lineLength).replace(/[\ud800-\udbff]$/, '').toWellFormed()}…`;
}
