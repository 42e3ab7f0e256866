import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type NativeId, nativeId } from '@shared/model';
import type { JsonObject, KnownSources, SessionHead, SourceChange, StoreLocation, Survey } from '../store';
import { cursorOf, stampOf, textHash } from './cursor';
import { asFilledText, asObject, asText } from '../foreign/fields';
import { oneLine } from './fields';
import { lookAt, type Sight } from './heads';
import { nameList, promptList, readNames, readPrompts } from './lists';
import { type Listing, type ListedFile, listRollouts, refusalAt } from './listing';
import { baseKey, indexKey, kindOf, promptsKey, rolloutName, threadKey } from './names';
import type { BaseSource } from './read-base';
import { copiedPieces, needsCopy } from './read-base';
import { jsonCursorOf } from './read-json';
import { fileStamp, readTables, type Tables, tablesStamp } from './tables';
import { basesOf, filesHalf, halfHash, type Rollout, tablesHalf, type ThreadBases, threadCursorOf, threadLine } from './threads';

/** What `read` gets of a change. */
export type Handle =
  | { kind: 'rollout' | 'json'; file: ListedFile }
  | { kind: 'base'; source: BaseSource }
  | { kind: 'lines'; bytes: Buffer; restarts: boolean; cursor: JsonObject };

/** Lists what is new by names and `stat`; only rollouts that nobody has read yet are looked into, at their beginning. */
export function survey(location: StoreLocation, known: KnownSources): Survey {
  const home = location.folder;
  if (!existsSync(home)) return { changes: [], heads: [], gone: [], damage: [], problem: `The folder ${home} is not there, or may not be looked at.` };
  const refusal = refusalAt(home);
  if (refusal !== null) return { changes: [], heads: [], gone: [], damage: [], problem: `The folder ${home} may not be looked into: ${refusal}.` };
  return new Look(home, known).survey();
}

class Look {
  readonly #alive: readonly string[];
  readonly #listing: Listing;
  readonly #changes: SourceChange[] = [];
  readonly #rollouts: Rollout[] = [];
  readonly #unread = new Map<string, { file: ListedFile; sight: Sight }[]>();
  readonly #threads = new Map<string, Rollout[]>();
  readonly #stamps: { tables: string; names: string; prompts: string };
  #read: { tables: Tables; names: Map<string, string> } | null = null;

  constructor(
    readonly home: string,
    readonly known: KnownSources,
  ) {
    this.#alive = [...known.keys()];
    this.#listing = listRollouts(home);
    this.#stamps = { tables: tablesStamp(home), names: fileStamp(join(home, nameList)), prompts: fileStamp(join(home, promptList)) };
  }

  /** Tables and lists are read once, and only when something asks for them. */
  get #lists(): { tables: Tables; names: Map<string, string> } {
    this.#read ??= { tables: readTables(this.home), names: readNames(this.home) };
    return this.#read;
  }

  get #tables(): Tables {
    return this.#lists.tables;
  }

  survey(): Survey {
    for (const file of this.#listing.files.values()) this.#file(file);
    const byRollout = new Map(this.#rollouts.map((rollout) => [rollout.origin.rollout, rollout]));
    const bases = new Map<string, ThreadBases>();
    for (const [thread, rollouts] of this.#threads) {
      rollouts.sort((a, b) => (a.file.key < b.file.key ? -1 : 1));
      const needed = basesOf(rollouts, byRollout);
      if (!needed) continue;
      bases.set(thread, needed);
      this.#base(thread, needed);
    }
    this.#threadLines(bases);
    const heads = this.#heads();
    this.#prompts();
    this.#index();
    return { changes: this.#changes, heads, gone: this.#gone(), damage: [...this.#listing.damage, ...(this.#read?.tables.damage ?? [])], problem: null };
  }

  #file(file: ListedFile): void {
    const source = this.known.get(file.key);
    const kind = kindOf(file.key) === 'json' ? 'json' : 'rollout';
    const cursor = kind === 'json' ? jsonCursorOf(source?.cursor) : cursorOf(source?.cursor);
    if (cursor?.stamp === stampOf(file.stat)) {
      if (cursor.origin) this.#found({ file, origin: cursor.origin });
      return;
    }
    const read = cursor && 'offset' in cursor ? cursor.offset : 0;
    this.#change(file.key, file.stat.mtimeMs, Math.max(0, file.stat.size - read), { kind, file });
    // A file that was read and grew still begins as it did; of one of which nothing was read only the name spoke so far.
    const known = read > 0 ? cursor?.origin : null;
    const sight = known ? null : lookAt(file, this.#isTabled(file.key));
    const origin = known ?? sight?.origin ?? cursor?.origin;
    if (!origin) return;
    this.#found({ file, origin });
    if (sight && !source) this.#unread.set(origin.thread, [...(this.#unread.get(origin.thread) ?? []), { file, sight }]);
  }

  /** A row spares looking further into a file than its first line. */
  #isTabled(key: string): boolean {
    const thread = rolloutName(key)?.thread;
    const columns = thread === undefined ? undefined : this.#tables.rows.get(thread)?.[0]?.columns;
    return columns !== undefined && titleIn(columns) !== null;
  }

  #found(rollout: Rollout): void {
    this.#rollouts.push(rollout);
    const { thread } = rollout.origin;
    const others = this.#threads.get(thread);
    if (others) others.push(rollout);
    else this.#threads.set(thread, [rollout]);
  }

  #base(thread: string, bases: ThreadBases): void {
    const key = baseKey(bases.key);
    const source = { key, thread, pieces: bases.pieces };
    if (!needsCopy(source, copiedPieces(this.known.get(key)?.cursor))) return;
    const bytes = bases.pieces.reduce((sum, piece) => sum + piece.bytes, 0);
    const fork = this.#listing.files.get(bases.key);
    this.#change(key, fork?.stat.mtimeMs ?? 0, bytes, { kind: 'base', source });
  }

  /** A line for each thread whose files moved, or of which tables and lists say something else than before. */
  #threadLines(bases: Map<string, ThreadBases>): void {
    const gone = this.#alive.filter((key) => kindOf(key) === 'thread').map((key) => key.slice('threads/'.length)).filter((thread) => !this.#threads.has(thread));
    const files = new Map([...this.#threads].map(([thread, rollouts]) => [thread, filesHalf(rollouts, bases.get(thread) ?? null)]));
    for (const thread of gone) files.set(thread, filesHalf([], null));
    const isMoved = (thread: string, half: JsonObject) => threadCursorOf(this.known, thread)?.files !== halfHash(half);
    const seen = asObject(this.known.get(indexKey)?.cursor);
    const listsChanged = seen?.['tables'] !== this.#stamps.tables || seen['names'] !== this.#stamps.names;
    if (!listsChanged && ![...files].some(([thread, half]) => isMoved(thread, half))) return;
    const { tables, names } = this.#lists;
    for (const thread of tables.rows.keys()) if (!files.has(thread)) files.set(thread, filesHalf([], null));
    for (const [thread, half] of files) this.#threadLine(thread, half, tables, names);
  }

  #threadLine(thread: string, files: JsonObject, tables: Tables, names: Map<string, string>): void {
    const known = threadCursorOf(this.known, thread);
    // A table that cannot be read now must not make us forget what it said.
    if (known && tables.refused) return;
    const hasRow = tables.rows.has(thread);
    if (!hasRow && !this.#threads.has(thread)) return;
    const said = tablesHalf(thread, tables, names);
    const cursor = { files: halfHash(files), tables: halfHash(said), row: hasRow };
    if (known && known.files === cursor.files && known.tables === cursor.tables) return;
    const bytes = threadLine(thread, files, said);
    const newest = Math.max(0, ...(this.#threads.get(thread) ?? []).map(({ file }) => file.stat.mtimeMs));
    this.#change(threadKey(thread), newest, bytes.length, { kind: 'lines', bytes, restarts: false, cursor });
  }

  /** Threads of which only typed prompts are left: neither a file nor a row. */
  #prompts(): void {
    const seen = asObject(this.known.get(indexKey)?.cursor);
    if (seen?.['prompts'] === this.#stamps.prompts && !this.#read) return;
    for (const [thread, lines] of readPrompts(this.home, (id) => this.#isLost(id))) {
      const key = promptsKey(thread);
      const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
      const cursor = { hash: textHash(bytes.toString('utf8')) };
      const known = this.known.get(key);
      if (known && asText(asObject(known.cursor)?.['hash']) === cursor.hash) continue;
      this.#change(key, 0, bytes.length, { kind: 'lines', bytes, restarts: known !== undefined, cursor });
    }
  }

  #isLost(thread: string): boolean {
    if (this.#threads.has(thread) || this.#listing.closed) return false;
    return this.#hasNoRow(thread);
  }

  /** True when no table has the thread; what was seen last stands while the tables are not read, or cannot be. */
  #hasNoRow(thread: string): boolean {
    if (!this.#read) return threadCursorOf(this.known, thread)?.row !== true;
    return !this.#read.tables.refused && !this.#read.tables.rows.has(thread);
  }

  /** Remembers which tables and lists were seen, after everything that followed from them: it is read last. */
  #index(): void {
    const seen = asObject(this.known.get(indexKey)?.cursor);
    const { tables, names, prompts } = this.#stamps;
    if (this.#read?.tables.refused || (seen?.['tables'] === tables && seen['names'] === names && seen['prompts'] === prompts)) return;
    this.#change(indexKey, -1, 0, { kind: 'lines', bytes: Buffer.alloc(0), restarts: false, cursor: { tables, names, prompts } });
  }

  #change(key: string, changed: number, bytes: number, handle: Handle): void {
    this.#changes.push({ key, changed, bytes, handle });
  }

  #gone(): string[] {
    return this.#alive.filter((key) => {
      switch (kindOf(key)) {
        case 'rollout':
        case 'json':
          return !this.#listing.closed && !this.#listing.files.has(key);
        case 'base':
          return !this.#listing.closed && !this.#listing.files.has(key.slice(0, -'#base'.length));
        case 'thread': {
          const thread = key.slice('threads/'.length);
          return !this.#threads.has(thread) && !this.#listing.closed && this.#hasNoRow(thread);
        }
        case 'prompts':
          return !this.#isLost(key.slice('prompts/'.length));
        case 'index':
          return false;
      }
    });
  }

  /** Threads of which nothing was read yet. */
  #heads(): SessionHead[] {
    const heads: SessionHead[] = [];
    for (const [thread, unread] of this.#unread) {
      if (unread.length < (this.#threads.get(thread)?.length ?? 0)) continue;
      unread.sort((a, b) => (a.file.key < b.file.key ? -1 : 1));
      heads.push(headOf(nativeId(thread), unread, this.#tables.rows.get(thread)?.[0]?.columns ?? {}, this.#lists.names.get(thread) || null));
    }
    return heads;
  }
}

/** What a table gives as a title: a name, or the first message. */
const titleIn = (columns: JsonObject): string | null => ['name', 'preview', 'first_user_message', 'title'].map((column) => asFilledText(columns[column])).find((text) => text !== null) ?? null;

function headOf(native: NativeId, unread: { file: ListedFile; sight: Sight }[], columns: JsonObject, listed: string | null): SessionHead {
  const sights = unread.map(({ sight }) => sight);
  const first = <T>(of: (sight: Sight) => T | null): T | null => sights.map(of).find((value) => value !== null) ?? null;
  const updated = Math.round(Math.max(...unread.map(({ file }) => file.stat.mtimeMs)));
  const parent = first((sight) => sight.parent);
  const title = asFilledText(columns['name']) ?? listed ?? first((sight) => sight.prompt) ?? titleIn(columns);
  return {
    native, kind: sights[0]?.kind ?? 'session', parent: parent === null ? null : nativeId(parent), title: title === null ? null : oneLine(title),
    directory: first((sight) => sight.directory), gitBranch: first((sight) => sight.branch), model: first((sight) => sight.model) ?? asFilledText(columns['model']),
    created: first((sight) => sight.created), updated, archived: unread.every(({ file }) => file.archived) ? updated : null,
  };
}
