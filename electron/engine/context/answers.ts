import { laterCode, stateCodes } from '@shared/contract';
import { type ContextAnswer, type ContextHistory, type ContextLosses, type ContextPart, type ContextRefusal, type ContextStates, messageId, type PartId, partId, type SessionId } from '@shared/model';
import { encodeKey, familyCode, kindCode, roleCode } from '../library/codes';
import type { Db } from '../library/database';
import type { Words } from '../library/words';
import { clip, proseLimit, unlimited } from '../queries/clip';
import { messageKeyOf, partKey, type ViewRow } from '../queries/part-rows';
import { findSession, isoTime, type SummaryRow } from '../queries/session-summary';
import type { Timeline } from '../queries/timeline';
import type { PartBody, SessionStore } from '../stores/store';
import { itemsOf } from './compacted-stretch';
import { historyOf, marksOf } from './history';
import { lossesOf } from './losses';
import { branchIds, type ContextPlace, findPlace } from './place';
import { ContextSessions, type LoadedSession, type PartPlace } from './session';
import { type SizedContext, sizedContext, type SizedPiece } from './view';

/** Contexts kept ready: a page scrolls through one and has its states beside it; a second is compared with. */
const contextsKept = 3;

/** What no store keeps and every agent sends. */
const leftOut = ['The system prompt.', 'The tools and their schemas.', 'What the agent adds to a request only while it runs (reminders, the state of the folder).'];

/** Parts of a compacted stretch whose bodies are read, the last ones; items told; characters of an item. */
const partsLookedAt = 1_500;
const lossesTold = 300;
const lossLength = 500;

const howFound = [
  'Files: paths that tools read, wrote or edited, and attached files. One counts as named when its path or its last name stands in the summary.',
  'Commands: first lines of shell calls. One counts as named when it stands in the summary whole, or by its first two words without options.',
  'Decisions: sentences of the model that hold a word such as “decided”, “instead of” or “because”. One counts as named when six of ten of its words of four letters and more stand in the summary. This is a guess by words, not by meaning.',
];

interface Kept {
  key: string;
  session: LoadedSession;
  summary: SummaryRow;
  context: SizedContext;
}

export interface ContextQuestion {
  session: string;
  branch?: string | undefined;
  at?: string | undefined;
}

/** Which pieces are told, and what of them. */
interface ContextWindow {
  from: number;
  count: number;
  whole?: boolean | undefined;
  words?: boolean | undefined;
}

/** Characters of a part's first words: a line of a list. */
const wordsLength = 120;

function firstWords(body: PartBody | null): string | null {
  const text = body?.text ?? body?.tool?.input ?? body?.file?.name ?? '';
  const words = text.slice(0, wordsLength * 4).replace(/\s+/g, ' ').trim().slice(0, wordsLength).toWellFormed();
  return words === '' ? null : words;
}

/** Answers what the model would get: loads a session's rows, lets its store's rules work on them, and names the parts. */
export class Contexts {
  readonly #sessions;
  readonly #revision;
  #kept: Kept[] = [];

  constructor(
    readonly db: Db,
    readonly timeline: Timeline,
    readonly words: Words,
    readonly storeOf: (agent: string) => SessionStore | undefined,
  ) {
    this.#sessions = new ContextSessions(db, words);
    this.#revision = db.prepare<[number], { revision: number }>('SELECT revision FROM session WHERE id = ?');
  }

  get(question: ContextQuestion, revision: number, { from, count, whole = false, words = false }: ContextWindow): ContextAnswer | ContextRefusal | null {
    const kept = this.#open(question);
    if (kept === null || 'refused' in kept) return kept;
    const { context, session } = kept;
    const id = question.session as SessionId;
    const pieces = context.pieces.slice(from, from + count);
    return {
      revision, session: id, branch: context.place.branchId, at: context.place.at, from,
      parts: pieces.map((piece) => this.#part(id, session, context, piece, whole, words)),
      count: context.pieces.length, tokens: context.tokens, estimated: context.estimated,
      request: this.#request(id, kept), window: context.view.window ?? null, leftOut, notes: context.view.notes,
    };
  }

  states(question: ContextQuestion, revision: number): ContextStates | ContextRefusal | null {
    const kept = this.#open(question);
    if (kept === null || 'refused' in kept) return kept;
    const { context, session } = kept;
    const sent = new Map<number, SizedPiece>();
    for (const piece of context.pieces) if (piece.part && piece.piece.type === 'part') sent.set(piece.part.row, piece);
    // A record that a message is made of goes along with all it shows.
    const made = new Set(context.pieces.flatMap(({ piece }) => (piece.type === 'synthetic' ? [piece.from] : [])));
    const states: string[] = [];
    const seen: string[] = [];
    for (const part of session.parts) {
      const verdict = context.view.records[part.record];
      states.push(verdict ? stateCodes[sent.get(part.row)?.state ?? verdict.state] : laterCode);
      seen.push(sent.has(part.row) || made.has(part.record) ? '1' : '0');
    }
    return { revision, branch: context.place.branchId, at: context.place.at, total: states.length, states: states.join(''), seen: seen.join('') };
  }

  history(question: Pick<ContextQuestion, 'session' | 'branch'>, revision: number): ContextHistory | ContextRefusal | null {
    const kept = this.#open(question);
    if (kept === null || 'refused' in kept) return kept;
    const { context, session, summary } = kept;
    const id = question.session as SessionId;
    const history = historyOf(session, context.view, context.place.branch);
    const nameOf = (part: PartPlace) => this.#named(id, part);
    return {
      revision, session: id, branch: context.place.branchId, window: context.view.window ?? null,
      points: history.points.map(({ part, tokens, estimated, cause, models }) => {
        const row = this.timeline.rows.one(part.row);
        return {
          ...nameOf(part), message: messageId(id, row ? messageKeyOf(row) : ''), time: isoTime(row?.time ?? row?.messageTime ?? null, summary.localTime !== 0), tokens, estimated, cause,
          label: models ? models.map((model) => this.words.text(model)).join(' → ') : cause === 'large' ? (row?.title ?? null) : null,
        };
      }),
      pointsLeftOut: history.pointsLeftOut,
      epochs: history.epochs.map(({ compaction, ...epoch }) => ({
        ...epoch, compaction: compaction && { ...nameOf(compaction.part), summaries: compaction.summaries.map(nameOf), trigger: compaction.trigger, before: compaction.before, after: compaction.after },
      })),
      epochsLeftOut: history.epochsLeftOut,
    };
  }

  /** What the summary of a compaction does not name of the stretch it stands for. Reads the bodies of that stretch, up to a limit. */
  losses(session: string, part: string, revision: number): ContextLosses | ContextRefusal | null {
    const first = this.#open({ session });
    if (first === null || 'refused' in first) return first;
    const id = session as SessionId;
    const row = part.startsWith(`${session}#`) ? this.timeline.row(part) : null;
    const record = row ? first.session.loaded.indexOf.get(row.record) : undefined;
    if (!row || record === undefined) return { refused: `The session has no part ${part}.` };
    const at = first.session.settled.branches.findIndex(({ current, path }) => !current && path.includes(record));
    const onCurrent = first.session.settled.branches.some(({ current, path }) => current && path.includes(record));
    const kept = onCurrent || at < 0 ? first : this.#open({ session, branch: branchIds(first.session.settled)[at] });
    if (kept === null || 'refused' in kept) return kept;
    return this.#lossesAt(id, kept, record, revision) ?? { refused: `${part} is not a completed compaction.` };
  }

  #lossesAt(id: SessionId, { session, context }: Kept, record: number, revision: number): ContextLosses | null {
    const { messages } = session.loaded;
    const sameMessage = (other: number) => other === record || (messages[other] !== null && messages[other] === messages[record]);
    const mark = marksOf(session, context.view, session.parts).find(({ marker, summaries }) => [marker, ...summaries].some(sameMessage));
    if (!mark) return null;
    const causes = new Set([mark.marker, ...mark.summaries]);
    const causeMessages = new Set([...causes].map((own) => messages[own] ?? null));
    causeMessages.delete(null);
    const caused = (cause: number) => causes.has(cause) || causeMessages.has(messages[cause] ?? null);
    const stretch = session.parts.filter((part) => {
      const verdict = context.view.records[part.record];
      return verdict?.state === 'compacted' && caused(verdict.cause);
    });
    const looked = stretch.slice(-partsLookedAt);
    const rows = looked.map((part) => this.timeline.rows.one(part.row));
    const items = rows.flatMap((row, at) => (row ? itemsOf(row, this.#body(session, row), row.family === null ? null : familyCode.word(row.family), at) : []));
    const summaries = mark.summaries.flatMap((own) => (session.byRecord[own] ?? []).filter(({ kind }) => kind === 'summary' || kind === 'text'));
    const text = summaries.map((part) => this.timeline.rows.one(part.row)).map((row) => (row ? (this.#body(session, row)?.text ?? '') : '')).join('\n');
    const { found, lost } = lossesOf(items, text);
    const marker = session.byRecord[mark.marker]?.[0] ?? summaries[0];
    return {
      revision, compaction: marker ? this.#named(id, marker).part : partId(id, ''), summaries: summaries.map((part) => this.#named(id, part).part),
      looked: looked.length, notLooked: stretch.length - looked.length, found,
      lost: lost.slice(0, lossesTold).map(({ kind, text: words, at, times }) => ({ kind, text: words.slice(0, lossLength), ...this.#named(id, looked[at] as PartPlace), times })),
      lostLeftOut: Math.max(0, lost.length - lossesTold), how: howFound,
    };
  }

  #body(session: LoadedSession, row: ViewRow): PartBody | null {
    return this.timeline.bodies.body(session.store, this.#storeRow(session.row), row);
  }

  #storeRow(session: number): number {
    return (this.db.prepare('SELECT store FROM session WHERE id = ?').get(session) as { store: number }).store;
  }

  #named(id: SessionId, part: PartPlace): { part: PartId; index: number } {
    const row = this.timeline.rows.one(part.row);
    return { part: partId(id, row ? partKey(row) : ''), index: part.seq };
  }

  /** A session with its context at a place, from what is kept ready if nothing changed since. */
  #open(question: ContextQuestion): Kept | ContextRefusal | null {
    const summary = findSession(this.db, question.session);
    const store = summary && this.storeOf(summary.agent);
    if (!summary || !store) return null;
    const version = this.#revision.get(summary.id)?.revision ?? 0;
    const key = JSON.stringify([summary.id, version, question.branch ?? null, question.at ?? null]);
    const known = this.#kept.find((kept) => kept.key === key);
    if (known) return known;
    const session = this.#kept.find((kept) => kept.key.startsWith(`[${summary.id},${version},`))?.session ?? this.#sessions.load(summary.id, summary.native, store, Date.now());
    const place = this.#place(session, question);
    if (typeof place === 'string') return { refused: place };
    const kept = { key, session, summary, context: sizedContext(session, place) };
    // Older states of the same session are of no use any more.
    this.#kept = [kept, ...this.#kept.filter((other) => other.summary.id !== summary.id || other.key.startsWith(`[${summary.id},${version},`))].slice(0, contextsKept);
    return kept;
  }

  #place(session: LoadedSession, { session: id, branch, at }: ContextQuestion): ContextPlace | string {
    if (at === undefined) return findPlace(session, id as SessionId, branch, null);
    const row = at.startsWith(`${id}#`) ? this.#pointRow(session.row, at, at.slice(id.length + 1)) : undefined;
    if (!row) return `The session has no message or part ${at}.`;
    return findPlace(session, id as SessionId, branch, { record: session.loaded.indexOf.get(row.record) ?? -1, message: row.message });
  }

  /** A point is named by a part or record, or by the store's own name of a message. */
  #pointRow(session: number, at: string, key: string): { record: number; message: number | null } | undefined {
    const row = this.timeline.row(at);
    if (row) return row;
    const message = this.db.prepare<[string | Buffer, number], { id: number; first: number }>('SELECT id, first FROM message WHERE key = ? AND session = ?').get(encodeKey(key), session);
    return message && { record: message.first, message: message.id };
  }

  #part(id: SessionId, session: LoadedSession, context: SizedContext, sized: SizedPiece, whole: boolean, words: boolean): ContextPart {
    const { piece, part, state, output, tokens, estimated } = sized;
    const row = part && this.timeline.rows.one(part.row);
    const record = piece.type === 'part' ? piece.record : piece.from;
    const key = row ? partKey(row) : (session.loaded.spine.records[record]?.key ?? String(record));
    const text = this.#text(session, context, sized, row);
    return {
      id: piece.type === 'part' ? partId(id, key) : null, index: row?.seq ?? null, message: messageId(id, row ? messageKeyOf(row) : key),
      role: piece.role ?? (row?.role == null ? 'system' : roleCode.word(row.role)),
      kind: piece.type === 'synthetic' ? (piece.state === 'summary' ? 'summary' : 'text') : row ? kindCode.word(row.kind) : 'notice',
      state, output, tokens, estimated, title: row?.title ?? null, ...(words && piece.type === 'part' && { words: row && row.title === null ? firstWords(this.#body(session, row)) : null }), from: piece.type === 'synthetic' ? partId(id, key) : null,
      text: text === null ? null : clip(text, whole ? unlimited : proseLimit),
    };
  }

  /** The text of what has no part of its own: a made message, a placeholder. */
  #text(session: LoadedSession, context: SizedContext, { piece, output }: SizedPiece, row: ViewRow | undefined): string | null {
    if (piece.type === 'part') return output === null || output === 'whole' ? null : (context.view.placeholders?.[output] ?? null);
    if (piece.text !== null) return piece.text;
    const record = row && this.timeline.bodies.record(row);
    return record ? (session.store.contextText?.(record, piece.item) ?? null) : null;
  }

  /** The last request among what is sent that has a figure; those before the last compaction tell the size of what is gone. */
  #request(id: SessionId, { context, session, summary }: Kept): ContextAnswer['request'] {
    const mark = marksOf(session, context.view, session.parts).at(-1);
    const compacted = Math.max(-1, ...[mark?.marker ?? -1, ...(mark?.summaries ?? [])].flatMap((record) => (session.byRecord[record] ?? []).map(({ seq }) => seq)));
    for (let at = context.pieces.length - 1; at >= 0; at--) {
      const part = context.pieces[at]?.part;
      const figures = part && session.figures.get(part.message);
      if (!part || part.seq <= compacted || figures?.request == null) continue;
      const row = this.timeline.rows.one(part.row);
      return row ? { tokens: figures.request + (figures.output ?? 0) + (figures.reasoning ?? 0), message: messageId(id, messageKeyOf(row)), time: isoTime(figures.time, summary.localTime !== 0) } : null;
    }
    return null;
  }
}
