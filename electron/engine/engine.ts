import { homedir } from 'node:os';
import type { EngineEvents, EngineMethods, IndexProgress } from '@shared/contract';
import { type ExportScope, nativeId, type SessionId, sessionId, storeId } from '@shared/model';
import { Comparisons } from './compare/comparisons';
import { Contexts } from './context/answers';
import type { Indexing, IndexingEvents } from './indexing/indexing';
import { Diffs } from './diff/diffs';
import { type Db, openLibrary } from './library/database';
import { Keeping, type KeepingAct, type KeepingAnswers } from './library/keep/keeping';
import { Library } from './library/library';
import { sessionDetail, storeStatuses } from './queries/detail';
import { examine } from './queries/doctor';
import { familyOf, familyHits } from './queries/family';
import { folderState, type Reach } from './queries/folder-state';
import { Memory } from './queries/memory/memory';
import { listSessions } from './queries/session-filter';
import { Timeline } from './queries/timeline';
import { type Machine, thisMachine } from './plans/disk/machine';
import { drawFiles } from './plans/files/revert-files';
import { drawnImport } from './plans/imports';
import { Plans } from './plans/plans';
import { gitWorktrees } from './plans/worktree/worktrees';
import { lockFolder } from './library/place';
import { Reverts } from './revert/reverts';
import { LibraryTree } from './queries/tree';
import { Work } from './queries/work/work';
import { Search } from './search/search';
import { Exports } from './share/export/exports';
import { Importing } from './share/import/importing';
import { setShareServers, shareServers } from './share/link/share-servers';
import type { Environment, SessionStore } from './stores/store';
import { version } from './version';

/** Changed sessions named in one event; more are told as "many". */
const namedSessions = 200;

const idle: IndexProgress = { running: false, phase: 'idle', sourcesDone: 0, sourcesTotal: 0, bytesDone: 0, bytesTotal: 0, cancelled: false, error: null };

export interface EngineSetup {
  file: string;
  home: string;
  stores: readonly SessionStore[];
  /** Starts what brings the library up to date; null leaves the library as it is. */
  index: ((events: IndexingEvents) => Indexing) | null;
  /** Where recorded folders may be looked for; without it on all of this machine. */
  bounds?: Pick<Reach, 'confined' | 'maps'>;
  /** The first pass waits until it is asked for; else it begins at once. */
  idle?: boolean;
  /** Where locks on stores are kept; left out: in this user's folder of Retrace. */
  locks?: string;
  /** What guarded writes are made on; left out: this machine. */
  machine?: Machine;
}

export type Emit = <E extends keyof EngineEvents>(name: E, payload: EngineEvents[E]) => void;

export interface RunningEngine {
  methods: EngineMethods;
  close(): Promise<void>;
}

/** The engine: answers questions from the library, and has it brought up to date in the background. */
export function startEngine(setup: EngineSetup, emit: Emit): RunningEngine {
  const { db } = openLibrary(setup.file);
  keepToOneHome(db, setup);
  const timeline = new Timeline(db, (agent) => setup.stores.find((store) => store.agent === agent));
  const contexts = new Contexts(db, timeline, timeline.words, timeline.storeOf);
  const search = new Search(db, timeline);
  const tree = new LibraryTree(db);
  const work = new Work(db, () => Date.now());
  const memory = new Memory(db, timeline, work);
  const surveyed = new Gate(setup.index === null || hasSessions(db));
  // Said from the first moment: an answer given before the indexing thread is up must not pass for complete.
  let progress: IndexProgress = setup.index !== null && !setup.idle ? { ...idle, running: true, phase: 'survey' } : idle;
  const indexing = setup.index?.({
    progress(now) {
      progress = now;
      if (now.phase !== 'survey') surveyed.open();
      emit('index.progress', now);
    },
    changed(revision, sessions) {
      emit('library.changed', { revision, sessions: sessions.length > 0 && sessions.length <= namedSessions ? namesOf(db, sessions) : null });
    },
    compaction: (now) => emit('library.compaction', { progress: now }),
  });
  /** The acts of the library's settings. They are the writer's to do; where none runs, one is made for the act. */
  const keep = async <A extends KeepingAct['act']>(act: Extract<KeepingAct, { act: A }>): Promise<KeepingAnswers[A]> => {
    const answer = indexing ? await indexing.keep(act) : await keepWithoutIndexing(setup, emit, act);
    // Numbers of rows that were taken out may be given out again.
    timeline.bodies.log.forget();
    // The answer to an act is the one of its name.
    return answer as KeepingAnswers[A];
  };
  const revision = () => (db.prepare("SELECT value FROM meta WHERE key = 'revision'").get() as { value: number } | undefined)?.value ?? 0;
  const reach = (): Reach => ({ ...setup.bounds, home: setup.home, platform: process.platform, added: addedFolders(db) });
  const diffs = new Diffs(db, timeline, reach, revision);
  const comparisons = new Comparisons(db, timeline, diffs);
  const reverts = new Reverts(db, timeline, contexts, reach, revision, () => Date.now());
  const exports = new Exports({ db, file: setup.file, home: setup.home, timeline, diffs, work, revision, progress: (now) => emit('share.progress', now) });
  const run = async () => {
    await recovered;
    if (!indexing) return { cancelled: false, sourcesSeen: 0, sourcesChanged: 0, bytesRead: 0, recordsProjected: 0, partsWritten: 0, sessionsSettled: 0 };
    try {
      return await indexing.run();
    } catch (error) {
      progress = { ...progress, running: false, phase: 'idle', error: error instanceof Error ? error.message : String(error) };
      surveyed.open();
      emit('index.progress', progress);
      throw error;
    }
  };
  const environment = (): Environment => ({ ...reach(), variables: setup.bounds?.confined ? {} : process.env });
  /** Sessions of an import that was taken back. */
  const forgetStore = async (key: string): Promise<void> => {
    const rows = db.prepare('SELECT s.native FROM session s JOIN store st ON st.id = s.store WHERE st.key = ?').all(key) as { native: string }[];
    const sessions = rows.map(({ native }) => sessionId(storeId(key), nativeId(native)));
    // As many as one act takes.
    for (let from = 0; from < sessions.length; from += 1_000) {
      const target = { kind: 'sessions' as const, sessions: sessions.slice(from, from + 1_000) };
      const { token, refusals } = await keep({ act: 'plan forget', target });
      if (refusals.length === 0) await keep({ act: 'forget', target, token });
    }
  };
  /** A session as it is, with nothing masked: it stays in the library. */
  const bundleOf = async (session: SessionId, scope: ExportScope, path: string, signal: AbortSignal): Promise<string | null> => {
    const done = await exports.make({ session, format: 'bundle', scope, toolOutput: true, reasoning: true, subagents: true, redact: false, keep: [], words: [], run: '', target: { kind: 'file', path, overwrite: false } }, signal);
    return 'refused' in done ? done.reason : null;
  };
  const importing = new Importing({ db, library: setup.file, stores: setup.stores, servers: () => shareServers(db), now: () => Date.now(), bundle: bundleOf });
  const plans = new Plans({
    db, library: setup.file, machine: setup.machine ?? thisMachine(), locks: setup.locks ?? lockFolder(homedir(), process.platform, process.env), timeline, environment, emit,
    files: { draw: (session, before, takes) => drawFiles(reverts, session, before, takes) }, worktrees: gitWorktrees(db, timeline, reach), imports: importing, forks: { fork: async (session, scope) => drawnImport(await importing.fork(session, scope, new AbortController().signal), { timeline }) }, forget: forgetStore, now: () => Date.now(),
    async index() {
      // A pass that runs already may have looked at the store before the write.
      const wasRunning = progress.running;
      await run();
      if (wasRunning) await run();
    },
  });
  const recovered = plans.recover().catch((error: unknown) => console.error('What an earlier write left could not be settled:', error));
  if (indexing && !setup.idle) run().catch((error: unknown) => console.error('The library could not be brought up to date:', error));

  const methods: EngineMethods = {
    'engine.info': () => ({
      version, home: setup.home, library: setup.file, node: process.versions.node,
      sqlite: (db.prepare('SELECT sqlite_version() AS v').get() as { v: string }).v, revision: revision(), stores: storeStatuses(db),
    }),
    'index.run': run,
    'index.cancel': () => {
      indexing?.cancel();
      return null;
    },
    'index.status': () => progress,
    'library.facets': async () => {
      await surveyed.passed;
      return tree.facets();
    },
    'library.rows': async ({ from, count, ...view }) => {
      await surveyed.passed;
      return tree.rows(view, revision(), from, count);
    },
    'library.reveal': async ({ session, ...view }) => {
      await surveyed.passed;
      return tree.reveal(view, revision(), session);
    },
    'session.list': async ({ filter, sort, from, count }) => {
      await surveyed.passed;
      return listSessions(db, filter, sort, from, count);
    },
    'session.get': ({ session, branches }) => sessionDetail(db, session, branches),
    'folder.state': ({ session }) => folderState(db, session, reach()),
    'session.outline': ({ session, messages }) => timeline.outline(session, revision(), messages),
    'session.parts': ({ session, from, count, whole }) => timeline.parts(session, revision(), from, count, whole ?? false),
    'session.branches': ({ session }) => comparisons.branches(session, revision()),
    compare: ({ a, b }) => comparisons.compare(a, b, revision()),
    'lineage.family': ({ session }) => familyOf(db, session, Date.now()),
    'lineage.hits': ({ session, query }) => familyHits(db, search, session, query),
    'part.locate': ({ part }) => timeline.locate(part),
    'part.text': ({ part, side, from, count }) => timeline.text(part, side, from, count),
    'part.image': ({ part, image }) => timeline.image(part, image),
    'context.get': ({ session, branch, at, from, count, whole, words }) => contexts.get({ session, branch, at }, revision(), { from, count, whole, words }),
    'context.states': ({ session, branch, at }) => contexts.states({ session, branch, at }, revision()),
    'context.history': ({ session, branch }) => contexts.history({ session, branch }, revision()),
    'context.losses': ({ session, part }) => contexts.losses(session, part, revision()),
    'diff.files': (request) => diffs.files(request),
    'diff.sum': (request) => diffs.sum(request),
    'diff.file': (request) => diffs.file(request),
    'diff.lines': (request) => diffs.lines(request),
    'diff.bytes': (request) => diffs.bytes(request),
    'diff.writer': (request) => diffs.writer(request),
    'diff.turn': (request) => diffs.turn(request),
    'revert.points': (request) => reverts.points(request),
    'revert.preview': (request) => reverts.preview(request),
    'revert.file': (request) => reverts.file(request),
    'revert.bytes': (request) => reverts.bytes(request),
    doctor: async () => {
      await surveyed.passed;
      return indexing ? indexing.examine() : examine(db, setup.file, setup.stores, Date.now());
    },
    'memory.list': () => memory.list(),
    'memory.of': ({ project }) => memory.of(project),
    'memory.file': ({ file, from, count }) => memory.file(file, from, count),
    'memory.session': ({ session }) => memory.session(session),
    'work.list': async (request) => {
      await surveyed.passed;
      return work.list(request);
    },
    'work.plan': (request) => work.plan(request),
    'work.of': (request) => work.of(request),
    'plan.ways': (request) => plans.ways(request),
    'plan.fork': (request) => plans.fork(request),
    'plan.revert': (request) => plans.revert(request),
    'plan.import': (request, { signal }) => plans.import(request, signal),
    'plan.restore': (request) => plans.restore(request),
    'plan.act': (request) => plans.act(request),
    'plan.undo': (request) => plans.undo(request),
    'plan.settle': (request) => plans.settle(request),
    'plan.steps': (request) => plans.steps(request),
    'plan.file': (request) => plans.file(request),
    'plan.apply': (request) => plans.apply(request),
    'plan.cancel': (request) => plans.cancel(request),
    'plan.discard': (request) => plans.discard(request),
    // Entries of an earlier Retrace that broke off are not told as running: they wait until it is known what became of them.
    'journal.list': async (request) => {
      await recovered;
      return plans.journal(request);
    },
    'journal.entry': async (request) => {
      await recovered;
      return plans.entry(request);
    },
    'library.keep': () => keep({ act: 'figures' }),
    'library.exclude': (request) => keep({ act: 'exclude', ...request }),
    'library.include': (request) => keep({ act: 'include', ...request }),
    'library.rule': (request) => keep({ act: 'rule', ...request }),
    'library.planForget': (request) => keep({ act: 'plan forget', ...request }),
    'library.forget': (request) => keep({ act: 'forget', ...request }),
    'library.compact': () => keep({ act: 'compact' }),
    'library.compactCancel': () => {
      indexing?.cancelKeeping();
      return null;
    },
    'search.query': (request) => search.run(request, progress.running),
    'share.look': (request, { signal }) => exports.look(request, signal),
    'share.export': (request, { signal }) => exports.make(request, signal),
    'import.upload': (request) => importing.uploads.take(request),
    'import.discard': ({ upload }) => {
      importing.uploads.discard(upload);
      return null;
    },
    'share.servers': ({ servers }) => (servers ? setShareServers(db, servers) : { servers: shareServers(db), refused: [] }),
    'share.words': ({ words }) => exports.words(words),
  };
  return {
    methods,
    async close() {
      await recovered;
      await plans.close();
      importing.close();
      await indexing?.close();
      db.close();
    },
  };
}

/** A library holds the histories of one home; those of another would be taken for the same stores. */
export class OtherHomeError extends Error {
  override name = 'OtherHomeError';
}

function keepToOneHome(db: Db, { file, home }: EngineSetup): void {
  const known = db.prepare("SELECT value FROM meta WHERE key = 'home'").get() as { value: string } | undefined;
  if (known === undefined) db.prepare("INSERT INTO meta(key, value) VALUES ('home', ?)").run(home);
  else if (known.value !== home) {
    db.close();
    throw new OtherHomeError(`${file} is the library of ${known.value}, not of ${home}. Name another file with --library, or leave it out.`);
  }
}

/** Folders the person added, as the indexer remembers them. */
function addedFolders(db: Db): string[] {
  const stored = db.prepare("SELECT value FROM meta WHERE key = 'added folders'").get() as { value: string } | undefined;
  return stored === undefined ? [] : (JSON.parse(stored.value) as string[]);
}

/** An act where the library is taken as it is: it is still the person's wish. */
async function keepWithoutIndexing({ file, stores }: EngineSetup, emit: Emit, act: KeepingAct) {
  const library = new Library(file);
  try {
    return await new Keeping(library, stores, {
      now: () => Date.now(),
      progress: (progress) => emit('library.compaction', { progress }),
      changed: (revision) => emit('library.changed', { revision, sessions: null }),
    }).do(act);
  } finally {
    library.close();
  }
}

function hasSessions(db: Db): boolean {
  return db.prepare('SELECT 1 FROM session LIMIT 1').get() !== undefined;
}

function namesOf(db: Db, rows: number[]): SessionId[] {
  const found = db
    .prepare(`SELECT st.key, s.native FROM session s JOIN store st ON st.id = s.store WHERE s.id IN (${rows.map(() => '?').join(', ')})`)
    .all(...rows) as { key: string; native: string }[];
  return found.map((row) => sessionId(storeId(row.key), nativeId(row.native)));
}

/** Lets calls wait until the first list can be given. */
class Gate {
  readonly passed: Promise<void>;
  #open: () => void = () => undefined;

  constructor(isOpen: boolean) {
    this.passed = new Promise((resolve) => (this.#open = resolve));
    if (isOpen) this.#open();
  }

  open(): void {
    this.#open();
  }
}
