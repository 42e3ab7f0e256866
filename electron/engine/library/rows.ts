import type { Db } from './database';

/** Part of a session while a pass writes it. Numbers are codes (see codes.ts) and row ids. */
export interface PartRow {
  id: number;
  session: number;
  seq: number;
  record: number;
  block: number;
  message: number | null;
  kind: number;
  flags: number;
  title: string | null;
  size: number;
  digest: number;
  added: number | null;
  removed: number | null;
  tool: number | null;
  family: number | null;
  status: number | null;
  call: string | null;
  result: number | null;
  resultBlock: number | null;
  resultSize: number | null;
  doc: number | null;
  resultDoc: number | null;
}

export interface MessageRow {
  id: number;
  session: number;
  key: string | Buffer;
  role: number;
  time: number | null;
  model: number | null;
  agent: number | null;
  flags: number;
  first: number;
  input: number | null;
  output: number | null;
  reasoning: number | null;
  cacheRead: number | null;
  cacheWrite: number | null;
}

export interface RecordRow {
  id: number;
  session: number;
  source: number;
  at: number;
  bytes: number;
  key: string | Buffer | null;
  parent: number | null;
  missing: string | Buffer | null;
  joins: string | Buffer | null;
  message: number | null;
  type: number;
  time: number | null;
  ord: number | null;
  flags: number;
  note: string | null;
}

/** Row ids are given out here, so that rows can point at each other before they are written. There is one writer. */
export class Ids {
  #next: Record<'record' | 'message' | 'part' | 'doc', number>;

  constructor(db: Db) {
    const after = (table: string) => ((db.prepare(`SELECT max(id) AS id FROM ${table}`).get() as { id: number | null }).id ?? 0) + 1;
    // The newest documents may have been forgotten: what is new comes behind the mark of the first pass all the same.
    const mark = (db.prepare("SELECT value FROM meta WHERE key = 'first pass'").get() as { value: number } | undefined)?.value ?? 0;
    this.#next = { record: after('record'), message: after('message'), part: after('part'), doc: Math.max(after('doc'), mark + 1) };
  }

  take(kind: 'record' | 'message' | 'part' | 'doc'): number {
    return this.#next[kind]++;
  }

  last(kind: 'doc'): number {
    return this.#next[kind] - 1;
  }
}

/** The statements that write projections, prepared once. */
export function rowWriter(db: Db) {
  const record = db.prepare(
    'INSERT INTO record(id, session, source, at, bytes, key, parent, missing, joins, message, type, time, ord, flags, note) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)',
  );
  const moveRecord = db.prepare(
    'UPDATE record SET source = ?, at = ?, bytes = ?, parent = ?, missing = ?, joins = ?, message = ?, type = ?, time = ?, ord = ?, flags = ?, note = ? WHERE id = ?',
  );
  const message = db.prepare(
    'INSERT INTO message(id, session, key, role, time, model, agent, flags, first, input, output, reasoning, cache_read, cache_write) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)',
  );
  const changeMessage = db.prepare(
    'UPDATE message SET role = ?, time = ?, model = ?, agent = ?, flags = ?, input = ?, output = ?, reasoning = ?, cache_read = ?, cache_write = ? WHERE id = ?',
  );
  const part = db.prepare(
    `INSERT INTO part(id, session, seq, record, block, message, kind, state, flags, title, size, digest, added, removed, tool, family, status, call,
      result, result_block, result_size, doc, result_doc) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)`,
  );
  const changePart = db.prepare(
    `UPDATE part SET message = ?, kind = ?, flags = ?, title = ?, size = ?, digest = ?, added = ?, removed = ?, tool = ?, family = ?, status = ?, call = ?,
      result = ?, result_block = ?, result_size = ?, doc = ?, result_doc = ? WHERE id = ?`,
  );
  const doc = db.prepare('INSERT INTO doc(id, part, side) VALUES (?, ?, ?)');
  const text = db.prepare('INSERT INTO search(rowid, text) VALUES (?, ?)');
  const dropDoc = db.prepare('DELETE FROM doc WHERE id = ?');
  const dropText = db.prepare('DELETE FROM search WHERE rowid = ?');
  return {
    record: (r: RecordRow) => record.run(r.id, r.session, r.source, r.at, r.bytes, r.key, r.parent, r.missing, r.joins, r.message, r.type, r.time, r.ord, r.flags, r.note),
    moveRecord: (r: RecordRow) => moveRecord.run(r.source, r.at, r.bytes, r.parent, r.missing, r.joins, r.message, r.type, r.time, r.ord, r.flags, r.note, r.id),
    message: (m: MessageRow) => message.run(m.id, m.session, m.key, m.role, m.time, m.model, m.agent, m.flags, m.first, m.input, m.output, m.reasoning, m.cacheRead, m.cacheWrite),
    changeMessage: (m: MessageRow) => changeMessage.run(m.role, m.time, m.model, m.agent, m.flags, m.input, m.output, m.reasoning, m.cacheRead, m.cacheWrite, m.id),
    part: (p: PartRow, state: number) =>
      part.run(p.id, p.session, p.seq, p.record, p.block, p.message, p.kind, state, p.flags, p.title, p.size, p.digest, p.added, p.removed, p.tool, p.family,
        p.status, p.call, p.result, p.resultBlock, p.resultSize, p.doc, p.resultDoc),
    changePart: (p: PartRow) =>
      changePart.run(p.message, p.kind, p.flags, p.title, p.size, p.digest, p.added, p.removed, p.tool, p.family, p.status, p.call, p.result, p.resultBlock,
        p.resultSize, p.doc, p.resultDoc, p.id),
    doc(id: number, partId: number, side: 0 | 1, words: string): void {
      doc.run(id, partId, side);
      text.run(id, words);
    },
    dropDoc(id: number): void {
      dropDoc.run(id);
      dropText.run(id);
    },
  };
}
