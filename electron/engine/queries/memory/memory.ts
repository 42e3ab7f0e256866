import type { LoadedPart, MemoryCall, MemoryFile, MemoryFolder, MemoryPiece, MemoryProject, MemoryText, ProjectMemory, SessionMemory } from '@shared/model';
import { storeId } from '@shared/model';
import type { Db } from '../../library/database';
import type { MemoryKeeper } from '../../stores/store';
import { type StoreRow, storeRows } from '../detail';
import { findSession, isoTime } from '../session-summary';
import type { Timeline } from '../timeline';
import { type FoundCall, MemoryCalls } from './calls';
import { afterAll, type KnownFile, MemoryFiles } from './files';
import { Instructions } from './instructions';
import { linesOf, whoWrote, type WritingCall, type WrittenPiece } from './replay';

/** Files of a folder that are listed, calls listed beside each, and calls done again to tell who wrote it: the newest. */
const filesListed = 200;
const callsListed = 50;
const callsReplayed = 400;
/** Characters of a line that are shown. */
const lineLimit = 2_000;

interface ProjectRow {
  id: number;
  key: string;
  name: string;
  folder: string | null;
  sessions: number;
}

/** A folder of memory: of one store, and shared by the projects whose sessions lie beside it. */
interface Place {
  store: StoreRow;
  keeper: MemoryKeeper;
  folder: string;
  projects: ProjectRow[];
}

/** A file with what is known of it, before and after who wrote it is told. */
interface FileFacts {
  place: Place;
  name: string;
  known: KnownFile | null;
  calls: FoundCall[];
}

/** Key of a folder of memory that no session lies beside. */
const orphanKey = (store: string, folder: string): string => `memory:${store}/${folder}`;

/** Answers what is remembered beyond sessions, for whom, and who wrote it. */
export class Memory {
  readonly #files;
  readonly #calls;
  readonly #instructions;
  readonly #projectsOf;
  readonly #project;
  readonly #projectById;

  constructor(
    readonly db: Db,
    readonly timeline: Timeline,
  ) {
    this.#files = new MemoryFiles(db, timeline.bodies.log);
    this.#calls = new MemoryCalls(db, timeline.rows);
    this.#instructions = new Instructions(db, timeline.rows);
    this.#projectsOf = db.prepare<[number, string, string], ProjectRow>(
      `SELECT p.id, p.key, p.name, p.folder, count(DISTINCT s.id) AS sessions FROM source x JOIN source_session l ON l.source = x.id JOIN session s ON s.id = l.session JOIN project p ON p.id = s.project
       WHERE x.store = ? AND x.key >= ? AND x.key < ? AND s.ignored = 0 GROUP BY p.id ORDER BY 5 DESC, p.key`,
    );
    this.#project = db.prepare<[string], Omit<ProjectRow, 'sessions'>>('SELECT id, key, name, folder FROM project WHERE key = ?');
    this.#projectById = db.prepare<[number], Omit<ProjectRow, 'sessions'>>('SELECT id, key, name, folder FROM project WHERE id = ?');
  }

  /** Every project that has memory or recorded instructions; the newest change first. */
  list(): MemoryProject[] {
    const found = new Map<string, MemoryProject & { latest: number }>();
    const entry = ({ key, name, folder }: Pick<ProjectRow, 'key' | 'name' | 'folder'>) => {
      const known = found.get(key) ?? { key, name, folder, files: 0, gone: 0, bytes: 0, writes: 0, rewound: 0, sessionGone: 0, instructions: 0, changed: null, latest: 0 };
      found.set(key, known);
      return known;
    };
    const calls = this.#calls.all();
    for (const place of this.#places(calls)) {
      const files = this.#files.of(place.store.id, place.keeper, place.folder);
      const writes = calls.filter((call) => call.store === place.store.id && call.folder === place.folder && isWrite(call) && call.view.outcome !== 'failed');
      for (const project of ownersOf(place)) {
        const row = entry(project);
        row.files += files.filter(({ gone }) => !gone).length;
        row.gone += files.filter(({ gone }) => gone).length;
        row.bytes += files.reduce((sum, file) => sum + (file.gone ? 0 : file.bytes), 0);
        row.writes += writes.length;
        row.rewound += writes.filter(({ view }) => view.marks.includes('rewound')).length;
        row.sessionGone += writes.filter(({ view }) => view.marks.includes('session gone')).length;
        row.latest = Math.max(row.latest, ...files.map(({ changed }) => changed ?? 0));
      }
    }
    for (const [project, count] of this.#instructions.counts()) {
      const row = this.#projectById.get(project);
      if (row) entry(row).instructions = count;
    }
    return [...found.values()]
      .sort((a, b) => b.latest - a.latest || (a.key < b.key ? -1 : 1))
      .map(({ latest, ...project }) => ({ ...project, changed: latest > 0 ? isoTime(latest) : null }));
  }

  /** Null when nothing is known of the project. */
  of(key: string): ProjectMemory | null {
    const places = this.#places(this.#calls.all()).filter((place) => ownersOf(place).some((owner) => owner.key === key));
    const project = this.#project.get(key);
    const [orphan] = places;
    if (!project && !orphan) return null;
    const { instructions, instructionsTotal } = project ? this.#instructions.ofProject(project.id) : { instructions: [], instructionsTotal: 0 };
    return {
      key, name: project?.name ?? orphan?.folder ?? key, folder: project?.folder ?? null,
      folders: places.map((place) => this.#folder(place, key)), instructions, instructionsTotal,
    };
  }

  /** A window of a file's text; null when there is no such file, or no text of it was read. */
  file(id: string, from: number, count: number): MemoryText | null {
    const facts = this.#named(id);
    const text = facts?.known ? this.#files.text(facts.known) : null;
    if (!facts || text === null) return null;
    const pieces = this.#pieces(facts, text);
    const lines = linesOf(text);
    const end = Math.min(lines.length, from - 1 + count);
    return {
      file: this.#file(facts, text, pieces), from, total: lines.length,
      lines: lines.slice(from - 1, end).map((line) => (line.length > lineLimit ? `${line.slice(0, lineLimit)}…` : line).toWellFormed()),
      pieces: pieces.filter((piece) => piece.to >= from && piece.from <= end),
    };
  }

  session(id: string): SessionMemory | null {
    const row = findSession(this.db, id);
    if (!row) return null;
    const { project } = this.db.prepare('SELECT p.key AS project FROM session s LEFT JOIN project p ON p.id = s.project WHERE s.id = ?').get(row.id) as { project: string | null };
    const calls = this.#calls.ofSession(row.id).map(({ view }) => view).reverse();
    const [first] = this.#calls.ofSession(row.id);
    const place = first && this.#place(first.store, first.folder);
    const owners = place ? ownersOf(place) : [];
    return {
      // A session may have written into the memory of another project.
      project: owners.some(({ key }) => key === project) ? project : (owners[0]?.key ?? project),
      calls: calls.slice(0, callsListed), callsTotal: calls.length, ...this.#instructions.ofSession(row.id),
    };
  }

  /** Folders that have a file in the log, or that a call touched. */
  #places(calls: readonly FoundCall[]): Place[] {
    const folders = new Map<string, { store: number; folder: string }>();
    for (const { id, agent } of storeRows(this.db)) {
      const keeper = this.timeline.storeOf(agent)?.memory;
      if (keeper) for (const { store, folder } of this.#files.of(id, keeper)) folders.set(`${store} ${folder}`, { store, folder });
    }
    for (const { store, folder } of calls) folders.set(`${store} ${folder}`, { store, folder });
    return [...folders.values()].flatMap(({ store, folder }) => this.#place(store, folder) ?? []);
  }

  #place(storeRow: number, folder: string): Place | null {
    const store = storeRows(this.db).find(({ id }) => id === storeRow);
    const keeper = store && this.timeline.storeOf(store.agent)?.memory;
    if (!store || !keeper) return null;
    const prefix = keeper.prefixOf(folder);
    return { store, keeper, folder, projects: this.#projectsOf.all(store.id, prefix, afterAll(prefix)) };
  }

  #folder(place: Place, key: string): MemoryFolder {
    const calls = this.#calls.ofFolder(place.store.id, place.folder);
    const shell = calls.filter(({ view }) => view.act === 'shell').map(({ view }) => view).reverse();
    const files = this.#filesOf(place, calls);
    const { store, keeper, folder } = place;
    return {
      store: storeId(store.key), agent: store.agent, path: joined(store.folder, keeper.pathOf(folder)),
      sharedWith: ownersOf(place).filter((owner) => owner.key !== key).map((owner) => ({ key: owner.key, name: owner.name })),
      files: files.slice(0, filesListed).map((facts) => {
        const text = facts.known ? this.#files.text(facts.known) : null;
        return this.#file(facts, text, text === null ? [] : this.#pieces(facts, text));
      }),
      filesTotal: files.length, shell: shell.slice(0, callsListed), shellTotal: shell.length,
    };
  }

  /** The index first, then by name. */
  #filesOf(place: Place, calls: readonly FoundCall[]): FileFacts[] {
    const known = this.#files.of(place.store.id, place.keeper, place.folder);
    const names = new Set([...known.map(({ name }) => name), ...calls.filter((call) => isWrite(call) && call.view.outcome !== 'failed').flatMap(({ view }) => view.file ?? [])]);
    const rank = (name: string) => (place.keeper.isIndex(name) ? 0 : 1);
    return [...names]
      .sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1))
      .map((name) => ({ place, name, known: known.find((file) => file.name === name) ?? null, calls: calls.filter(({ view }) => view.file === name) }));
  }

  #named(id: string): FileFacts | null {
    for (const store of storeRows(this.db)) {
      const keeper = this.timeline.storeOf(store.agent)?.memory;
      const key = keeper && id.startsWith(`${store.key}/`) ? id.slice(store.key.length + 1) : null;
      const file = key === null ? null : (keeper?.fileOf(key) ?? null);
      const place = file && this.#place(store.id, file.folder);
      if (place && file) return this.#filesOf(place, this.#calls.ofFolder(store.id, file.folder)).find(({ name }) => name === file.name) ?? null;
    }
    return null;
  }

  #file({ place, name, known, calls }: FileFacts, text: string | null, pieces: readonly MemoryPiece[]): MemoryFile {
    const listed = calls.map(({ view }) => view).reverse();
    return {
      id: `${place.store.key}/${place.keeper.pathOf(place.folder)}/${name}`, name, role: place.keeper.isIndex(name) ? 'index' : 'topic',
      state: known === null ? 'never read' : known.gone ? 'gone' : 'present', bytes: known?.bytes ?? 0, lines: text === null ? null : linesOf(text).length,
      changed: isoTime(known?.changed ?? null), versions: known?.versions ?? 0, loaded: text !== null && place.keeper.isIndex(name) ? loadedPart(place.keeper, text) : null,
      written: lineCount(pieces, ({ writer }) => writer !== null), marked: lineCount(pieces, ({ writer }) => (writer?.marks.length ?? 0) > 0),
      unrecorded: lineCount(pieces, ({ writer }) => writer === null),
      calls: listed.slice(0, callsListed), callsTotal: listed.length, damage: known ? this.#files.damage(known) : [],
    };
  }

  #pieces({ place, calls }: FileFacts, text: string): MemoryPiece[] {
    const writes = calls.filter((call) => isWrite(call) && call.view.outcome !== 'failed').slice(-callsReplayed);
    return whoWrote(text, writes.map((call) => this.#again(place, call))).map(({ from, to, writer, certainty }: WrittenPiece) => ({
      from, to, certainty, writer: writer === null ? null : (writes[writer]?.view ?? null),
    }));
  }

  #again({ keeper }: Place, { row, view }: FoundCall): WritingCall {
    const record = this.timeline.bodies.record(row);
    return { change: record && keeper.change(record, row.block, this.timeline.bodies.resultRecord(row)), done: view.outcome === 'done' };
  }
}

const isWrite = ({ view }: { view: MemoryCall }): boolean => view.act === 'write' || view.act === 'edit';

/** The projects a folder belongs to; where no session lies beside it, the folder itself. */
const ownersOf = ({ store, folder, projects }: Place): Pick<ProjectRow, 'key' | 'name' | 'folder'>[] =>
  projects.length > 0 ? projects : [{ key: orphanKey(store.key, folder), name: folder, folder: null }];

function loadedPart(keeper: MemoryKeeper, text: string): LoadedPart {
  const { lines, limit } = keeper.loaded(text);
  return { lines, limit };
}

const lineCount = (pieces: readonly MemoryPiece[], counts: (piece: MemoryPiece) => boolean): number =>
  pieces.filter(counts).reduce((sum, { from, to }) => sum + to - from + 1, 0);

/** A path below a folder of this machine or of a Windows one. */
const joined = (folder: string, key: string): string => (folder.includes('\\') && !folder.includes('/') ? `${folder}\\${key.replaceAll('/', '\\')}` : `${folder}/${key}`);
