import { type Edge, type MessageId, messageId, nativeId, type PartId, partId, type SessionId, sessionId, storeId } from '@shared/model';
import { familyCode } from '../library/codes';
import type { Db } from '../library/database';
import { nativeNames } from './native-names';
import { partKey } from './part-rows';

interface EdgeRow {
  child: string;
  parent: string;
  kind: Edge['kind'];
  certainty: Edge['certainty'];
  evidence: string;
  after: string | null;
  call: string | null;
  inherited: number;
  parentRow: number | null;
}

const edgeColumns = 'c.native AS child, e.parent, e.kind, e.certainty, e.evidence, e.after, e.call, e.inherited, p.id AS parentRow';
const edgeFrom = 'FROM edge e JOIN session c ON c.id = e.child LEFT JOIN session p ON p.store = c.store AND p.native = e.parent';

/** Edges up from a session and down to it. */
export function edgesOf(db: Db, storeKey: string, session: number, native: string): Edge[] {
  const rows = db
    .prepare(
      `SELECT ${edgeColumns} ${edgeFrom}
       WHERE e.child = @session OR (e.parent = @native AND c.store = (SELECT store FROM session WHERE id = @session)) ORDER BY e.child = @session DESC, c.created`,
    )
    .all({ session, native }) as EdgeRow[];
  return namedEdges(db, storeKey, rows);
}

/** Edges up from many sessions of one store, oldest child first. */
export function edgesUp(db: Db, storeKey: string, sessions: readonly number[]): Edge[] {
  const rows = db
    .prepare(`SELECT ${edgeColumns} ${edgeFrom} WHERE e.child IN (SELECT value FROM json_each(?)) ORDER BY c.created, c.native, e.parent, e.kind`)
    .all(JSON.stringify(sessions)) as EdgeRow[];
  return namedEdges(db, storeKey, rows);
}

function namedEdges(db: Db, storeKey: string, rows: EdgeRow[]): Edge[] {
  const store = storeId(storeKey);
  const parents = new Map<number, ParentNames>();
  return rows.map((row): Edge => {
    const parent = sessionId(store, nativeId(row.parent));
    const names = row.parentRow === null ? undefined : (parents.get(row.parentRow) ?? new ParentNames(db, row.parentRow, parent));
    if (row.parentRow !== null && names) parents.set(row.parentRow, names);
    return {
      child: sessionId(store, nativeId(row.child)), parent, kind: row.kind, certainty: row.certainty, evidence: row.evidence, parentKnown: row.parentRow !== null,
      after: row.after === null ? null : (names?.message(row.after) ?? messageId(parent, row.after)),
      part: row.call === null ? null : (names?.part(row.call) ?? null),
      inherited: row.inherited,
    };
  });
}

/** Messages and calls of a parent by their ids. A parent of hundreds of subagents is looked through once. */
class ParentNames {
  readonly message: (key: string) => MessageId;
  #parts: Map<string, PartId> | null = null;

  constructor(
    readonly db: Db,
    readonly row: number,
    readonly id: SessionId,
  ) {
    this.message = nativeNames(db, row, id);
  }

  part(call: string): PartId | undefined {
    this.#parts ??= new Map(
      (
        this.db
          .prepare('SELECT p.call, r.key, p.block, r.source, r.at FROM part p JOIN record r ON r.id = p.record WHERE p.session = ? AND p.family = ? AND p.call IS NOT NULL')
          .all(this.row, familyCode.code('subagent')) as { call: string; key: string | Buffer | null; block: number; source: number; at: number }[]
      ).map((started) => [started.call, partId(this.id, partKey(started))]),
    );
    return this.#parts.get(call);
  }
}
