import { messageId, partId, type RevertPoint, type RevertPoints } from '@shared/model';
import { decodeKey, kindCode, messageFlag, stateCode } from '../library/codes';
import type { Db } from '../library/database';
import { messageKeyOf, partKey, type ViewRow } from '../queries/part-rows';
import { isoTime } from '../queries/session-summary';
import type { Timeline } from '../queries/timeline';
import type { SessionSource } from '../diff/session-source';

/** Characters of a prompt that are shown of it. */
const titleLength = 120;

const reverted = stateCode.code('reverted');
const offBranch = stateCode.code('off-branch');

/** The prompts of a session: what one can go back to. */
export class Points {
  readonly #list;
  readonly #total;
  readonly #before;
  readonly #hasState;
  readonly #after;

  constructor(
    readonly db: Db,
    readonly timeline: Timeline,
  ) {
    const prompts = `FROM message m JOIN part p ON p.session = m.session AND p.message = m.id WHERE m.session = ? AND m.flags & ${messageFlag.prompt} != 0`;
    this.#list = db.prepare<[number, number, number], { seq: number }>(`SELECT min(p.seq) AS seq ${prompts} GROUP BY m.id ORDER BY seq LIMIT ? OFFSET ?`);
    this.#total = db.prepare<[number], { n: number }>(`SELECT count(DISTINCT m.id) AS n ${prompts}`);
    this.#before = db.prepare<[number, number], { seq: number | null }>(
      `SELECT min(seq) AS seq FROM part WHERE message = (SELECT m.id ${prompts} AND p.seq <= ? ORDER BY p.seq DESC LIMIT 1)`,
    );
    this.#after = db.prepare<[number, number], { seq: number | null }>(`SELECT min(p.seq) AS seq ${prompts} AND p.seq > ?`);
    this.#hasState = db.prepare<[number, number, number], unknown>(
      `SELECT 1 FROM part WHERE session = ? AND seq >= ? AND seq < ? AND kind IN (${kindCode.code('step')}, ${kindCode.code('patch')}) LIMIT 1`,
    );
  }

  window(source: SessionSource, from: number, count: number): RevertPoints {
    const points = this.#list.all(source.row, count, from).flatMap(({ seq }) => this.at(source, seq) ?? []);
    return { session: source.id, total: this.#total.get(source.row)?.n ?? 0, from, points };
  }

  /** The prompt a part belongs to; null before the first one. */
  promptOf(source: SessionSource, seq: number): ViewRow | null {
    const start = this.#before.get(source.row, seq)?.seq;
    return start == null ? null : (this.timeline.rows.window(source.row, start, 1)[0] ?? null);
  }

  at(source: SessionSource, seq: number): RevertPoint | null {
    const [row] = this.timeline.rows.window(source.row, seq, 1);
    return row ? this.of(source, row) : null;
  }

  of(source: SessionSource, row: ViewRow): RevertPoint {
    const body = this.timeline.bodies.body(source.store, source.storeRow, row);
    const words = (body?.text ?? row.title ?? '').replace(/\s+/g, ' ').trim();
    return {
      message: messageId(source.id, messageKeyOf(row)), part: partId(source.id, partKey(row)), index: row.seq, turn: source.turns.of(row.seq),
      title: words.length > titleLength ? `${words.slice(0, titleLength - 1)}…` : words,
      time: isoTime(row.time ?? row.messageTime, row.localTime !== 0),
      on: row.state === offBranch ? 'other branch' : row.state === reverted ? 'taken back' : 'current branch',
      checkpoint: this.#hasCheckpoint(source, row),
    };
  }

  #hasCheckpoint(source: SessionSource, row: ViewRow): boolean {
    if (source.agent === 'claude-code' || source.agent === 'codex') return source.checkpoints.some(({ message }) => message !== null && message === messageKeyIn(this.db, row));
    const end = this.#after.get(source.row, row.seq)?.seq ?? Number.MAX_SAFE_INTEGER;
    return this.#hasState.get(source.row, row.seq, end) !== undefined;
  }

  /** What is said of the conversation from a part on: only what is on its own branch and not taken back yet. */
  counts(session: number, seq: number): { messages: number; parts: number } {
    return this.db
      .prepare(`SELECT count(DISTINCT message) AS messages, count(*) AS parts FROM part WHERE session = ? AND seq >= ? AND state NOT IN (${reverted}, ${offBranch})`)
      .get(session, seq) as { messages: number; parts: number };
  }

  /** Prompts from a part on, of the current branch. */
  promptsFrom(source: SessionSource, seq: number, count: number): { total: number; points: RevertPoint[] } {
    const rows = this.db
      .prepare(`SELECT min(p.seq) AS seq FROM message m JOIN part p ON p.session = m.session AND p.message = m.id
        WHERE m.session = ? AND m.flags & ${messageFlag.prompt} != 0 AND p.seq >= ? AND p.state NOT IN (${reverted}, ${offBranch}) GROUP BY m.id ORDER BY seq`)
      .all(source.row, seq) as { seq: number }[];
    return { total: rows.length, points: rows.slice(0, count).flatMap((row) => this.at(source, row.seq) ?? []) };
  }
}

/** The key a store names the message by. */
export function messageKeyIn(db: Db, row: ViewRow): string | null {
  const found = db.prepare('SELECT key FROM message WHERE id = ?').get(row.message) as { key: string | Buffer } | undefined;
  return found ? decodeKey(found.key) : null;
}
