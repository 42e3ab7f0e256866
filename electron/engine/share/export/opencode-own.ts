import type { ExportRefusal } from '@shared/model';
import { messageId } from '@shared/model';
import { decodeKey, recordFlag, roleCode } from '../../library/codes';
import type { Db } from '../../library/database';
import { RawLog } from '../../library/log';
import { asNumber, asObject, asText, type Fields } from '../../stores/foreign/fields';
import { readLine } from '../../stores/opencode/lines';
import type { Redactor } from '../redaction/redactor';
import type { OpenedSession, Wanted } from './opened-session';
import { beside, placeOfKey } from './place';

interface RecordRow {
  key: string | Buffer | null;
  source: number;
  at: number;
  bytes: number;
  message: number | null;
  type: string;
}

interface MessageRows {
  row: number;
  key: string;
  time: number;
  info: RecordRow;
  parts: RecordRow[];
}

/**
 * What `opencode export` prints of a session, out of OpenCode's own records (stores/opencode/FORMAT.md): the objects as
 * they stand in its rows, with the ids that the rows keep beside them. Rows that were deleted are left out.
 */
export class OwnOpenCode {
  readonly #log: RawLog;

  private constructor(
    readonly db: Db,
    readonly session: OpenedSession,
    readonly info: Uint8Array,
    readonly messages: readonly MessageRows[],
    readonly wanted: Wanted,
  ) {
    this.#log = new RawLog(db);
  }

  static open(db: Db, session: OpenedSession, wanted: Wanted): OwnOpenCode | ExportRefusal {
    const messages = messagesOf(db, session);
    const second = secondGeneration(db, session);
    if (messages.length === 0 && second > 0) return { refused: 'format', reason: 'This session was made by OpenCode’s second generation of sessions, which its own export does not know. Choose another format.' };
    if (second > 0) return { refused: 'format', reason: `${second === 1 ? '1 message of this session was' : `${second} messages of this session were`} made by OpenCode’s second generation of sessions, which its own export does not know and would leave out. Choose another format.` };
    const info = infoLine(db, session);
    if (!info) return { refused: 'format', reason: 'The row of this session is not in the library: it cannot be told as OpenCode exports it.' };
    return new OwnOpenCode(db, session, info, messages, wanted);
  }

  async look(redactor: Redactor, step: () => void): Promise<void> {
    redactor.seeRecords(this.info, () => beside(this.session.id));
    for (const message of this.messages) {
      step();
      for (const record of [message.info, ...message.parts]) {
        const bytes = this.#read(record);
        if (bytes) redactor.seeRecords(bytes, () => placeOfKey(this.session, decodeKey(record.key ?? message.key)));
      }
      await redactor.rest();
    }
  }

  async *write(redactor: Redactor, step: () => void): AsyncIterable<string> {
    const row = readLine(redactor.maskRecords(this.info), 0)?.row ?? {};
    yield `{"info":${JSON.stringify(sessionOf(row))},"messages":[`;
    let separator = '\n';
    for (const message of this.messages) {
      step();
      const info = this.#object(redactor, message.info, { sessionID: row['id'] });
      if (!info) continue;
      const parts = message.parts.map((part) => this.#part(redactor, part, { sessionID: row['id'], messageID: info['id'] })).filter((part) => part !== null);
      yield `${separator}${JSON.stringify({ info, parts })}`;
      separator = ',\n';
    }
    yield ']}\n';
  }

  #part(redactor: Redactor, record: RecordRow, ids: Fields): Fields | null {
    const part = this.#object(redactor, record, ids);
    if (!part || (part['type'] === 'reasoning' && !this.wanted.reasoning)) return null;
    return part['type'] === 'tool' && !this.wanted.toolOutput ? { ...part, state: withoutOutput(asObject(part['state']) ?? {}) } : part;
  }

  /** The object of a row, its ids first as the program writes them. */
  #object(redactor: Redactor, record: RecordRow, ids: Fields): Fields | null {
    const bytes = this.#read(record);
    const row = bytes && readLine(redactor.maskRecords(bytes), 0)?.row;
    const data = row && asObject(row['data']);
    return data ? { ...data, id: row['id'], ...ids } : null;
  }

  #read({ source, at, bytes }: RecordRow): Buffer | null {
    return this.#log.read(source, at, bytes);
  }
}

function messagesOf(db: Db, session: OpenedSession): MessageRows[] {
  const records = db
    .prepare(
      `SELECT r.key, r.source, r.at, r.bytes, r.message, w.text AS type, coalesce(m.time, r.time, 0) AS time FROM record r JOIN word w ON w.id = r.type LEFT JOIN message m ON m.id = r.message
       WHERE r.session = ? AND (w.text LIKE 'message/%' OR w.text LIKE 'part/%') AND (r.flags & ${recordFlag.gone}) = 0`,
    )
    .all(session.row) as (RecordRow & { time: number })[];
  const places = placesOf(db, session);
  const messages = new Map<number, MessageRows>();
  for (const record of records) {
    if (record.message === null || record.key === null || !record.type.startsWith('message/')) continue;
    const key = decodeKey(record.key);
    const index = places.get(record.message) ?? 0;
    if (session.scope.includes(messageId(session.id, key), index)) messages.set(record.message, { row: record.message, key, time: record.time, info: record, parts: [] });
  }
  for (const record of records) if (record.message !== null && record.type.startsWith('part/')) messages.get(record.message)?.parts.push(record);
  const byKey = (a: RecordRow, b: RecordRow) => (decodeKey(a.key ?? '') < decodeKey(b.key ?? '') ? -1 : 1);
  for (const { parts } of messages.values()) parts.sort(byKey);
  return [...messages.values()].sort((a, b) => a.time - b.time || (a.key < b.key ? -1 : 1));
}

/** Prompts and replies of the wanted part that are rows of the second generation only. What it says beside them (which model, which agent) is no message. */
function secondGeneration(db: Db, session: OpenedSession): number {
  const rows = db
    .prepare(
      `SELECT m.id, m.key FROM record r JOIN word w ON w.id = r.type JOIN message m ON m.id = r.message
       WHERE r.session = ? AND (r.flags & ${recordFlag.gone}) = 0 AND m.role IN (${roleCode.code('user')}, ${roleCode.code('assistant')}) GROUP BY m.id HAVING max(w.text LIKE 'message/%') = 0`,
    )
    .all(session.row) as { id: number; key: string | Buffer }[];
  const places = placesOf(db, session);
  return rows.filter(({ id, key }) => session.scope.includes(messageId(session.id, decodeKey(key)), places.get(id) ?? 0)).length;
}

/** Where each message begins on the timeline. */
const placesOf = (db: Db, session: OpenedSession): Map<number, number> =>
  new Map(db.prepare('SELECT message, min(seq) FROM part WHERE session = ? AND message IS NOT NULL GROUP BY message').raw().all(session.row) as [number, number][]);

/** The newest version of the session's own row: a line of its stream that is no record. */
function infoLine(db: Db, session: OpenedSession): Buffer | null {
  const log = new RawLog(db);
  const sources = db.prepare('SELECT source FROM source_session WHERE session = ? ORDER BY source').pluck().all(session.row) as number[];
  let found: Buffer | null = null;
  for (const source of sources) {
    for (const { bytes } of log.replay(db, source)) {
      for (let start = 0; start < bytes.length; ) {
        const next = bytes.indexOf(10, start);
        const end = next < 0 ? bytes.length : next;
        const line = bytes.subarray(start, end);
        const isInfo = [sessionStart, infoStart].some((beginning) => line.subarray(0, beginning.length).equals(beginning));
        if (isInfo && readLine(line, 0)?.row['id'] === session.detail.summary.nativeId) found = Buffer.from(line);
        start = end + 1;
      }
    }
  }
  return found;
}

const sessionStart = Buffer.from('{"t":"session"');
const infoStart = Buffer.from('{"t":"info"');

/** The session object out of its row; that of the JSON layouts is one already. Of a share only the address. */
function sessionOf(row: Fields): Fields {
  if (asObject(row['time'])) return { projectID: 'global', slug: slugOf(row), directory: '', version: '', ...row, ...shareOf(asText(asObject(row['share'])?.['url'])) };
  const present = (fields: Fields): Fields => Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined));
  const number = (name: string): number | null => asNumber(row[name]);
  const summary = number('summary_additions') === null && number('summary_files') === null ? null : present({
    additions: number('summary_additions') ?? 0, deletions: number('summary_deletions') ?? 0, files: number('summary_files') ?? 0, diffs: row['summary_diffs'] ?? null,
  });
  const tokens = number('tokens_input') === null ? null : {
    input: number('tokens_input') ?? 0, output: number('tokens_output') ?? 0, reasoning: number('tokens_reasoning') ?? 0,
    cache: { read: number('tokens_cache_read') ?? 0, write: number('tokens_cache_write') ?? 0 },
  };
  return present({
    id: row['id'], slug: asText(row['slug']) ?? slugOf(row), projectID: asText(row['project_id']) ?? 'global', workspaceID: row['workspace_id'], directory: asText(row['directory']) ?? '',
    path: row['path'], parentID: row['parent_id'], title: asText(row['title']) ?? '', version: asText(row['version']) ?? '', summary, ...shareOf(asText(row['share_url'])), revert: asObject(row['revert']),
    permission: row['permission'], metadata: asObject(row['metadata']), agent: row['agent'], model: asObject(row['model']), cost: row['cost'], tokens,
    time: present({ created: number('time_created') ?? 0, updated: number('time_updated') ?? 0, compacting: row['time_compacting'], archived: row['time_archived'] }),
  });
}

const slugOf = (row: Fields): string => asText(row['slug']) ?? 'exported-session';

const shareOf = (url: string | null): Fields => (url === null ? {} : { share: { url } });

/** A call without what came of it: the shape stays one that the program reads. */
function withoutOutput({ output, attachments: _attachments, metadata, ...state }: Fields): Fields {
  const { output: _output, preview: _preview, diff: _diff, filediff: _filediff, files: _files, ...kept } = asObject(metadata) ?? {};
  return { ...state, ...(output !== undefined && { output: '' }), ...(metadata !== undefined && { metadata: kept }) };
}
