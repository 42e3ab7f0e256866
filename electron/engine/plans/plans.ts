import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Checked, EngineEvents } from '@shared/contract';
import { type ApplyOutcome, asSessionId, type JournalEntry, type JournalPage, type PlanAbout, type PlanFileView, type PlanProgress, type PlanRefusal, type PlanSteps, type PlanView, type PlanWays } from '@shared/model';
import type { Db } from '../library/database';
import { findSession } from '../queries/session-summary';
import type { Timeline } from '../queries/timeline';
import type { Importing } from '../share/import/importing';
import { importFiles } from '../stores/retrace/imports';
import { type Environment, type JsonObject, type Making, PerformError, type SessionStore, type StoreLocation, type WriteRefusal } from '../stores/store';
import { Apply, type ApplyEnd } from './apply/apply';
import { Backups, backupsOf } from './apply/backups';
import type { Perform } from './apply/put-back';
import { recover } from './apply/recovery';
import { standingOf } from './apply/standing';
import { StoreLocks } from './apply/store-lock';
import { seeFile } from './disk/content';
import { HeldFolder } from './disk/folder';
import type { Machine } from './disk/machine';
import { placeOf } from './disk/names';
import { type Drawing, type DrawingParts, Drawings, isRefusal, resultOf } from './draw';
import { Entries } from './entries';
import { drawnImport, importPlace } from './imports';
import { type EntryRow, Journal } from './journal/journal';
import type { FileRecord, PlanRecord, StepRecord } from './journal/records';
import { lookAtPlan, refuseWhenBusy } from './look';
import { measured } from './measured';
import { type Plan, planId, PlanShelf, planView } from './plan';
import { Refused, saidOf } from './refused';
import { SessionsToWrite } from './session-to-write';
import type { PlannedStep } from './steps';
import { inverseSteps, settlingSteps } from './undo';
import { beginningOf, countedLines, diskSide, keptSide, planFileView, plannedSides, sideLimit } from './view/file-view';
import { plannedStep, recordedStep } from './view/steps';

/** Milliseconds between two reports of progress, and in which the new session is waited for after an apply. */
const pace = 50;
const indexPatience = 10_000;
/** Files of a plan whose lines are counted when it is made. */
const countedFiles = 300;

export interface PlansSetup extends DrawingParts {
  db: Db;
  library: string;
  machine: Machine;
  /** Folder of the locks on stores: the same for every library of this user. */
  locks: string;
  timeline: Timeline;
  environment(): Environment;
  emit<E extends 'plan.progress' | 'journal.changed'>(name: E, payload: EngineEvents[E]): void;
  /** Brings the library up to date with what was written. */
  index(): Promise<void>;
  /** Takes all sessions of a store out of the library. */
  forget(store: string): Promise<void>;
  /** Looks at what is to be brought in; null: nothing can be. */
  imports: Importing | null;
  now(): number;
  random?(bytes: number): Uint8Array;
}

/** Guarded writes: draws them, shows them, applies them, keeps the journal, and takes them back. */
export class Plans {
  readonly #setup: PlansSetup;
  readonly #journal: Journal;
  readonly #entries: Entries;
  readonly #locks: StoreLocks;
  readonly #sessions: SessionsToWrite;
  readonly #drawings: Drawings;
  readonly #shelf = new PlanShelf();
  /** Entries of the journal begin to be theirs: plans that came so far. */
  readonly #begun = new Set<string>();
  #writing: Promise<unknown> = Promise.resolve();
  #reported = 0;

  constructor(setup: PlansSetup) {
    this.#setup = setup;
    const { db, library, machine, locks, timeline } = setup;
    this.#journal = new Journal(library, machine);
    this.#entries = new Entries(db, this.#journal, (agent) => timeline.storeOf(agent), () => setup.environment());
    this.#locks = new StoreLocks(machine.files, locks);
    this.#sessions = new SessionsToWrite(db, timeline, machine.files, () => setup.environment());
    this.#drawings = new Drawings(this.#sessions, setup, () => this.#making(), ({ id }) => childrenOf(db, id));
  }

  /** What an earlier Retrace left undone is settled; to be called before the stores are read. */
  async recover(): Promise<void> {
    const { machine, library, now } = this.#setup;
    await recover(machine, this.#journal, this.#locks, library, now);
  }

  ways(request: Checked<'plan.ways'>): PlanWays | PlanRefusal | null {
    const ways = refusedOr(() => this.#drawings.ways(request));
    return ways === null || !isRefusal(ways) ? ways : refusalOf(ways);
  }

  fork(request: Checked<'plan.fork'>): Promise<PlanView | PlanRefusal | null> {
    return this.#drawn(() => this.#drawings.fork(request));
  }

  revert(request: Checked<'plan.revert'>): Promise<PlanView | PlanRefusal | null> {
    return this.#drawn(() => this.#drawings.revert(request));
  }

  /** Looks at a file or a link that is to be brought in. Nothing is kept of it until it is applied. */
  async import({ from, salvage, host, run }: Checked<'plan.import'>, signal: AbortSignal): Promise<PlanView | PlanRefusal | null> {
    const { imports } = this.#setup;
    if (!imports) return refusalOf({ refused: 'This Retrace brings nothing in.' });
    return this.#drawn(async () => drawnImport(await imports.draw({ from, salvage: salvage ?? false, host: host ?? null }, signal, (says, bytes) => this.#looking(run ?? '', says, bytes)), this.#setup));
  }

  #looking(run: string, says: string, bytesDone: number): void {
    this.#report({ plan: run, says, step: 0, steps: 0, bytesDone, bytesTotal: 0, cancellable: true });
  }

  restore(request: Checked<'plan.restore'>): Promise<PlanView | PlanRefusal | null> {
    // The trash has all of it, its checkpoints too; the library has what was read.
    const trash = this.#journal.trashed(request.session);
    if (trash) return Promise.resolve(refusalOf({ refused: `It lies in the trash of Retrace: bring it back from there, with all that went along (retrace undo ${trash.id}).` }));
    return this.#drawn(() => Promise.resolve(this.#drawings.restore(request)));
  }

  act(request: Checked<'plan.act'>): Promise<PlanView | PlanRefusal | null> {
    return this.#drawn(() => this.#drawings.act(request));
  }

  /** A plan that takes an entry of the journal back. */
  async undo({ entry: id }: Checked<'plan.undo'>): Promise<PlanView | PlanRefusal | null> {
    const row = this.#journal.entry(id);
    if (!row) return null;
    const { noUndo, title, about } = this.#entries.entry(row);
    if (noUndo !== null) return refusalOf({ refused: noUndo });
    const restores = row.plan.kind === 'trash';
    return this.#ofEntry(row, restores ? 'restore' : 'undo', undoTitle(title), about && { ...about, does: undoTitle(about.does) }, null, (backups) =>
      inverseSteps(this.#setup.machine.files, this.#journal.steps(row.id), backups),
    );
  }

  /** A plan that brings an interrupted entry to its end, or back to where it began. */
  async settle({ entry: id, go }: Checked<'plan.settle'>): Promise<PlanView | PlanRefusal | null> {
    const row = this.#journal.entry(id);
    if (!row) return null;
    if (row.state !== 'interrupted' && row.state !== 'unsettled') return refusalOf({ refused: 'It came to its end: there is nothing to settle.' });
    const { files } = this.#setup.machine;
    const way = go === 'on' ? 'Go on with' : 'Go back from';
    const about = row.plan.about ?? null;
    return this.#ofEntry(row, go === 'on' ? row.plan.kind : 'undo', `${way}: ${row.plan.title}`, about && { ...about, does: `${way}: ${about.does}` }, go, async (backups) => {
      const records = [];
      for (const record of this.#journal.steps(row.id)) {
        records.push({ record, standing: await standingOf(files, record, backups), now: record.kind === 'file' && record.act === 'append' ? await seenNow(this.#setup.machine, record) : null });
      }
      return settlingSteps(files, records, backups, go);
    });
  }

  async #ofEntry(row: EntryRow, kind: PlanRecord['kind'], title: string, about: PlanAbout | null, settles: PlanRecord['settles'], steps: (backups: Backups) => PlannedStep[] | Promise<PlannedStep[]>): Promise<PlanView | PlanRefusal | null> {
    const { machine, library, now } = this.#setup;
    const { store, location } = this.#placeOf(row);
    if (!store || !location) return refusalOf({ refused: 'Its store is not known any more.' });
    try {
      const made = now();
      const planned = await steps(new Backups(machine.files, library, row.id));
      const way = settles === 'on' ? row.plan.way : wayBack(planned);
      const record: PlanRecord = {
        ...row.plan, id: this.#id(made), kind, title, about, way, result: settles === 'on' ? row.result : null, undoes: row.id, settles, checked: [],
        limits: settles === null ? [] : row.because, native: row.plan.native,
      };
      return await this.#shown({ record, steps: planned, expects: [], store, location, ways: [], conflicts: [], result: resultOf(row.plan.store, record.result), made });
    } catch (error) {
      if (error instanceof Refused) return refusalOf({ refused: error.message });
      throw error;
    }
  }

  /** The store an entry wrote to. Imports are Retrace's own, read by the reader of their agent. */
  #placeOf({ plan }: EntryRow): { store: SessionStore | undefined; location: StoreLocation | null } {
    const imported = importPlace(this.#setup, plan.store);
    if (imported) return imported;
    const store = plan.agent === null ? undefined : this.#setup.timeline.storeOf(plan.agent);
    return { store, location: store ? this.#sessions.location(plan.store, store) : null };
  }

  async #drawn(draw: () => Promise<Drawing | WriteRefusal | null>): Promise<PlanView | PlanRefusal | null> {
    const drawing = await draw().catch(asRefusal);
    if (drawing === null) return null;
    if (isRefusal(drawing)) return refusalOf(drawing);
    const { kind, on, title, about, way, ways, steps, expects, conflicts, limits, result, preview } = drawing;
    const made = this.#setup.now();
    const record: PlanRecord = {
      id: this.#id(made), kind, title, about, way, session: on.session, agent: on.agent, store: on.storeKey, folder: on.location.folder, native: on.native,
      result, limits, checked: [], undoes: null, settles: null,
    };
    return this.#shown({ record, steps, expects, store: on.store, location: on.location, ways, conflicts, result: resultOf(on.storeKey, result), made, ...(preview && { preview }) });
  }

  /** Looks at what the plan needs, and keeps it to be applied. */
  async #shown(unmeasured: Omit<Plan, 'counts' | 'room' | 'checked' | 'refused' | 'isUndecided'>): Promise<PlanView> {
    const { machine, library } = this.#setup;
    const drawn = { ...unmeasured, steps: unmeasured.steps.map(measured) };
    const isUndecided = drawn.conflicts.some(({ take }) => take === 'undecided');
    const looked = await lookAtPlan(machine, drawn, backupsOf(library));
    const counts = new Map(drawn.steps.slice(0, countedFiles).flatMap((step, index) => (step.kind === 'file' ? [[index, countedLines(machine.files, step)] as const] : [])));
    const nothing = drawn.steps.length === 0 ? 'There is nothing to write.' : null;
    const refused = isUndecided ? 'Files that others changed since wait for a choice.' : (looked.refused ?? nothing);
    const plan: Plan = { ...drawn, counts, ...looked, refused, isUndecided: isUndecided || nothing !== null, record: { ...drawn.record, checked: looked.checked } };
    this.#shelf.put(plan);
    return planView(plan);
  }

  /** A window of the steps of a plan, or of an entry of the journal. */
  steps({ plan: id, from, count }: Checked<'plan.steps'>): PlanSteps | null {
    const plan = this.#shelf.get(id);
    if (plan) return { total: plan.steps.length, from, steps: plan.steps.slice(from, from + count).map((step, index) => plannedStep(step, from + index, plan.counts)) };
    const row = this.#journal.entry(id);
    return row && { total: this.#journal.stepCount(row.id), from, steps: this.#journal.steps(row.id, from, count).map((record, index) => recordedStep(record, from + index)) };
  }

  /** A file of a plan with its lines; of an entry of the journal, as far as its bytes are kept. */
  file({ plan: id, index, large = false }: Checked<'plan.file'>): PlanFileView | null {
    const { files } = this.#setup.machine;
    const plan = this.#shelf.get(id);
    const step = plan?.steps[index];
    if (plan) {
      const shown = step && plannedStep(step, index, plan.counts);
      if (step?.kind !== 'file' || shown?.kind !== 'file') return null;
      const view = planFileView(shown, plannedSides(files, step, sideLimit(large)), large);
      return view.hunks === null && step.before.state !== 'present' && step.after !== null && 'content' in step.after ? { ...view, beginning: beginningOf(step.after.content) } : view;
    }
    const row = this.#journal.entry(id);
    const record = row && this.#journal.steps(row.id, index, 1)[0];
    if (!row || record?.kind !== 'file') return null;
    const shown = recordedStep(record, index);
    return shown.kind === 'file' ? planFileView(shown, this.#keptSides(row.id, record, sideLimit(large)), large) : null;
  }

  /** What was there is in the backups; what became of it is on the disk, while nobody changed it. */
  #keptSides(id: string, record: FileRecord, limit: number): { before: ReturnType<typeof diskSide>; after: ReturnType<typeof diskSide> } {
    const { machine, library } = this.#setup;
    const backups = new Backups(machine.files, library, id);
    const before = record.before === null ? null : record.backup === null ? 'not kept' : keptSide(machine.files, backups.path(record.backup), record.before.bytes, limit);
    if (record.after === null) return { before, after: record.act === 'delete' ? null : 'not kept' };
    const disk = diskSide(machine.files, record, limit);
    return { before, after: disk instanceof Uint8Array && disk.length === record.after.bytes ? disk : disk === 'too large' ? disk : 'not kept' };
  }

  /** Applies a plan, once. Of two who ask one does it, the other is told. Who asked may go away: only `plan.cancel` stops it. */
  async apply(request: Checked<'plan.apply'>): Promise<ApplyOutcome | null> {
    try {
      return await this.#applyOnce(request);
    } catch (error) {
      // The library could not be asked before anything was begun.
      return { applied: false, refused: saidOf(error), stale: false, entry: null };
    }
  }

  async #applyOnce({ plan: id }: Checked<'plan.apply'>): Promise<ApplyOutcome | null> {
    const row = this.#journal.entry(id);
    if (row) return { applied: false, refused: row.state === 'applying' ? 'It is being applied.' : 'It was applied already.', stale: false, entry: this.#entries.entry(row) };
    const plan = this.#shelf.get(id);
    if (!plan) return null;
    if (plan.isUndecided) return { applied: false, refused: plan.refused ?? '', stale: false, entry: null };
    const abort = this.#shelf.begin(id);
    if (abort === null) return { applied: false, refused: 'It is being applied.', stale: false, entry: null };
    try {
      // One at a time: the second finds the state the first left.
      const turn = this.#writing.then(() => this.#apply(plan, abort.signal));
      this.#writing = turn.catch(() => undefined);
      return await turn;
    } finally {
      this.#shelf.end(id);
      // From now on the journal tells of it.
      if (this.#begun.delete(id)) this.#shelf.discard(id);
    }
  }

  async #apply(plan: Plan, signal: AbortSignal): Promise<ApplyOutcome> {
    const { machine, library, now } = this.#setup;
    const { record, steps, counts, location } = plan;
    try {
      const folders = [location.folder, ...steps.flatMap((step) => ('within' in step ? [step.within] : []))];
      const end = await this.#locks.holding(folders, async () => {
        record.checked = await refuseWhenBusy(plan, machine.waits.looks);
        signal.throwIfAborted();
        return new Apply({
          machine, journal: this.#journal, backups: new Backups(machine.files, library, record.id), plan: record, steps, expects: plan.expects, counts, storeFolder: location.folder,
          perform: this.#performer(plan), progress: (progress) => this.#report(progress), signal, now,
        }).run();
      });
      this.#begun.add(record.id);
      if (end.state === 'applied') await this.#indexed();
      if (end.state === 'applied') await this.#forgotten(record.store);
      this.#setup.emit('journal.changed', {});
      return this.#outcome(record.id, end);
    } catch (error) {
      if (signal.aborted) return { applied: false, refused: 'It was cancelled before the first change.', stale: false, entry: null };
      return { applied: false, refused: saidOf(error), stale: error instanceof Refused && error.stale, entry: null };
    }
  }

  /** An import that was taken back is not a session whose agent deleted it: nothing of it stays in the library but the journal's backup. */
  async #forgotten(key: string): Promise<void> {
    const place = importPlace(this.#setup, key);
    if (place && !this.#setup.machine.files.look(join(place.folder, importFiles.bundle))) await this.#setup.forget(key);
  }

  #outcome(id: string, end: ApplyEnd): ApplyOutcome {
    try {
      const row = this.#journal.entry(id);
      const entry = row && this.#entries.entry(row);
      if (end.state === 'applied' && entry) return { applied: true, entry };
      return { applied: false, refused: end.because[0] ?? 'It was not applied.', stale: end.stale, entry };
    } catch (error) {
      const became = end.state === 'applied' ? 'It was applied' : (end.because[0] ?? 'It was not applied.');
      return { applied: false, refused: `${became}, but the journal could not be read: ${saidOf(error)}`, stale: false, entry: null };
    }
  }

  #performer({ store, location }: Plan): Perform {
    return async (program, call, given, progress, signal): Promise<JsonObject> => {
      const { worktrees } = this.#setup;
      if (program === 'git') {
        if (!worktrees) throw new PerformError('This Retrace asks nothing of git.');
        return worktrees.perform(call, given, progress, signal);
      }
      if (!store.writer?.perform) throw new PerformError(`Nothing can be asked of ${program}.`);
      return store.writer.perform(location, call, given, progress, signal);
    };
  }

  cancel({ plan }: Checked<'plan.cancel'>): null {
    this.#shelf.cancel(plan);
    return null;
  }

  discard({ plan }: Checked<'plan.discard'>): null {
    this.#shelf.discard(plan);
    return null;
  }

  journal(request: Checked<'journal.list'>): JournalPage {
    return this.#entries.page(request);
  }

  entry({ id }: Checked<'journal.entry'>): JournalEntry | null {
    const row = this.#journal.entry(id);
    return row && this.#entries.entry(row);
  }

  /** Waits for what is being written. */
  async close(): Promise<void> {
    this.#shelf.cancelAll();
    await this.#writing;
    this.#journal.close();
  }

  /** The new session shows in the lists when the answer comes, unless the index has much else to read. */
  async #indexed(): Promise<void> {
    await Promise.race([this.#setup.index().catch((error: unknown) => console.error('What was written could not be read:', error)), delay(indexPatience, undefined, { ref: false })]);
  }

  #report(progress: PlanProgress): void {
    const now = performance.now();
    if (now - this.#reported < pace) return;
    this.#reported = now;
    this.#setup.emit('plan.progress', progress);
  }

  #making(): Making {
    const { now, random = randomBytes } = this.#setup;
    return { now: now(), random };
  }

  #id(now: number): string {
    return planId(now, this.#setup.random ?? randomBytes);
  }
}

/** How an undo goes about it, by what it has to do. */
function wayBack(steps: readonly PlannedStep[]): string {
  if (steps.length > 0 && steps.every(({ kind }) => kind === 'program' || kind === 'library')) return 'The program that did it is asked to take it back.';
  const takesAway = steps.every((step) => step.kind === 'rows-out' || step.kind === 'library' || (step.kind === 'file' && step.after === null));
  return takesAway ? 'What the write added is taken away again; nothing else is touched.' : 'What the write changed becomes what it was, from the backups of the library.';
}

/** A refusal that was thrown on the way is an answer; anything else is a fault of our own. */
function asRefusal(error: unknown): WriteRefusal {
  if (error instanceof Refused) return { refused: error.message };
  throw error;
}

function refusedOr<T>(work: () => T): T | WriteRefusal {
  try {
    return work();
  } catch (error) {
    return asRefusal(error);
  }
}

const refusalOf = ({ refused, instead = [] }: WriteRefusal): PlanRefusal => ({ refused, instead });

async function seenNow({ files }: Machine, record: Extract<StepRecord, { kind: 'file' }>): Promise<{ sha256: string; bytes: number } | null> {
  const { folders, name } = placeOf(record.path, record.within);
  const folder = HeldFolder.open(files, record.within, folders, null);
  if (!folder) return null;
  try {
    const seen = await seeFile(folder, name);
    return seen && { sha256: seen.sha256, bytes: seen.fact.size };
  } finally {
    folder.close();
  }
}

/** How taking a write back is called: what was put away comes back, and an undo that is taken back is done again. */
function undoTitle(title: string): string {
  const [, verb, what = ''] = /^(Undo|Do again|Move to the trash)(: .*)?$/s.exec(title) ?? [];
  if (verb === undefined) return `Undo: ${title}`;
  return `${{ Undo: 'Do again', 'Do again': 'Undo', 'Move to the trash': 'Bring back from the trash' }[verb] ?? 'Undo'}${what}`;
}

/** Subagents that hang under a session, all the way down, the nearest first. */
function childrenOf(db: Db, id: string): { native: string; title: string | null }[] {
  const session = findSession(db, asSessionId(id));
  if (!session) return [];
  return db
    .prepare(
      `WITH RECURSIVE below(id, native, title, depth) AS (
         SELECT c.id, c.native, c.title, 1 FROM session c JOIN session s ON s.store = c.store WHERE s.id = @session AND c.parent = s.native AND c.parent_kind = 'subagent'
         UNION SELECT c.id, c.native, c.title, below.depth + 1 FROM below JOIN session b ON b.id = below.id JOIN session c ON c.store = b.store AND c.parent = b.native AND c.parent_kind = 'subagent' WHERE below.depth < 1000)
       SELECT native, title FROM below WHERE id <> @session GROUP BY id ORDER BY min(depth), native LIMIT 10000`,
    )
    .all({ session: session.id }) as { native: string; title: string | null }[];
}
