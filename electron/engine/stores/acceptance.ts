import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import type { IndexOutcome } from '@shared/contract';
import type { SessionId } from '@shared/model';
import { describe, expect, test } from 'vitest';
import { Library } from '../library/library';
import { Pass } from '../library/pass';
import { sessionDetail } from '../queries/detail';
import { listSessions } from '../queries/session-filter';
import { Timeline } from '../queries/timeline';
import type { Fixture } from '../../../e2e/fixtures';
import type { RawBatch, SessionStore } from './store';

/** A home to read, and what may be done to it: each change is made to a copy that was already indexed once. */
export interface AcceptanceCase {
  name: string;
  open(): Fixture;
}

/** A change to a home after which a pass must find what a new library would find. */
export interface HomeChange {
  name: string;
  /** Fixture family and name this change can be made to. */
  on: string;
  apply(home: string): void;
}

/** The tests every store passes, on every fixture. */
export function acceptStore(store: SessionStore, cases: AcceptanceCase[], changes: HomeChange[]): void {
  describe.each(cases)(`${store.agent}: $name`, ({ name, open }) => {
    test('1: reading leaves no trace', () =>
      within(open, async (home) => {
        const before = filesOf(home);
        const shelf = new Shelf(home, store);
        await shelf.pass();
        shelf.content();
        await shelf.pass();
        shelf.dispose();
        expect(filesOf(home)).toEqual(before);
      }));

    test('a second pass over the same files does no work', () =>
      within(open, async (home) => {
        const shelf = new Shelf(home, store);
        await shelf.pass();
        const first = shelf.content();
        const { bytesRead, recordsProjected, partsWritten, sessionsSettled } = await shelf.pass();
        expect({ bytesRead, recordsProjected, partsWritten, sessionsSettled }).toEqual({ bytesRead: 0, recordsProjected: 0, partsWritten: 0, sessionsSettled: 0 });
        expect(shelf.content()).toEqual(first);
        shelf.dispose();
      }));

    test('many small batches give what one gives', () =>
      within(open, async (home) => {
        expect(await contentOf(home, inSmallBatches(store))).toEqual(await contentOf(home, store));
      }));

    test('a newer reader projects the log again without the store, to the same result', () =>
      within(open, async (home) => {
        const shelf = new Shelf(home, store);
        await shelf.pass();
        const first = shelf.content();
        const { bytesRead, recordsProjected } = await shelf.pass({ ...withMethods(store), reader: store.reader + 1 });
        expect(bytesRead).toBe(0);
        expect(recordsProjected).toBeGreaterThanOrEqual(first.length > 0 ? 1 : 0);
        expect(shelf.content()).toEqual(first);
        shelf.dispose();
      }));

    test('a newer reader also projects what the store does not have any more, and it stays gone', () =>
      within(open, async (home) => {
        const shelf = new Shelf(home, store);
        await shelf.pass();
        // The folders stay: a store whose folder is missing may be on a disk that is not mounted.
        for (const path of Object.keys(filesOf(home))) rmSync(join(home, path));
        await shelf.pass();
        const gone = shelf.content();
        expect(gone.some((session) => session.source === 'gone')).toBe(gone.length > 0);
        const { bytesRead, recordsProjected } = await shelf.pass({ ...withMethods(store), reader: store.reader + 1 });
        expect(bytesRead).toBe(0);
        expect(recordsProjected).toBeGreaterThanOrEqual(gone.length > 0 ? 1 : 0);
        expect(shelf.content()).toEqual(gone);
        shelf.dispose();
      }));

    test('files that went away and came back give what was there before, and are said to be there', () =>
      within(open, async (home) => {
        const shelf = new Shelf(home, store);
        await shelf.pass();
        const before = shelf.content();
        const away = `${home}.away`;
        moveFiles(home, away);
        await shelf.pass();
        expect(shelf.content().filter((session) => session.source === 'gone').length > 0).toBe(before.length > 0);
        moveFiles(away, home);
        await shelf.pass();
        expect(shelf.content()).toEqual(before);
        // What came back is known again: the next pass has nothing to do.
        const { bytesRead, recordsProjected } = await shelf.pass();
        expect({ bytesRead, recordsProjected }).toEqual({ bytesRead: 0, recordsProjected: 0 });
        shelf.dispose();
        rmSync(away, { recursive: true, force: true });
      }));

    for (const change of changes.filter(({ on }) => on === name)) {
      test(`after ${change.name} a pass finds what a new library finds`, () =>
        within(open, async (home) => {
          const shelf = new Shelf(home, store);
          await shelf.pass();
          change.apply(home);
          await shelf.pass();
          const known = shelf.content().filter((session) => session.source === 'present');
          shelf.dispose();
          expect(known).toEqual(await contentOf(home, store));
        }));
    }
  });
}

/** Moves every file of a folder to the same place in another; the folders stay. */
function moveFiles(from: string, to: string): void {
  for (const path of Object.keys(filesOf(from))) {
    mkdirSync(dirname(join(to, path)), { recursive: true });
    renameSync(join(from, path), join(to, path));
  }
}

async function within(open: () => Fixture, action: (home: string) => Promise<void>): Promise<void> {
  const fixture = open();
  try {
    await action(fixture.home);
  } finally {
    fixture.dispose();
  }
}

async function contentOf(home: string, store: SessionStore) {
  const shelf = new Shelf(home, store);
  await shelf.pass();
  const content = shelf.content();
  shelf.dispose();
  return content;
}

/** A library in a temporary folder that reads one home with one store. */
export class Shelf {
  readonly library: Library;
  readonly #folder = mkdtempSync(join(tmpdir(), 'retrace-library-'));

  constructor(
    readonly home: string,
    readonly store: SessionStore,
  ) {
    this.library = new Library(join(this.#folder, 'library.db'));
  }

  async pass(store: SessionStore = this.store, stopped = () => false): Promise<IndexOutcome> {
    const errors: string[] = [];
    const environment = { home: this.home, platform: process.platform, variables: {}, added: [] };
    const pass = new Pass(this.library, [store], environment, {
      progress: ({ error }) => error !== null && errors.push(error),
      changed: () => undefined,
      stopped,
      // One moment for all passes, so that what depends on age is the same.
      now: () => Date.UTC(2027, 0, 1),
    });
    const outcome = await pass.run();
    expect(errors).toEqual([]);
    return outcome;
  }

  /** Everything a person could see, session by session, in an order that does not depend on the order of reading. */
  content() {
    const timeline = new Timeline(this.library.db, () => this.store);
    const { sessions } = listSessions(this.library.db, { archived: 'include' }, 'created', 0, 5_000);
    return sessions
      .map((summary) => ({ ...this.session(summary.id, timeline), source: summary.source }))
      .sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  session(id: SessionId, timeline = new Timeline(this.library.db, () => this.store)) {
    const opened = sessionDetail(this.library.db, id, 'messages');
    if (!opened) throw new Error(`${id} is listed but cannot be opened`);
    const { storeFolder: _, ...detail } = opened;
    const outline = timeline.outline(id, 0);
    const parts = [];
    for (let from = 0; from < (outline?.total ?? 0); from += 200) parts.push(...(timeline.parts(id, 0, from, 200, true)?.parts ?? []));
    return { id, detail, outline, parts };
  }

  dispose(): void {
    this.library.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** The same store, its batches cut at each record border. */
function inSmallBatches(store: SessionStore): SessionStore {
  return {
    ...withMethods(store),
    *read(...args): Iterable<RawBatch> {
      for (const batch of store.read(...args)) yield* cutAtRecords(batch);
    },
  };
}

function* cutAtRecords(batch: RawBatch): Iterable<RawBatch> {
  const { bytes } = batch;
  let start = 0;
  for (let end = bytes.indexOf(10) + 1; end > 0 && end < bytes.length; end = bytes.indexOf(10, end) + 1) {
    // Sparse cuts: every record on its own would make thousands of transactions.
    if (end - start < 2_000) continue;
    yield { ...batch, restarts: batch.restarts && start === 0, at: batch.at + start, bytes: bytes.subarray(start, end), damage: [] };
    start = end;
  }
  yield { ...batch, restarts: batch.restarts && start === 0, at: batch.at + start, bytes: bytes.subarray(start) };
}

function withMethods(store: SessionStore): SessionStore {
  return {
    agent: store.agent,
    reader: store.reader,
    locate: store.locate.bind(store),
    survey: store.survey.bind(store),
    read: store.read.bind(store),
    project: store.project.bind(store),
    settle: store.settle.bind(store),
    summarise: store.summarise.bind(store),
    lineage: store.lineage.bind(store),
    body: store.body.bind(store),
    watch: store.watch.bind(store),
    resumeCommand: store.resumeCommand.bind(store),
  };
}

/** Every file below a folder with a hash of its bytes: what must not change. */
export function filesOf(folder: string): Record<string, string> {
  const found: Record<string, string> = {};
  const walk = (at: string) => {
    for (const entry of readdirSync(at, { withFileTypes: true })) {
      const path = join(at, entry.name);
      if (entry.isDirectory()) walk(path);
      else if (entry.isSymbolicLink()) found[relative(folder, path)] = `-> ${readlinkSync(path)}`;
      else found[relative(folder, path)] = `${lstatSync(path).mtimeMs} ${createHash('sha256').update(readFileSync(path)).digest('hex')}`;
    }
  };
  walk(folder);
  return found;
}
