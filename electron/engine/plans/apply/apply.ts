import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import type { JournalState, NativeId, PlanProgress } from '@shared/model';
import { nativeId } from '@shared/model';
import { type ExpectedBeginning, type FileStep, PerformError } from '../../stores/store';
import { readPieces } from '../disk/content';
import { HeldFolder } from '../disk/folder';
import type { DiskFact, Machine } from '../disk/machine';
import type { Journal } from '../journal/journal';
import type { FileRecord, PlanRecord, StepRecord } from '../journal/records';
import { Refused, saidOf } from '../refused';
import { refuseWhenOpen } from '../rows/database';
import { insertRows } from '../rows/insert';
import { keyLine, readKeys, rowLine } from '../rows/kept-rows';
import { removeRows } from '../rows/remove';
import { keptValue } from '../rows/values';
import { onlyAdds, type PlannedStep } from '../steps';
import type { Backups } from './backups';
import { changeFile, stagedName, stageFile } from './changes';
import { checkBeginning, checkDatabase, checkFile, type CheckedFile, refuseClashes } from './check';
import { type Perform, putBack } from './put-back';
import { refuseWithoutRoom, roomFor } from './room';
import { standingOf } from './standing';

/** What an apply needs. */
export interface ApplySetup {
  machine: Machine;
  journal: Journal;
  backups: Backups;
  plan: PlanRecord;
  steps: readonly PlannedStep[];
  expects: readonly ExpectedBeginning[];
  /** Line counts of the plan's view, by step. */
  counts: ReadonlyMap<number, { added: number | null; removed: number | null }>;
  /** Folder of the store: what lies in it is private to the user. */
  storeFolder: string;
  perform: Perform;
  progress(progress: PlanProgress): void;
  signal: AbortSignal;
  now(): number;
}

export type ApplyEnd = { state: Extract<JournalState, 'applied' | 'failed' | 'unsettled'>; because: string[]; stale: boolean };

/**
 * Applies one plan: looks again, keeps what is replaced, writes beside, and then changes all of it or puts all back. A
 * refusal before the first change throws `Refused`, and there is no entry then.
 */
export class Apply {
  readonly #checked = new Map<number, CheckedFile>();
  readonly #records: StepRecord[] = [];
  readonly #bytesTotal: number;
  #bytesDone = 0;
  #result: string | null;
  #changing = false;

  constructor(readonly setup: ApplySetup) {
    this.#bytesTotal = setup.steps.reduce((sum, step) => sum + bytesOf(step), 0);
    this.#result = setup.plan.result;
  }

  async run(): Promise<ApplyEnd> {
    const { machine, journal, plan, now } = this.setup;
    await this.#look();
    await journal.begin(plan, this.#records, now());
    try {
      machine.at('journaled');
      await this.#prepare();
      await this.#lookAgain();
      this.setup.signal.throwIfAborted();
      this.#changing = true;
      await journal.phase(plan.id, 'changing', this.#records, this.setup.backups.bytes);
      machine.at('changing');
      await this.#change();
      machine.at('changed');
      await this.#verify();
      machine.at('verified');
      await this.#endApplied();
      machine.at('applied');
      return { state: 'applied', because: [], stale: false };
    } catch (error) {
      return this.#failed(error);
    }
  }

  /** First look: everything the plan expects, before anything is made. */
  async #look(): Promise<void> {
    const { machine, steps, backups } = this.setup;
    refuseClashes(machine.files, steps);
    refuseWithoutRoom(roomFor(machine.files, steps, backups.folder));
    for (const expected of this.setup.expects) await checkBeginning(machine.files, expected);
    let mayBeMade = false;
    for (const [index, step] of steps.entries()) {
      this.#say('Looks at what is there', index);
      if (step.kind === 'file') this.#checked.set(index, await checkFile(machine.files, step, mayBeMade));
      else if (step.kind === 'rows' || step.kind === 'rows-out') {
        checkDatabase(machine.files, step);
        refuseWhenOpen(step.database);
      }
      else if (step.kind === 'program') mayBeMade = true;
      this.#records.push(this.#recordOf(step, index));
    }
  }

  #recordOf(step: PlannedStep, index: number): StepRecord {
    switch (step.kind) {
      case 'file':
        return this.#fileRecord(step, index, this.#checked.get(index) as CheckedFile);
      case 'rows':
        return {
          kind: 'rows', act: 'insert', database: step.database, within: step.within, schema: step.schema, why: step.why, keys: `${index}.keys`, values: onlyAdds(this.setup.steps) ? null : `${index}.values`,
          tables: step.inserts.map(({ table, key, count, references = [] }) => ({ table, key, count, references })),
        };
      case 'rows-out':
        return { kind: 'rows', act: 'delete', database: step.database, within: step.within, schema: step.schema, why: step.why, keys: `${index}.keys`, values: `${index}.values`, tables: step.tables };
      case 'program': {
        const { program, call, shown, does, remains, inverse, given = null } = step;
        return { kind: 'program', program, call, shown, does, remains, inverse, state: 'waiting', given, gave: null };
      }
      case 'library':
        return { kind: 'library', removes: step.removes ?? false, fact: step.fact, does: step.does };
    }
  }

  #fileRecord(step: FileStep & { empties?: string[]; goes?: boolean }, index: number, { place, real, seen, missing }: CheckedFile): FileRecord {
    const { path, within, before, after, why, empties = [], goes = false } = step;
    const isAppend = after !== null && 'append' in after;
    return {
      kind: 'file', index, isMade: before.state === 'made', ...(goes && { goes }), act: after === null ? 'delete' : seen === null ? 'create' : isAppend ? 'append' : 'change', path, within, real, why, empties,
      before: seen && { sha256: seen.sha256, bytes: seen.fact.size, mode: seen.fact.mode, modified: seen.fact.modified },
      after: null, staged: after === null || isAppend ? null : stagedName(place.name, this.setup.plan.id),
      backup: before.state === 'present' ? `${index}.before` : null, tail: isAppend ? `${index}.tail` : null, made: missing,
      added: this.setup.counts.get(index)?.added ?? null, removed: this.setup.counts.get(index)?.removed ?? null,
    };
  }

  /** Backups first, then the new contents beside the old ones. Nothing that was there is changed. */
  async #prepare(): Promise<void> {
    const { machine, steps, backups } = this.setup;
    backups.make();
    for (const [index, step] of steps.entries()) {
      this.#say('Keeps what will be replaced', index);
      await this.#keep(index, step);
    }
    backups.flush();
    machine.at('backed-up');
    for (const [index, step] of steps.entries()) {
      this.#say('Writes the new contents beside the old', index);
      if (step.kind === 'file' && this.#checked.get(index)?.real !== null) await this.#stage(index, step);
    }
    machine.at('all-staged');
  }

  async #keep(index: number, step: PlannedStep): Promise<void> {
    const { machine, backups } = this.setup;
    const record = this.#records[index];
    if (step.kind === 'file' && record?.kind === 'file') {
      const { place, seen } = this.#checked.get(index) as CheckedFile;
      const append = step.after !== null && 'append' in step.after ? step.after.append : null;
      if (record.tail !== null && append !== null) await backups.write(record.tail, [append]);
      if (record.backup === null || seen === null) return;
      const folder = HeldFolder.open(machine.files, place.within, place.folders, null, record.real);
      if (folder === null) throw new Refused(`${step.path} is gone.`, true);
      try {
        await backups.keep(folder, place.name, record.backup, seen.sha256, (bytes) => this.#wrote(bytes));
      } finally {
        folder.close();
      }
      if (append !== null) record.after = { sha256: await this.#joinedHash(backups.path(record.backup), append), bytes: seen.fact.size + append.length, mode: seen.fact.mode, modified: seen.fact.modified };
    } else if (step.kind === 'rows' && record?.kind === 'rows' && record.values !== null) {
      await backups.write(record.values, (function* lines() {
        for (const [table, { rows }] of step.inserts.entries()) for (const row of rows()) yield Buffer.from(rowLine(table, Object.fromEntries(Object.entries(row).map(([column, value]) => [column, keptValue(value)]))));
      })());
    }
  }

  async #joinedHash(path: string, append: Uint8Array): Promise<string> {
    const { files } = this.setup.machine;
    const handle = files.open(path, constants.O_RDONLY);
    try {
      const hash = createHash('sha256');
      for await (const piece of readPieces(files, handle)) hash.update(piece);
      return hash.update(append).digest('hex');
    } finally {
      files.close(handle);
    }
  }

  async #stage(index: number, step: FileStep & { holds?: string }): Promise<void> {
    const { machine } = this.setup;
    const record = this.#records[index];
    if (record?.kind !== 'file' || step.after === null || 'append' in step.after) return;
    const isPrivate = this.#isInStore(step.within);
    const mode = step.mode ?? record.before?.mode ?? (isPrivate ? 0o600 : 0o644);
    await stageFile(machine, record, step.after.content.pieces(), { mode, modified: step.modified, isPrivate, wrote: (bytes) => this.#wrote(bytes) });
    if (step.holds !== undefined && record.after?.sha256 !== step.holds) throw new Refused(damagedBackup(step.path));
    machine.at('staged');
  }

  #isInStore(within: string): boolean {
    const { storeFolder } = this.setup;
    return within === storeFolder || within.startsWith(`${storeFolder}/`) || within.startsWith(`${storeFolder}\\`);
  }

  /** Right before the first change: every hash once more. */
  async #lookAgain(): Promise<void> {
    const { machine, steps, expects } = this.setup;
    for (const expected of expects) await checkBeginning(machine.files, expected);
    for (const [index, step] of steps.entries()) {
      if (step.kind !== 'file' || this.#checked.get(index)?.real === null) continue;
      this.#say('Looks once more', index);
      const again = await checkFile(machine.files, step);
      this.#checked.set(index, again);
    }
  }

  async #change(): Promise<void> {
    for (const [index, step] of this.setup.steps.entries()) {
      this.#say(step.kind === 'program' ? step.does : 'Writes', index);
      await this.#changeStep(index, step);
    }
  }

  async #changeStep(index: number, step: PlannedStep): Promise<void> {
    const { machine, backups, journal, plan } = this.setup;
    const record = this.#records[index];
    if (step.kind === 'file' && record?.kind === 'file') {
      if (record.goes) return;
      const seen = record.real === null ? await this.#lateStage(index, step) : (this.#checked.get(index)?.seen?.fact ?? null);
      await changeFile(machine, this.#records[index] as FileRecord, seen, step.after !== null && 'append' in step.after ? step.after.append : null);
    } else if (step.kind === 'rows' && record?.kind === 'rows') {
      checkDatabase(machine.files, step);
      refuseWhenOpen(step.database);
      await insertRows(machine, step, (keys) => backups.writeNow(record.keys, [keys]));
    } else if (step.kind === 'rows-out' && record?.kind === 'rows') {
      checkDatabase(machine.files, step);
      refuseWhenOpen(step.database);
      const keys = await readKeys(machine.files, step.keys);
      backups.writeNow(record.keys, [Buffer.from(keys.map(({ table, key, hash }) => keyLine(table, key.map(keptValue), hash)).join(''))]);
      await removeRows(machine, { database: step.database, schema: step.schema, tables: step.tables, keys }, (values) => backups.writeNow(record.values ?? '', values));
    } else if (step.kind === 'program' && record?.kind === 'program') {
      record.state = 'begun';
      await journal.step(plan.id, index, record);
      machine.at('program-begun');
      record.gave = await this.setup.perform(step.program, step.call, record.given, (says) => this.#say(says, index), index === 0 ? this.setup.signal : new AbortController().signal);
      record.state = 'done';
      if (typeof record.gave['session'] === 'string') this.#result = record.gave['session'];
      await journal.step(plan.id, index, record);
      machine.at('program-done');
    }
  }

  /** A file in a folder that a program step made a moment ago: looked at, kept and staged only now. */
  async #lateStage(index: number, step: FileStep & { holds?: string }): Promise<DiskFact | null> {
    const { machine, journal, plan } = this.setup;
    const checked = await checkFile(machine.files, step);
    this.#checked.set(index, checked);
    const record = this.#fileRecord(step, index, checked);
    this.#records[index] = record;
    await journal.step(plan.id, index, record);
    await this.#keep(index, step);
    this.setup.backups.flush();
    await this.#stage(index, step);
    await journal.step(plan.id, index, record);
    return checked.seen?.fact ?? null;
  }

  async #verify(): Promise<void> {
    const { machine, backups } = this.setup;
    for (const [index, record] of this.#records.entries()) {
      this.#say('Verifies', index);
      if ((await standingOf(machine.files, record, backups)) !== 'after') throw new Error(`${record.kind === 'file' ? record.path : record.kind === 'rows' ? record.database : record.kind} is not as it was written.`);
    }
  }

  async #endApplied(): Promise<void> {
    const { journal, plan, backups, now } = this.setup;
    await journal.phase(plan.id, 'changing', this.#records, backups.bytes);
    await writeFacts(journal, plan, this.#records, this.#result);
    await journal.end(plan.id, 'applied', { now: now(), result: this.#result, settled: settledBy(plan) });
  }

  /** Everything done so far goes back; what cannot is named. */
  async #failed(error: unknown): Promise<ApplyEnd> {
    const { machine, journal, plan, backups, perform, now } = this.setup;
    const reason = this.setup.signal.aborted && !this.#changing ? 'It was cancelled before the first change.' : saidOf(error);
    const stale = error instanceof Refused && error.stale;
    // A program that did not do it, and says so, has done nothing.
    if (error instanceof PerformError && !error.maybe) for (const record of this.#records) if (record.kind === 'program' && record.state === 'begun') record.state = 'waiting';
    const troubles = await putBack(machine, plan.id, this.#records, backups, perform);
    const state = troubles.length === 0 ? 'failed' : 'unsettled';
    const because = [reason, ...troubles];
    try {
      await journal.phase(plan.id, 'changing', this.#records, state === 'failed' ? 0 : backups.bytes);
      await removeFacts(journal, plan, this.#records, this.#result);
      await journal.end(plan.id, state, { because, now: now() });
      if (state === 'failed') backups.remove();
    } catch (late) {
      // The next start finds the entry open, sees that nothing is changed, and ends it.
      because.push(saidOf(late));
    }
    return { state, because, stale };
  }

  /** A person can give up until the first change; from then on it is brought to an end, or put back. */
  #wrote(bytes: number): void {
    if (!this.#changing) this.setup.signal.throwIfAborted();
    this.#bytesDone += bytes;
  }

  #say(says: string, index: number): void {
    const { plan, steps, progress } = this.setup;
    // A program that is asked first hears of it, too.
    const cancellable = !this.#changing || (index === 0 && steps[0]?.kind === 'program');
    progress({ plan: plan.id, says, step: index + 1, steps: steps.length, bytesDone: this.#bytesDone, bytesTotal: this.#bytesTotal, cancellable });
  }
}

/** A backup that somebody wrote to, or that the disk lost. */
export const damagedBackup = (path: string): string => `The backup of ${path} is not what was kept.`;

/** What an entry that ended well means for the one it took back or brought to its end. */
export const settledBy = ({ id, undoes, settles }: PlanRecord): { entry: string; state: JournalState; by: string } | null =>
  undoes === null ? null : { entry: undoes, state: settles === 'on' ? 'applied' : 'undone', by: id };

const resolved = (fact: { child: NativeId | null; parent: NativeId; after: string | null }, result: string | null) => {
  const child = fact.child ?? (result === null ? null : nativeId(result));
  return child === null ? null : { ...fact, child };
};

/** Facts of the plan go into the library. Doing it twice changes nothing. */
export async function writeFacts(journal: Journal, plan: PlanRecord, records: readonly StepRecord[], result: string | null): Promise<void> {
  for (const record of records) {
    const fact = record.kind === 'library' ? resolved(record.fact, result) : null;
    if (record.kind === 'library' && fact) await journal.fact(plan.store, fact, plan.id, !record.removes);
  }
}

async function removeFacts(journal: Journal, plan: PlanRecord, records: readonly StepRecord[], result: string | null): Promise<void> {
  for (const record of records) {
    const fact = record.kind === 'library' && !record.removes ? resolved(record.fact, result) : null;
    if (fact) await journal.fact(plan.store, fact, plan.id, false);
  }
}

function bytesOf(step: PlannedStep): number {
  if (step.kind !== 'file') return 0;
  const before = step.before.state === 'present' ? step.before.bytes : 0;
  return before + (step.after !== null && 'content' in step.after ? (step.after.content.size ?? 0) : 0);
}
