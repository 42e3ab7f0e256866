import { setTimeout as delay } from 'node:timers/promises';
import type Database from 'better-sqlite3';
import type { JournalState, NativeId } from '@shared/model';
import type { Machine } from '../disk/machine';
import type { Phase, PlanRecord, ProgramRecord, StepRecord } from './records';

/** An entry as its row has it. */
export interface EntryRow {
  id: string;
  state: JournalState;
  phase: Phase;
  plan: PlanRecord;
  result: string | null;
  applied: number;
  ended: number | null;
  because: string[];
  undoneBy: string | null;
  backups: number;
}

interface Row {
  id: string;
  state: string;
  phase: string;
  plan: string;
  result: string | null;
  applied: number;
  ended: number | null;
  because: string;
  undone_by: string | null;
  backups: number;
}

/**
 * The journal of guarded writes in the library. It writes through a connection of its own, which flushes every commit to
 * the disk: what the journal says must survive a power failure before the store is touched.
 */
export class Journal {
  readonly #db: Database.Database;

  constructor(
    file: string,
    readonly machine: Machine,
  ) {
    this.#db = machine.database(file, { timeout: 50 });
    this.#db.pragma('synchronous = FULL');
  }

  /** What moved a session to the trash and was not taken back since. */
  trashed(session: string): EntryRow | null {
    const row = this.#db.prepare("SELECT * FROM journal WHERE state = 'applied' AND json_extract(plan, '$.kind') = 'trash' AND json_extract(plan, '$.session') = ? ORDER BY applied DESC LIMIT 1").get(session) as Row | undefined;
    return row ? rowOf(row) : null;
  }

  /** Entries of some states and kinds; of all where none are named. */
  list(from: number, count: number, { states, kinds }: { states?: readonly string[]; kinds?: readonly string[] } = {}): { total: number; backups: number; rows: EntryRow[] } {
    const matching = "FROM journal WHERE (@states IS NULL OR state IN (SELECT value FROM json_each(@states))) AND (@kinds IS NULL OR json_extract(plan, '$.kind') IN (SELECT value FROM json_each(@kinds)))";
    const wanted = { states: states ? JSON.stringify(states) : null, kinds: kinds ? JSON.stringify(kinds) : null };
    const sums = this.#db.prepare(`SELECT count(*) AS total, coalesce(sum(backups), 0) AS backups ${matching}`).get(wanted) as { total: number; backups: number };
    return { ...sums, rows: (this.#db.prepare(`SELECT * ${matching} ORDER BY applied DESC, id DESC LIMIT @count OFFSET @from`).all({ ...wanted, count, from }) as Row[]).map(rowOf) };
  }

  /** By its name, or by a beginning of at least four letters that no other has. */
  entry(id: string): EntryRow | null {
    const exact = this.#db.prepare('SELECT * FROM journal WHERE id = ?').get(id) as Row | undefined;
    if (exact) return rowOf(exact);
    const found = id.length < 4 ? [] : (this.#db.prepare('SELECT * FROM journal WHERE substr(id, 1, ?) = ? LIMIT 2').all(id.length, id) as Row[]);
    return found.length === 1 && found[0] ? rowOf(found[0]) : null;
  }

  steps(id: string, from = 0, count = Infinity): StepRecord[] {
    const rows = this.#db.prepare('SELECT data FROM journal_step WHERE entry = ? AND step >= ? ORDER BY step LIMIT ?').all(id, from, Number.isFinite(count) ? count : -1) as { data: string }[];
    return rows.map(({ data }) => JSON.parse(data) as StepRecord);
  }

  stepCount(id: string): number {
    return (this.#db.prepare('SELECT count(*) AS n FROM journal_step WHERE entry = ?').get(id) as { n: number }).n;
  }

  /** Files and databases an entry wrote, in the order of its steps. */
  written(id: string, most: number): string[] {
    return this.#db
      .prepare("SELECT DISTINCT coalesce(json_extract(data, '$.path'), json_extract(data, '$.database')) FROM journal_step WHERE entry = ? AND json_extract(data, '$.kind') IN ('file', 'rows') ORDER BY step LIMIT ?")
      .pluck()
      .all(id, most) as string[];
  }

  /** What a program did and nothing takes back, as a sentence; null where there is no such step. */
  unreturnable(id: string): string | null {
    const step = this.#db
      .prepare("SELECT data FROM journal_step WHERE entry = ? AND json_extract(data, '$.kind') = 'program' AND json_extract(data, '$.inverse') IS NULL LIMIT 1")
      .pluck()
      .get(id) as string | undefined;
    if (step === undefined) return null;
    const { program, does } = JSON.parse(step) as ProgramRecord;
    return `${program} did a part of it, which nothing takes back: ${does}`;
  }

  /** Entries that an apply of another time did not bring to an end. */
  unfinished(): EntryRow[] {
    return (this.#db.prepare("SELECT * FROM journal WHERE state = 'applying' ORDER BY applied").all() as Row[]).map(rowOf);
  }

  /** Before anything is made: what will be done, and where leftovers would lie. */
  async begin(plan: PlanRecord, steps: readonly StepRecord[], now: number): Promise<void> {
    await this.#write(() => {
      this.#db.prepare("INSERT INTO journal(id, state, phase, plan, result, applied, because) VALUES (?, 'applying', 'preparing', ?, ?, ?, '[]')").run(plan.id, JSON.stringify(plan), plan.result, now);
      this.#putSteps(plan.id, steps);
    });
  }

  async phase(id: string, phase: Phase, steps: readonly StepRecord[], backups: number): Promise<void> {
    await this.#write(() => {
      this.#db.prepare('UPDATE journal SET phase = ?, backups = ? WHERE id = ?').run(phase, backups, id);
      this.#putSteps(id, steps);
    });
  }

  async step(id: string, index: number, record: StepRecord): Promise<void> {
    await this.#write(() => void this.#db.prepare('UPDATE journal_step SET data = ? WHERE entry = ? AND step = ?').run(JSON.stringify(record), id, index));
  }

  /** The end of an entry (a failed one keeps no backups); what it took back, or brought to its end, is marked in the same commit. */
  async end(id: string, state: JournalState, { because = [], result, now, settled = null }: { because?: string[]; result?: string | null; now: number; settled?: { entry: string; state: JournalState; by: string } | null }): Promise<void> {
    await this.#write(() => {
      const phase: Phase = state === 'interrupted' ? 'waiting' : 'ended';
      this.#db.prepare('UPDATE journal SET state = ?, phase = ?, because = ?, ended = ?, result = coalesce(?, result), backups = iif(?, 0, backups) WHERE id = ?').run(state, phase, JSON.stringify(because), now, result ?? null, state === 'failed' ? 1 : 0, id);
      if (!settled) return;
      const { entry, state: other, by } = settled;
      this.#db.prepare("UPDATE journal SET state = ?, phase = 'ended', undone_by = ? WHERE id = ?").run(other, other === 'undone' ? by : null, entry);
      if (other === 'undone') this.#standAgain(entry);
    });
  }

  /**
   * An undo was itself taken back: what it had undone stands again, and what that in turn had undone is undone again.
   * Unless a program did it anew, and under another name.
   */
  #standAgain(undo: string): void {
    const standing = this.#takenBackBy(undo);
    if (standing === null) return;
    this.#db.prepare("UPDATE journal SET state = 'applied', undone_by = NULL WHERE id = ? AND undone_by = ?").run(standing, undo);
    const undone = this.#takenBackBy(standing);
    if (undone === null) return;
    const { changes } = this.#db.prepare("UPDATE journal SET state = 'undone', undone_by = ? WHERE id = ? AND state = 'applied'").run(standing, undone);
    if (changes > 0) this.#standAgain(undone);
  }

  /** What an entry takes back by itself; null where it is no undo, or a program does it. */
  #takenBackBy(id: string): string | null {
    const { plan } = this.#db.prepare('SELECT plan FROM journal WHERE id = ?').get(id) as { plan: string };
    const { undoes, settles } = JSON.parse(plan) as PlanRecord;
    return undoes === null || settles !== null || this.steps(id).some(({ kind }) => kind === 'program') ? null : undoes;
  }

  /** Adds or removes a fact that only the library keeps. */
  async fact(store: string, fact: { child: NativeId; parent: NativeId; after: string | null }, entry: string, isThere: boolean): Promise<void> {
    await this.#write(() => {
      if (isThere) this.#db.prepare('INSERT OR REPLACE INTO lineage_fact(store, child, parent, after, entry) VALUES (?, ?, ?, ?, ?)').run(store, fact.child, fact.parent, fact.after, entry);
      else this.#db.prepare('DELETE FROM lineage_fact WHERE store = ? AND child = ? AND parent = ?').run(store, fact.child, fact.parent);
    });
  }

  #putSteps(id: string, steps: readonly StepRecord[]): void {
    const put = this.#db.prepare('INSERT OR REPLACE INTO journal_step(entry, step, data) VALUES (?, ?, ?)');
    steps.forEach((step, index) => put.run(id, index, JSON.stringify(step)));
  }

  /** The indexing thread writes the same library: it is waited for without holding up who asks the engine meanwhile. */
  async #write(work: () => void): Promise<void> {
    for (const end = Date.now() + this.machine.waits.journal; ; await delay(20)) {
      try {
        this.#db.transaction(work).immediate();
        return;
      } catch (error) {
        const { code = '' } = error as { code?: string };
        if (!code.startsWith('SQLITE_BUSY') || Date.now() > end) throw error;
      }
    }
  }

  close(): void {
    this.#db.close();
  }
}

function rowOf(row: Row): EntryRow {
  return {
    id: row.id, state: row.state as JournalState, phase: row.phase as Phase, plan: JSON.parse(row.plan) as PlanRecord, result: row.result, applied: row.applied, ended: row.ended,
    because: JSON.parse(row.because) as string[], undoneBy: row.undone_by, backups: row.backups,
  };
}
