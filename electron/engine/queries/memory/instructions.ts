import { type Agent, type InstructionFile, type InstructionLoad, nativeId, partId, sessionId, storeId } from '@shared/model';
import { encodeKey } from '../../library/codes';
import type { Db } from '../../library/database';
import type { RecordedInstructions } from '../../stores/store';
import { partKey, type PartRows } from '../part-rows';
import { isoTime } from '../session-summary';

/** Files listed, and loads of each. */
const filesListed = 200;
const loadsListed = 20;
/** Records looked at: the newest sessions first. */
const recordsLimit = 20_000;

interface Row {
  session: number;
  storeKey: string;
  agent: Agent;
  native: string;
  title: string | null;
  data: string;
  at: number;
  key: string | Buffer | null;
  source: number;
  time: number | null;
  localTime: number;
}

interface Load extends InstructionLoad {
  row: Row;
  block: number;
}

/** Instruction files that sessions recorded as put before the model. */
export class Instructions {
  readonly #ofProject;
  readonly #ofSession;
  readonly #counts;
  readonly #time;

  constructor(
    db: Db,
    readonly rows: PartRows,
  ) {
    const select = `SELECT e.session, st.key AS storeKey, st.agent, s.native, s.title, e.data, e.source, s.local_time AS localTime
      FROM evidence e JOIN session s ON s.id = e.session JOIN store st ON st.id = s.store WHERE e.slot >= 'instructions ' AND e.slot < 'instructions!' AND s.ignored = 0`;
    this.#ofProject = db.prepare<[number, number], Row>(`${select} AND s.project = ? ORDER BY s.updated DESC, e.slot LIMIT ?`);
    this.#ofSession = db.prepare<[number, number], Row>(`${select} AND e.session = ? ORDER BY e.slot LIMIT ?`);
    this.#counts = db.prepare<[], { project: number; data: string }>(
      "SELECT s.project, e.data FROM evidence e JOIN session s ON s.id = e.session WHERE e.slot >= 'instructions ' AND e.slot < 'instructions!' AND s.ignored = 0 AND s.project IS NOT NULL",
    );
    this.#time = {
      byKey: db.prepare<[number, string | Buffer], { time: number | null }>('SELECT time FROM record WHERE session = ? AND key = ?'),
      byPlace: db.prepare<[number, number, number], { time: number | null }>('SELECT time FROM record WHERE session = ? AND source = ? AND at = ?'),
    };
  }

  /** Different files by project row. */
  counts(): Map<number, number> {
    const paths = new Map<number, Set<string>>();
    for (const { project, data } of this.#counts.iterate()) {
      const known = paths.get(project) ?? new Set();
      paths.set(project, known);
      for (const { path } of (JSON.parse(data) as RecordedInstructions).files) known.add(path);
    }
    return new Map([...paths].map(([project, known]) => [project, known.size]));
  }

  ofProject(project: number): { instructions: InstructionFile[]; instructionsTotal: number } {
    return this.#joined(this.#ofProject.all(project, recordsLimit));
  }

  ofSession(session: number): { instructions: InstructionFile[]; instructionsTotal: number } {
    return this.#joined(this.#ofSession.all(session, recordsLimit));
  }

  #joined(rows: Row[]): { instructions: InstructionFile[]; instructionsTotal: number } {
    const files = new Map<string, { file: Omit<InstructionFile, 'sessions' | 'first' | 'last' | 'loads'>; loads: Load[] }>();
    for (const row of rows) {
      // Written by `project`: its shape is ours.
      const { key, at, block, files: recorded } = JSON.parse(row.data) as RecordedInstructions;
      const time = (key === null ? this.#time.byPlace.get(row.session, row.source, at) : this.#time.byKey.get(row.session, encodeKey(key)))?.time ?? null;
      const session = sessionId(storeId(row.storeKey), nativeId(row.native));
      for (const { path, kind, characters, inferred } of recorded) {
        const known = files.get(path) ?? { file: { path, kind, certainty: inferred ? 'inferred' : 'recorded', characters, times: 0 }, loads: [] };
        files.set(path, known);
        known.file.times++;
        known.loads.push({
          session, sessionTitle: row.title, agent: row.agent, part: null, time: isoTime(time, row.localTime !== 0), block,
          row: { ...row, at, key: key === null ? null : encodeKey(key) },
        });
      }
    }
    const all = [...files.values()].map(({ file, loads }): { file: InstructionFile; loads: Load[] } => {
      loads.sort((a, b) => (b.time ?? '').localeCompare(a.time ?? ''));
      const times = loads.flatMap(({ time }) => time ?? []);
      return { file: { ...file, sessions: new Set(loads.map(({ session }) => session)).size, first: times.at(-1) ?? null, last: times[0] ?? null, loads: [] }, loads };
    });
    all.sort((a, b) => (b.file.last ?? '').localeCompare(a.file.last ?? '') || (a.file.path < b.file.path ? -1 : 1));
    return {
      instructions: all.slice(0, filesListed).map(({ file, loads }) => ({ ...file, loads: loads.slice(0, loadsListed).map((load) => this.#told(load)) })),
      instructionsTotal: all.length,
    };
  }

  #told({ session, sessionTitle, agent, time, block, row }: Load): InstructionLoad {
    const parts = row.key === null ? [] : this.rows.ofRecord(row.session, row.key);
    const part = parts.find((each) => each.block === block) ?? parts[0];
    return { session, sessionTitle, agent, time, part: part ? partId(session, partKey(part)) : null };
  }
}
