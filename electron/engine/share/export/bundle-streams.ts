import { type Agent, messageId, type SessionId } from '@shared/model';
import { decodeKey } from '../../library/codes';
import type { Db } from '../../library/database';
import { RawLog } from '../../library/log';
import { messageKeyOf } from '../../queries/part-rows';
import { asText } from '../../stores/foreign/fields';
import { readLine } from '../../stores/opencode/lines';
import type { OpenedSession } from './opened-session';

/** A source of the library that goes into a bundle, or a part of it. */
export interface BundleStream {
  source: number;
  agent: Agent;
  store: { key: string; folder: string };
  key: string;
  role: 'records' | 'file';
  sessions: SessionId[];
  reader: number;
  gone: boolean;
  length: number;
  /** Null: all of it. */
  ranges: Range[] | null;
  /** Of what lies in the ranges: whether a line leaves. */
  keeps: ((line: Uint8Array) => boolean) | null;
}

export interface Range {
  from: number;
  to: number;
}

/** What a stream that stays behind says of a session. */
export interface BundleEvidence {
  session: SessionId;
  source: string;
  slot: string;
  data: unknown;
}

interface SourceRow {
  id: number;
  key: string;
  reader: number;
  gone: number;
  length: number;
  agent: Agent;
  storeKey: string;
  folder: string;
}

interface RecordRow {
  id: number;
  session: number;
  at: number;
}

interface PartRow {
  seq: number;
  record: number;
  result: number | null;
  message: number | null;
  messageKey: string | Buffer | null;
  key: string | Buffer | null;
  source: number;
  at: number;
}

/** Bytes read together; a longer record is read whole. */
const windowBytes = 1 << 20;

/** Chooses what of the raw log a bundle holds: whole streams where nobody else's records are in them, else the records of its sessions. */
export class BundleStreams {
  readonly log: RawLog;
  readonly #rows: ReadonlyMap<number, OpenedSession>;

  constructor(
    readonly db: Db,
    readonly sessions: readonly OpenedSession[],
    /** Keys of files that parts point at, by session. */
    readonly files: ReadonlyMap<OpenedSession, ReadonlySet<string>>,
  ) {
    this.log = new RawLog(db);
    this.#rows = new Map(sessions.map((session) => [session.row, session]));
  }

  choose(): { streams: BundleStream[]; evidence: BundleEvidence[] } {
    const streams = new Map<number, BundleStream>();
    const evidence: BundleEvidence[] = [];
    for (const source of this.#linked()) {
      const linked = this.#sessionsOf(source.id);
      const own = linked.filter(({ session }) => this.#rows.has(session));
      const foreign = linked.filter(({ session }) => !this.#rows.has(session));
      const hasRecords = own.some(({ records }) => records);
      if (foreign.length > 0 && !hasRecords) evidence.push(...own.flatMap(({ session }) => this.#evidence(session, source)));
      else streams.set(source.id, this.#stream(source, own.map(({ session }) => session), foreign.some(({ records }) => records)));
    }
    for (const [session, keys] of this.files) for (const key of keys) this.#addFile(streams, session, key);
    return { streams: [...streams.values()].sort((a, b) => a.source - b.source), evidence };
  }

  #linked(): SourceRow[] {
    const find = this.db.prepare<[number], SourceRow>(
      `SELECT DISTINCT s.id, s.key, s.reader, s.gone, s.length, st.agent, st.key AS storeKey, st.folder
       FROM source_session x JOIN source s ON s.id = x.source JOIN store st ON st.id = s.store WHERE x.session = ? ORDER BY s.id`,
    );
    const found = new Map<number, SourceRow>();
    for (const { row } of this.sessions) for (const source of find.all(row)) found.set(source.id, source);
    return [...found.values()].sort((a, b) => a.id - b.id);
  }

  #sessionsOf(source: number): { session: number; records: boolean }[] {
    const rows = this.db
      .prepare('SELECT session, EXISTS (SELECT 1 FROM record r WHERE r.session = x.session AND r.source = x.source) AS records FROM source_session x WHERE source = ?')
      .all(source) as { session: number; records: number }[];
    return rows.map(({ session, records }) => ({ session, records: records === 1 }));
  }

  #evidence(session: number, source: SourceRow): BundleEvidence[] {
    const rows = this.db.prepare('SELECT slot, data FROM evidence WHERE session = ? AND source = ? ORDER BY slot').all(session, source.id) as { slot: string; data: string }[];
    return rows.map(({ slot, data }) => ({ session: this.#id(session), source: source.key, slot, data: JSON.parse(data) as unknown }));
  }

  #stream(source: SourceRow, sessions: number[], shared: boolean): BundleStream {
    const partial = sessions.some((session) => this.#rows.get(session)?.scope.whole === false);
    const kept = shared || partial ? this.#kept(sessions) : null;
    return {
      source: source.id, agent: source.agent, store: { key: source.storeKey, folder: source.folder }, key: source.key, role: 'records',
      sessions: sessions.map((session) => this.#id(session)), reader: source.reader, gone: source.gone !== 0, length: source.length,
      ranges: kept && this.#ranges(source, kept, shared), keeps: partial && source.agent === 'opencode' ? rowFilter(this.#keysOf(sessions, kept ?? new Set())) : null,
    };
  }

  /** Records that leave: those of messages in the scope, those of no message, and results of calls that leave. */
  #kept(sessions: readonly number[]): Set<number> {
    const kept = new Set<number>();
    const records = this.db.prepare<[number], { id: number; message: number | null }>('SELECT id, message FROM record WHERE session = ?');
    const parts = this.db.prepare<[number], PartRow>(
      `SELECT p.seq, p.record, p.result, p.message, f.key AS messageKey, r.key, r.source, r.at
       FROM part p JOIN record r ON r.id = p.record LEFT JOIN message m ON m.id = p.message LEFT JOIN record f ON f.id = m.first WHERE p.session = ? ORDER BY p.seq`,
    );
    for (const row of sessions) {
      const session = this.#rows.get(row);
      if (!session) continue;
      if (session.scope.whole) {
        for (const { id } of records.iterate(row)) kept.add(id);
        continue;
      }
      const inside = new Set<number>();
      const outside = new Set<number>();
      const told = new Set<number>();
      for (const part of parts.iterate(row)) {
        const leaves = session.scope.includes(messageId(session.id, messageKeyOf(part)), part.seq);
        for (const record of [part.record, part.result]) if (record !== null) (leaves ? kept : told).add(record);
        if (part.message !== null) (leaves ? inside : outside).add(part.message);
      }
      for (const { id, message } of records.iterate(row)) {
        if (kept.has(id) || told.has(id)) continue;
        if (message === null || inside.has(message) || !outside.has(message)) kept.add(id);
      }
    }
    return kept;
  }

  /** Stretches of a stream: each record with what lies behind it up to the next one. What lies before the first stays unless it may be somebody else's. */
  #ranges(source: SourceRow, kept: ReadonlySet<number>, shared: boolean): Range[] {
    const records = this.db
      .prepare('SELECT id, session, at FROM record WHERE session IN (SELECT session FROM source_session WHERE source = @source) AND source = @source ORDER BY at')
      .all({ source: source.id }) as RecordRow[];
    const ranges: Range[] = [];
    const add = (from: number, to: number) => {
      const last = ranges.at(-1);
      if (last && last.to === from) last.to = to;
      else if (to > from) ranges.push({ from, to });
    };
    const [first] = records;
    if (!first || !shared || kept.has(first.id)) add(0, first?.at ?? source.length);
    for (const [index, { id, at }] of records.entries()) if (kept.has(id)) add(at, records[index + 1]?.at ?? source.length);
    return ranges;
  }

  /** Native keys of the records that leave: a row of a database may stand in a stream in several versions. */
  #keysOf(sessions: readonly number[], kept: ReadonlySet<number>): Set<string> {
    const keys = new Set<string>();
    const rows = this.db.prepare<[number], { id: number; key: string | Buffer | null }>('SELECT id, key FROM record WHERE session = ?');
    for (const session of sessions) for (const { id, key } of rows.iterate(session)) if (kept.has(id) && key !== null) keys.add(decodeKey(key));
    return keys;
  }

  #addFile(streams: Map<number, BundleStream>, session: OpenedSession, key: string): void {
    const row = this.db
      .prepare(
        `SELECT s.id, s.key, s.reader, s.gone, s.length, st.agent, st.key AS storeKey, st.folder FROM source s JOIN store st ON st.id = s.store
         WHERE s.store = (SELECT store FROM session WHERE id = ?) AND (s.key = ? OR s.key LIKE ? ESCAPE '\\') ORDER BY s.generation DESC LIMIT 1`,
      )
      .get(session.row, key, `%/${key.replace(/[\\%_]/g, '\\$&')}`) as SourceRow | undefined;
    if (!row) return;
    const known = streams.get(row.id);
    if (known) {
      if (!known.sessions.includes(session.id)) known.sessions.push(session.id);
      return;
    }
    streams.set(row.id, {
      source: row.id, agent: row.agent, store: { key: row.storeKey, folder: row.folder }, key: row.key, role: 'file', sessions: [session.id], reader: row.reader,
      gone: row.gone !== 0, length: row.length, ranges: null, keeps: null,
    });
  }

  #id(row: number): SessionId {
    const session = this.#rows.get(row);
    if (!session) throw new Error(`session ${row} is not exported`);
    return session.id;
  }

  /** The bytes of a stream that leave, in windows that end where a line does, unless the stream ends inside one. */
  *read(stream: BundleStream): Iterable<{ at: number; bytes: Buffer }> {
    for (const { from, to } of stream.ranges ?? [{ from: 0, to: Infinity }]) {
      for (const window of joined(this.#chunks(stream, from, to))) {
        const bytes = stream.keeps ? filtered(window.bytes, stream.keeps) : window.bytes;
        if (bytes.length > 0) yield { at: window.at, bytes };
      }
    }
  }

  *#chunks({ source }: BundleStream, from: number, to: number): Iterable<{ at: number; bytes: Buffer }> {
    for (const { at, end, read } of this.log.pieces(this.db, source)) {
      if (end <= from || at >= to) continue;
      const bytes = read();
      const start = Math.max(0, from - at);
      yield { at: at + start, bytes: bytes.subarray(start, Math.min(bytes.length, to - at)) };
    }
  }
}

/** Chunks joined to windows of whole lines. A key over several lines is not cut. */
function* joined(chunks: Iterable<{ at: number; bytes: Buffer }>): Iterable<{ at: number; bytes: Buffer }> {
  let held: Buffer[] = [];
  let at = 0;
  let size = 0;
  for (const chunk of chunks) {
    if (size > 0 && chunk.at !== at + size) {
      yield { at, bytes: Buffer.concat(held) };
      held = [];
      size = 0;
    }
    if (size === 0) at = chunk.at;
    held.push(chunk.bytes);
    size += chunk.bytes.length;
    if (size < windowBytes || !chunk.bytes.includes(10)) continue;
    const all = Buffer.concat(held);
    const end = cutOf(all);
    if (end > 0) yield { at, bytes: all.subarray(0, end) };
    held = [all.subarray(end)];
    at += end;
    size -= end;
  }
  if (size > 0) yield { at, bytes: Buffer.concat(held) };
}

/** After the last line, or before one that begins a key whose end is not there yet. */
function cutOf(bytes: Buffer): number {
  const end = bytes.lastIndexOf(10) + 1;
  const begin = bytes.lastIndexOf('-----BEGIN ', end);
  if (begin < 0 || bytes.length - begin > 20_000 || bytes.indexOf('-----END ', begin) >= 0) return end;
  return bytes.lastIndexOf(10, begin) + 1 || end;
}

function filtered(bytes: Buffer, keeps: (line: Uint8Array) => boolean): Buffer {
  const kept: Buffer[] = [];
  for (let start = 0; start < bytes.length; ) {
    const found = bytes.indexOf(10, start);
    const end = found < 0 ? bytes.length : found + 1;
    const line = bytes.subarray(start, end);
    if (keeps(line)) kept.push(line);
    start = end;
  }
  return Buffer.concat(kept);
}

/** Of rows of messages and parts only those that leave; of all others every version. */
function rowFilter(keys: ReadonlySet<string>): (line: Uint8Array) => boolean {
  const rows = new Set(['message', 'part', 'v2', 'input']);
  return (bytes) => {
    const line = readLine(bytes, 0);
    const id = line && rows.has(line.kind) ? asText(line.row['id']) : null;
    return id === null || keys.has(id);
  };
}
