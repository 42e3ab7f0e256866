import type { Db } from '../foreign/database';
import { asJsonObject, asObject, asObjects, asText, type Fields } from '../foreign/fields';
import type { RowTables } from './rows';
import type { Schema } from './schema';

/** The call of the parent that started a session. */
interface Caller {
  message: string;
  part: string;
  call: string | null;
}

/** A session that an unfinished call waits for. */
interface Helper {
  id: string;
  finished: boolean;
}

/** The parent's messages that may hold the call: it stands in one of the last before the child was made. */
export const messagesBefore = 8;
/** Messages at the end of a session that may still be unfinished. */
export const messagesAtEnd = 3;

/** The session a task call started; the first version kept only what its parts were (FORMAT.md, "Subagents"). */
export function childOf(part: Fields | null): string | null {
  const metadata = asObject(asObject(part?.['state'])?.['metadata']);
  return asText(metadata?.['sessionId']) ?? asText(asObjects(metadata?.['summary'])[0]?.['sessionID']);
}

/** Whether this part started the child. A call that names it in its input went on with an existing one. */
export function starts(part: Fields | null, child: string): boolean {
  const input = asObject(asObject(part?.['state'])?.['input']);
  return part?.['type'] === 'tool' && childOf(part) === child && input?.['task_id'] !== child;
}

/** A task call that has no result: its helper. */
export function helperOf(part: Fields | null): string | null {
  const status = asObject(part?.['state'])?.['status'];
  return part?.['type'] === 'tool' && (status === 'running' || status === 'pending') ? childOf(part) : null;
}

/** A reply that has no end: neither a time nor an error. */
function isUnfinished(message: Fields | null): boolean {
  return message?.['role'] === 'assistant' && asObject(message['time'])?.['completed'] === undefined && message['error'] === undefined;
}

export function isFinished(message: Fields | null): boolean {
  return message?.['role'] === 'assistant' && !isUnfinished(message);
}

/** Calls between the sessions of a database, found by index and never by looking through a session. */
export class Calls {
  readonly #before;
  readonly #last;
  readonly #partsNaming;
  readonly #parts;
  readonly #lastV2;

  constructor(db: Db, schema: Schema, tables: RowTables) {
    const timed = tables.message.readable && schema.has('message', 'time_created');
    this.#before = timed
      ? db.prepare<[string, number, number]>('SELECT id FROM message WHERE session_id = ? AND time_created <= ? ORDER BY time_created DESC, id DESC LIMIT ?')
      : null;
    this.#last = timed ? db.prepare<[string, number]>('SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created DESC, id DESC LIMIT ?') : null;
    this.#partsNaming = tables.part.readable ? db.prepare<[string, string]>('SELECT id, data FROM part WHERE message_id = ? AND instr(data, ?) > 0 ORDER BY id') : null;
    this.#parts = tables.part.readable ? db.prepare<[string]>("SELECT id, data FROM part WHERE message_id = ? AND instr(data, 'sessionI') > 0 ORDER BY id") : null;
    this.#lastV2 = tables.v2.readable && schema.has('session_message', 'seq')
      ? db.prepare<[string, number]>('SELECT type, data FROM session_message WHERE session_id = ? ORDER BY seq DESC LIMIT ?')
      : null;
  }

  callerOf(child: string, parent: string, created: number): Caller | null {
    for (const message of rows(this.#before?.all(parent, created, messagesBefore))) {
      const id = asText(message['id']);
      if (id === null) continue;
      for (const row of rows(this.#partsNaming?.all(id, child))) {
        const part = asJsonObject(row['data']);
        const key = asText(row['id']);
        if (key !== null && starts(part, child)) return { message: id, part: key, call: asText(part?.['callID']) };
      }
    }
    return null;
  }

  /** Helpers that unfinished calls at the end of a session wait for. */
  helpersOf(session: string): Helper[] {
    return rows(this.#last?.all(session, messagesAtEnd))
      .flatMap((message) => rows(this.#parts?.all(asText(message['id']) ?? '')))
      .map((row) => helperOf(asJsonObject(row['data'])))
      .filter((id) => id !== null)
      .map((id) => ({ id, finished: this.hasFinished(id) }));
  }

  hasFinished(session: string): boolean {
    const [last] = rows(this.#last?.all(session, 1));
    return last !== undefined && isFinished(asJsonObject(last['data']));
  }

  isOpen(session: string): boolean {
    return (
      rows(this.#last?.all(session, messagesAtEnd)).some((row) => isUnfinished(asJsonObject(row['data']))) ||
      rows(this.#lastV2?.all(session, messagesAtEnd)).some((row) => isUnfinished({ ...asJsonObject(row['data']), role: asText(row['type']) }))
    );
  }
}

const rows = (found: unknown[] | undefined): Fields[] => (found ?? []) as Fields[];
