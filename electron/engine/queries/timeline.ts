import { failedToolCode, kindCodes, type Outline, type PartsAnswer, promptCode, stateCodes, type TextWindow } from '@shared/contract';
import { asSessionId, type PartId, partId, type SessionId, splitInnerId } from '@shared/model';
import { encodeKey, kindCode, messageFlag, partFlag, stateCode, statusCode } from '../library/codes';
import type { Db } from '../library/database';
import { RawLog } from '../library/log';
import { Words } from '../library/words';
import type { ImageBody, SessionStore } from '../stores/store';
import { Bodies } from './bodies';
import { windowOf } from './clip';
import { partKey, PartRows, type ViewRow } from './part-rows';
import { partView } from './part-view';
import { findSession } from './session-summary';

interface Place {
  session: SessionId;
  sessionRow: number;
  storeRow: number;
  store: SessionStore;
}

const failed = new Set([statusCode.code('error'), statusCode.code('denied'), statusCode.code('interrupted')]);

/** A session's timeline, by windows: an outline of one character a part, bodies for what is on the screen. */
export class Timeline {
  readonly rows: PartRows;
  readonly bodies: Bodies;
  readonly words: Words;
  readonly #outline;
  readonly #diagnosed;

  constructor(
    readonly db: Db,
    readonly storeOf: (agent: string) => SessionStore | undefined,
  ) {
    this.rows = new PartRows(db);
    this.bodies = new Bodies(db, new RawLog(db));
    this.words = new Words(db);
    this.#outline = db
      .prepare(
        `SELECT p.kind, p.state, p.size + coalesce(p.result_size, 0), p.status, m.flags, p.message, p.flags FROM part p LEFT JOIN message m ON m.id = p.message
         WHERE p.session = ? ORDER BY p.seq`,
      )
      .raw();
    this.#diagnosed = db.prepare<[number], number>('SELECT DISTINCT p.seq FROM diagnosis d JOIN part p ON p.id = d.part WHERE d.session = ? ORDER BY p.seq').pluck();
  }

  outline(session: string, revision: number, withMessages = false): Outline | null {
    const place = this.#place(session);
    if (!place) return null;
    const kinds: string[] = [];
    const states: string[] = [];
    const seen: string[] = [];
    const injected: string[] = [];
    const sizes: string[] = [];
    const messages: number[] = [];
    const numbers = new Map<number, number>();
    let messageCount = 0;
    for (const row of this.#outline.iterate(place.sessionRow) as IterableIterator<[number, number, number, number | null, number | null, number | null, number]>) {
      const [kind, state, size, status, flags, message, own] = row;
      kinds.push(outlineKind(kind, status, flags));
      states.push(stateCodes[stateCode.word(state)]);
      seen.push((own & partFlag.seen) === 0 ? '0' : '1');
      injected.push((own & partFlag.injected) === 0 ? '0' : '1');
      sizes.push(String.fromCharCode(48 + (size > 1 ? Math.round(Math.log2(size)) : 0)));
      if (!withMessages) continue;
      // A part without a message is one by itself.
      const number = (message === null ? undefined : numbers.get(message)) ?? messageCount++;
      if (message !== null) numbers.set(message, number);
      messages.push(number);
    }
    return { revision, total: kinds.length, kinds: kinds.join(''), states: states.join(''), seen: seen.join(''), injected: injected.join(''), sizes: sizes.join(''), diagnosed: this.#diagnosed.all(place.sessionRow), ...(withMessages && { messages }) };
  }

  parts(session: string, revision: number, from: number, count: number, whole: boolean): PartsAnswer | null {
    const place = this.#place(session);
    if (!place) return null;
    let before = this.rows.messageBefore(place.sessionRow, from);
    const diagnoses = this.rows.diagnoses(place.sessionRow, from, count);
    // The parts of a compacted stretch share one cause.
    const causes = new Map<number | null, string | null>();
    const causeOf = (row: ViewRow): string | null => {
      const known = causes.get(row.cause);
      if (known !== undefined) return known;
      const key = this.rows.causeOf(row);
      causes.set(row.cause, key);
      return key;
    };
    const parts = this.rows.window(place.sessionRow, from, count).map((row) => {
      const opens = row.message === null || row.message !== before;
      before = row.message;
      return partView(place.session, row, this.bodies.body(place.store, place.storeRow, row), opens, this.words, whole, causeOf(row), diagnoses.get(row.id) ?? []);
    });
    return { revision, from, parts };
  }

  locate(part: string): { session: SessionId; index: number; part: PartId } | null {
    const found = this.#find(part);
    return found && { session: found.place.session, index: found.row.seq, part: partId(found.place.session, partKey(found.row)) };
  }

  /** The row a part's or record's id names. */
  row(part: string): ViewRow | null {
    return this.#find(part)?.row ?? null;
  }

  text(part: string, side: 'text' | 'input' | 'output' | 'raw', from: number, count: number): TextWindow | null {
    const found = this.#find(part);
    if (!found) return null;
    const { row, place } = found;
    if (side === 'raw') return windowOf(this.#raw(row), from, count);
    const body = this.bodies.body(place.store, place.storeRow, row);
    const text = side === 'text' ? body?.text : side === 'input' ? body?.tool?.input : body?.tool?.output;
    return text == null ? null : windowOf(text, from, count);
  }

  image(part: string, index: number): { mime: string; data: string } | null {
    const found = this.#find(part);
    const body = found && this.bodies.body(found.place.store, found.place.storeRow, found.row);
    const images: ImageBody[] = [...(body?.file?.image ? [body.file.image] : []), ...(body?.tool?.images ?? [])];
    return images[index] ?? null;
  }

  /** The record as the store wrote it, and its result's where that is another one. */
  #raw(row: ViewRow): string {
    const records = [this.bodies.record(row), row.result === row.record ? null : this.bodies.resultRecord(row)];
    return records.flatMap((record) => (record ? [record.toString('utf8')] : [])).join('\n');
  }

  #place(id: string): Place | null {
    const session = findSession(this.db, id);
    const store = session && this.storeOf(session.agent);
    if (!session || !store) return null;
    const { store: storeRow } = this.db.prepare('SELECT store FROM session WHERE id = ?').get(session.id) as { store: number };
    return { session: asSessionId(id), sessionRow: session.id, storeRow, store };
  }

  /** A part by its id; the id of a message, or of any record, names its first part, or the one before a record that shows nothing. */
  #find(id: string): { row: ViewRow; place: Place } | null {
    const inner = splitInnerId(id);
    const place = inner && this.#place(inner.session);
    if (!inner || !place) return null;
    const whole = this.rows.ofRecord(place.sessionRow, encodeKey(inner.key))[0] ?? this.rows.nearRecord(place.sessionRow, encodeKey(inner.key));
    if (whole) return { row: whole, place };
    const numbered = /^(.*)\.(\d+)$/.exec(inner.key);
    if (numbered) {
      const row = this.rows.ofRecord(place.sessionRow, encodeKey(numbered[1] as string)).find((candidate) => candidate.block === Number(numbered[2]));
      if (row) return { row, place };
    }
    const line = /^line-(\d+)-(\d+)$/.exec(inner.key);
    if (!line) return null;
    const part = this.db
      .prepare('SELECT p.id FROM record r JOIN part p ON p.record = r.id WHERE r.session = ? AND r.source = ? AND r.at = ? ORDER BY p.block LIMIT 1')
      .get(place.sessionRow, Number(line[1]), Number(line[2])) as { id: number } | undefined;
    const row = part && this.rows.one(part.id);
    return row ? { row, place } : null;
  }
}

function outlineKind(kind: number, status: number | null, flags: number | null): string {
  const word = kindCode.word(kind);
  if (word === 'tool') return status !== null && failed.has(status) ? failedToolCode : kindCodes.tool;
  return word === 'text' && ((flags ?? 0) & messageFlag.prompt) !== 0 ? promptCode : kindCodes[word];
}
