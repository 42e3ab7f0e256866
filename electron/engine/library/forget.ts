import type { Db } from './database';

/** Takes out of the projections what came from one source: its stream begins again, or its reader changed. The log keeps its bytes. */
export function forgetProjectionsOf(db: Db, source: number): number[] {
  const sessions = db.prepare<[number], { session: number }>('SELECT session FROM source_session WHERE source = ?').all(source).map((row) => row.session);
  const sql = {
    docs: db.prepare(`SELECT doc AS id FROM part JOIN record ON record.id = part.record WHERE part.session = @session AND record.source = @source AND doc IS NOT NULL
      UNION ALL SELECT result_doc FROM part LEFT JOIN record r ON r.id = part.result LEFT JOIN record o ON o.id = part.record
      WHERE part.session = @session AND result_doc IS NOT NULL AND (r.source = @source OR o.source = @source)`),
    dropDoc: db.prepare('DELETE FROM doc WHERE id = ?'),
    dropText: db.prepare('DELETE FROM search WHERE rowid = ?'),
    parts: db.prepare('DELETE FROM part WHERE session = @session AND record IN (SELECT id FROM record WHERE session = @session AND source = @source)'),
    results: db.prepare(
      `UPDATE part SET result = NULL, result_block = NULL, result_size = NULL, result_doc = NULL
       WHERE session = @session AND result IN (SELECT id FROM record WHERE session = @session AND source = @source)`,
    ),
    diagnoses: db.prepare('DELETE FROM diagnosis WHERE session = ?'),
    records: db.prepare('DELETE FROM record WHERE session = ? AND source = ?'),
    messages: db.prepare('DELETE FROM message WHERE session = @session AND id NOT IN (SELECT message FROM record WHERE session = @session AND message IS NOT NULL)'),
  };
  for (const session of sessions) {
    // Told anew when the session is settled.
    sql.diagnoses.run(session);
    for (const { id } of sql.docs.all({ session, source }) as { id: number }[]) {
      sql.dropDoc.run(id);
      sql.dropText.run(id);
    }
    sql.parts.run({ session, source });
    sql.results.run({ session, source });
    sql.records.run(session, source);
    sql.messages.run({ session });
  }
  for (const table of ['evidence', 'damage', 'unknown_type', 'source_session']) db.prepare(`DELETE FROM ${table} WHERE source = ?`).run(source);
  return sessions;
}
