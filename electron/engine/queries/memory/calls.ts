import { type Agent, type MemoryCall, type MemoryMark, nativeId, partId, sessionId, storeId } from '@shared/model';
import { encodeKey, messageFlag, stateCode, statusCode } from '../../library/codes';
import type { Db } from '../../library/database';
import { type MemoryKeeper, memorySlot, type MemoryTouch } from '../../stores/store';
import { partKey, type PartRows, type ViewRow } from '../part-rows';
import { isoTime } from '../session-summary';

/** Recorded calls looked at for one folder, or one session: the newest. A folder of memory has some hundreds in years. */
const callsLimit = 5_000;

/** A recorded call with what is needed to do it again. */
export interface FoundCall {
  view: MemoryCall;
  folder: string;
  store: number;
  row: ViewRow;
}

interface TouchRow {
  store: number;
  storeKey: string;
  agent: Agent;
  session: number;
  native: string;
  title: string | null;
  gone: number;
  ignored: number;
  created: number | null;
  directory: string | null;
  source: number;
  data: string;
}

const select = `SELECT s.store, st.key AS storeKey, st.agent, s.id AS session, s.native, s.title, s.gone, s.ignored, s.created, s.directory, e.source, e.data
  FROM evidence e JOIN session s ON s.id = e.session JOIN store st ON st.id = s.store WHERE e.slot >= 'memory ' AND e.slot < 'memory!'`;

const wentBack = new Set([stateCode.code('off-branch'), stateCode.code('reverted')]);
const failed = new Set([statusCode.code('error'), statusCode.code('denied')]);

/** Calls of all sessions that touched memory, as their records tell. */
export class MemoryCalls {
  readonly #all;
  readonly #ofFolder;
  readonly #ofSession;
  readonly #unnamed;

  constructor(
    db: Db,
    readonly rows: PartRows,
    readonly keeperOf: (agent: Agent) => MemoryKeeper | undefined,
  ) {
    this.#all = db.prepare<[number], TouchRow>(`${select} ORDER BY s.updated DESC LIMIT ?`);
    this.#ofFolder = db.prepare<[number, string, string, number], TouchRow>(`${select} AND s.store = ? AND e.slot >= ? AND e.slot < ? ORDER BY s.updated DESC LIMIT ?`);
    this.#ofSession = db.prepare<[number, number], TouchRow>(`${select} AND e.session = ? LIMIT ?`);
    this.#unnamed = db.prepare<[number, number, number, number], { id: number }>(
      'SELECT p.id FROM record r JOIN part p ON p.record = r.id WHERE r.session = ? AND r.source = ? AND r.at = ? AND p.block = ?',
    );
  }

  /** Of every folder, for counts. */
  all(): FoundCall[] {
    return this.#found(this.#all.all(callsLimit));
  }

  /** Oldest first. */
  ofFolder(store: number, { kept }: MemoryKeeper, folder: string): FoundCall[] {
    const filed = `${memorySlot}${kept.in === 'overlay' ? kept.filedUnder(folder) : folder}`;
    // The same words may begin the name of another folder, or be those of another project.
    return this.#found(this.#ofFolder.all(store, `${filed} `, `${filed}!`, callsLimit)).filter((call) => call.folder === folder);
  }

  /** Oldest first. */
  ofSession(session: number): FoundCall[] {
    return this.#found(this.#ofSession.all(session, callsLimit));
  }

  #found(touches: TouchRow[]): FoundCall[] {
    const calls = touches.flatMap((touch) => this.#call(touch) ?? []);
    calls.sort((a, b) => (a.row.time ?? 0) - (b.row.time ?? 0) || a.row.record - b.row.record || a.row.block - b.row.block);
    return withoutCopies(calls);
  }

  #call(touch: TouchRow): (FoundCall & { call: string | null; created: number | null }) | null {
    // Written by `project`: its shape is ours.
    const { folder: named, file, act, key, at, block, call } = JSON.parse(touch.data) as MemoryTouch;
    const kept = this.keeperOf(touch.agent)?.kept;
    const notes = kept?.in === 'overlay' ? kept : null;
    const folder = notes?.placedIn(named, touch.directory) ?? named;
    const row = key === null ? this.#byPlace(touch, at, block) : this.rows.ofRecord(touch.session, encodeKey(key)).find((part) => part.block === block);
    if (!row) return null;
    const session = sessionId(storeId(touch.storeKey), nativeId(touch.native));
    const marks: MemoryMark[] = [...(wentBack.has(row.state) ? ['rewound' as const] : []), ...(touch.gone !== 0 ? ['session gone' as const] : [])];
    return {
      view: {
        part: partId(session, partKey(row)), session, sessionTitle: touch.title, agent: touch.agent, time: isoTime(row.time ?? row.messageTime, row.localTime !== 0), act, file, plan: notes?.about(folder)?.planOf(file) ?? null,
        outcome: row.status !== null && failed.has(row.status) ? 'failed' : row.status === statusCode.code('completed') ? 'done' : 'unknown', marks,
      },
      folder, store: touch.store, row, call, created: touch.created,
    };
  }

  #byPlace(touch: TouchRow, at: number, block: number): ViewRow | undefined {
    const found = this.#unnamed.get(touch.session, touch.source, at, block);
    return found && this.rows.one(found.id);
  }
}

/**
 * A call that was copied into other sessions (forks, resumed files) is one call: that of the session that made it. It is
 * marked only where every copy is, since a turn that is still part of a conversation was not taken back.
 */
function withoutCopies(calls: (FoundCall & { call: string | null; created: number | null })[]): FoundCall[] {
  const groups = new Map<string, typeof calls>();
  calls.forEach((call, number) => {
    // One call may write to several files.
    const name = call.call === null ? `${number}` : JSON.stringify([call.store, call.call, call.folder, call.view.file]);
    const group = groups.get(name);
    if (group) group.push(call);
    else groups.set(name, [call]);
  });
  return [...groups.values()].flatMap((copies) => {
    const [own] = copies.slice().sort((a, b) => Number(isInherited(a.row)) - Number(isInherited(b.row)) || (a.created ?? 0) - (b.created ?? 0));
    if (!own) return [];
    const { view, folder, store, row } = own;
    const marks = copies.every((copy) => copy.view.marks.length > 0) ? view.marks : [];
    return [{ view: { ...view, marks }, folder, store, row }];
  });
}

const isInherited = (row: ViewRow): boolean => ((row.messageFlags ?? 0) & messageFlag.inherited) !== 0;
