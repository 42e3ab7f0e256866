import type { LoadedPart, MemoryFile, MemoryFolder, MemoryPiece, MemoryProject, MemoryText, ProjectMemory, SessionMemory } from '@shared/model';
import { storeId } from '@shared/model';
import type { Db } from '../../library/database';
import type { MemoryKeeper } from '../../stores/store';
import { findSession, isoTime } from '../session-summary';
import type { Timeline } from '../timeline';
import type { Work } from '../work/work';
import { type FoundCall, MemoryCalls } from './calls';
import { type KnownFile, MemoryFiles } from './files';
import { Instructions } from './instructions';
import { fileId, MemoryPlaces, overlayOf, type Owner, ownersOf, pathOf, type Place, type PlaceWords, type ProjectRow } from './places';
import { linesOf, whoWrote, type WritingCall, type WrittenPiece } from './replay';

/** Files of a folder that are listed, calls listed beside each, and calls done again to tell who wrote it: the newest. */
const filesListed = 200;
const callsListed = 50;
const callsReplayed = 400;
/** Characters of a line that are shown. */
const lineLimit = 2_000;

/** A file with what is known of it, before and after who wrote it is told. */
interface FileFacts {
  place: Place;
  words: PlaceWords;
  name: string;
  known: KnownFile | null;
  calls: FoundCall[];
  /** Calls that wrote the file that this one was copied from. */
  copied: FoundCall[];
}

/** Answers what is remembered beyond sessions, for whom, and who wrote it. */
export class Memory {
  readonly #files;
  readonly #calls;
  readonly #instructions;
  readonly #places;
  readonly #project;
  readonly #projectById;

  constructor(
    readonly db: Db,
    readonly timeline: Timeline,
    work: Work,
  ) {
    this.#files = new MemoryFiles(db, timeline.bodies.log);
    this.#calls = new MemoryCalls(db, timeline.rows, (agent) => timeline.storeOf(agent)?.memory);
    this.#places = new MemoryPlaces(db, timeline, this.#files, work);
    this.#instructions = new Instructions(db, timeline.rows);
    this.#project = db.prepare<[string], Omit<ProjectRow, 'sessions'>>('SELECT id, key, name, folder FROM project WHERE key = ?');
    this.#projectById = db.prepare<[number], Omit<ProjectRow, 'sessions'>>('SELECT id, key, name, folder FROM project WHERE id = ?');
  }

  /** Every project that has memory or recorded instructions; the newest change first. */
  list(): MemoryProject[] {
    const found = new Map<string, MemoryProject & { latest: number }>();
    const entry = ({ key, name, folder }: Owner) => {
      const known = found.get(key) ?? { key, name, folder, files: 0, gone: 0, bytes: 0, writes: 0, rewound: 0, sessionGone: 0, instructions: 0, changed: null, latest: 0 };
      found.set(key, known);
      return known;
    };
    const calls = this.#calls.all();
    for (const place of this.#places.all(calls)) {
      const files = this.#files.of(place.store.id, place.keeper, place.folder);
      const writes = calls.filter((call) => call.store === place.store.id && call.folder === place.folder && hasWritten(call));
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
    const places = this.#places.all(this.#calls.all()).filter((place) => ownersOf(place).some((owner) => owner.key === key));
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
    const place = first && this.#places.one(first.store, first.folder);
    const owners = place ? ownersOf(place) : [];
    return {
      // A session may have written into the memory of another project.
      project: owners.some(({ key }) => key === project) ? project : (owners[0]?.key ?? project),
      calls: calls.slice(0, callsListed), callsTotal: calls.length, ...this.#instructions.ofSession(row.id),
    };
  }

  #folder(place: Place, key: string): MemoryFolder {
    const calls = this.#calls.ofFolder(place.store.id, place.keeper, place.folder);
    const shell = calls.filter(({ view }) => view.act === 'shell').map(({ view }) => view).reverse();
    const files = this.#filesOf(place, calls);
    const { kind, copy } = this.#places.words(place);
    return {
      store: storeId(place.store.key), agent: place.store.agent, kind, copy, path: pathOf(place),
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
    const { store, keeper, folder } = place;
    const known = this.#files.of(store.id, keeper, folder);
    const from = overlayOf(place)?.copiedFrom(folder) ?? null;
    const copied = from === null ? [] : this.#calls.ofFolder(store.id, keeper, from).filter(hasWritten);
    const words = this.#places.words(place);
    const names = new Set([...known.map(({ name }) => name), ...calls.filter(hasWritten).flatMap(({ view }) => view.file ?? [])]);
    const rank = (name: string) => (keeper.isIndex(name) ? 0 : 1);
    const of = (name: string) => ({ view }: FoundCall) => view.file === name;
    return [...names]
      .sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1))
      .map((name) => ({ place, words, name, known: known.find((file) => file.name === name) ?? null, calls: calls.filter(of(name)), copied: copied.filter(of(name)) }));
  }

  #named(id: string): FileFacts | null {
    const named = this.#places.named(id);
    if (!named) return null;
    const { place } = named;
    return this.#filesOf(place, this.#calls.ofFolder(place.store.id, place.keeper, place.folder)).find(({ name }) => name === named.name) ?? null;
  }

  #file({ place, words, name, known, calls }: FileFacts, text: string | null, pieces: readonly MemoryPiece[]): MemoryFile {
    const listed = calls.map(({ view }) => view).reverse();
    return {
      id: fileId(place, name), name, role: words.role(name), plan: words.plan(name),
      state: known === null ? 'never read' : known.gone ? 'gone' : 'present', bytes: known?.bytes ?? 0, lines: text === null ? null : linesOf(text).length,
      changed: isoTime(known?.changed ?? null), versions: known?.versions ?? 0, loaded: text !== null && place.keeper.isIndex(name) ? loadedPart(place.keeper, text) : null,
      written: lineCount(pieces, ({ writer }) => writer !== null), marked: lineCount(pieces, ({ writer }) => (writer?.marks.length ?? 0) > 0),
      scaffold: lineCount(pieces, ({ scaffold }) => scaffold), unrecorded: lineCount(pieces, ({ writer, scaffold }) => writer === null && !scaffold),
      calls: listed.slice(0, callsListed), callsTotal: listed.length, damage: known ? this.#files.damage(known) : [],
    };
  }

  /** What was copied was written by those who wrote the original, before any call on the copy. */
  #pieces({ place, name, calls, copied }: FileFacts, text: string): MemoryPiece[] {
    const writes = [...copied, ...calls.filter(hasWritten)].slice(-callsReplayed);
    const scaffold = overlayOf(place)?.scaffoldOf(text) ?? '';
    return whoWrote(text, writes.map((call) => this.#again(place, name, call)), scaffold).map(({ from, to, writer, certainty }: WrittenPiece) => {
      const call = typeof writer === 'number' ? (writes[writer] ?? null) : null;
      return { from, to, certainty: call && copied.includes(call) ? 'inferred' : certainty, writer: call?.view ?? null, scaffold: writer === 'scaffold' };
    });
  }

  #again({ keeper }: Place, name: string, { row, view, folder }: FoundCall): WritingCall {
    const record = this.timeline.bodies.record(row);
    return { change: record && keeper.change(record, row.block, this.timeline.bodies.resultRecord(row), { folder, name }), done: view.outcome === 'done' };
  }
}

/** Unless its record says that it failed. */
const hasWritten = ({ view }: FoundCall): boolean => (view.act === 'write' || view.act === 'edit') && view.outcome !== 'failed';

function loadedPart(keeper: MemoryKeeper, text: string): LoadedPart {
  const { lines, limit } = keeper.loaded(text);
  return { lines, limit };
}

const lineCount = (pieces: readonly MemoryPiece[], counts: (piece: MemoryPiece) => boolean): number =>
  pieces.filter(counts).reduce((sum, { from, to }) => sum + to - from + 1, 0);
