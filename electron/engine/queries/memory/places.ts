import type { MemoryFile, MemoryFolder } from '@shared/model';
import type { Db } from '../../library/database';
import type { MemoryInOverlay, MemoryKeeper } from '../../stores/store';
import { type StoreRow, storeRows } from '../detail';
import type { Timeline } from '../timeline';
import type { Work } from '../work/work';
import type { FoundCall } from './calls';
import { afterAll, type MemoryFiles } from './files';

export interface ProjectRow {
  id: number;
  key: string;
  name: string;
  folder: string | null;
  sessions: number;
}

export type Owner = Pick<ProjectRow, 'key' | 'name' | 'folder'>;

/** A folder of memory: of one store, and shared by the projects whose sessions lie beside it, or ran where it lies. */
export interface Place {
  store: StoreRow;
  keeper: MemoryKeeper;
  folder: string;
  projects: ProjectRow[];
}

/** What a folder and its files are, in words of the answer. */
export interface PlaceWords {
  kind: MemoryFolder['kind'];
  copy: MemoryFolder['copy'];
  role(name: string): MemoryFile['role'];
  plan(name: string): MemoryFile['plan'];
}

/** Finds the folders of memory and whose they are. */
export class MemoryPlaces {
  readonly #beside;
  readonly #ranIn;

  constructor(
    readonly db: Db,
    readonly timeline: Timeline,
    readonly files: MemoryFiles,
    readonly work: Work,
  ) {
    const owners = 'SELECT p.id, p.key, p.name, p.folder, count(DISTINCT s.id) AS sessions FROM';
    this.#beside = db.prepare<[number, string, string], ProjectRow>(
      `${owners} source x JOIN source_session l ON l.source = x.id JOIN session s ON s.id = l.session JOIN project p ON p.id = s.project
       WHERE x.store = ? AND x.key >= ? AND x.key < ? AND s.ignored = 0 GROUP BY p.id ORDER BY 5 DESC, p.key`,
    );
    this.#ranIn = db.prepare<[number, string], ProjectRow>(
      `${owners} session s JOIN project p ON p.id = s.project
       WHERE s.store = ? AND rtrim(replace(s.directory, '\\', '/'), '/') = ? AND s.ignored = 0 GROUP BY p.id ORDER BY 5 DESC, p.key`,
    );
  }

  /** Folders that have a file in the library, or that a call touched. */
  all(calls: readonly FoundCall[]): Place[] {
    const folders = new Map<string, { store: number; folder: string }>();
    for (const { id, agent } of storeRows(this.db)) {
      const keeper = this.timeline.storeOf(agent)?.memory;
      if (keeper) for (const { store, folder } of this.files.of(id, keeper)) folders.set(`${store} ${folder}`, { store, folder });
    }
    for (const { store, folder } of calls) folders.set(`${store} ${folder}`, { store, folder });
    // Many folders of notes are of one folder of sessions.
    const owners = new Map<string, ProjectRow[]>();
    return [...folders.values()].flatMap(({ store, folder }) => this.one(store, folder, owners) ?? []);
  }

  one(storeRow: number, folder: string, owners = new Map<string, ProjectRow[]>()): Place | null {
    const store = storeRows(this.db).find(({ id }) => id === storeRow);
    const keeper = store && this.timeline.storeOf(store.agent)?.memory;
    if (!store || !keeper) return null;
    return { store, keeper, folder, projects: this.#projectsOf(store.id, keeper, folder, owners) };
  }

  /** The place and the name of a file in it, by the id that answers give. */
  named(id: string): { place: Place; name: string } | null {
    for (const store of storeRows(this.db)) {
      const kept = this.timeline.storeOf(store.agent)?.memory?.kept;
      const file = kept && id.startsWith(`${store.key}/`) ? kept.fileOf(id.slice(store.key.length + 1)) : null;
      const place = file && this.one(store.id, file.folder);
      if (place) return { place, name: file.name };
    }
    return null;
  }

  words({ keeper, folder }: Place): PlaceWords {
    const about = keeper.kept.in === 'overlay' ? keeper.kept.about(folder) : null;
    if (keeper.kept.in === 'store' || !about) return { kind: 'auto memory', copy: null, role: (name) => (keeper.isIndex(name) ? 'index' : 'topic'), plan: () => null };
    const { copy, items } = this.work.notesIn(keeper.kept.ownerOf(folder), about.layout);
    return {
      kind: about.kind, copy, role: () => (about.kind === 'drafts' ? 'draft' : 'notepad'),
      plan(file) {
        const name = about.planOf(file);
        return name === null ? null : { name, item: items.get(name) ?? null };
      },
    };
  }

  #projectsOf(store: number, { kept }: MemoryKeeper, folder: string, known: Map<string, ProjectRow[]>): ProjectRow[] {
    if (kept.in === 'overlay') {
      const owner = kept.ownerOf(folder);
      const projects = known.get(`${store} ${owner}`) ?? this.#ranIn.all(store, owner);
      known.set(`${store} ${owner}`, projects);
      return projects;
    }
    const prefix = kept.prefixOf(folder);
    return this.#beside.all(store, prefix, afterAll(prefix));
  }
}

/** The projects a folder belongs to; where no session lies beside it, the folder itself. */
export const ownersOf = ({ store, folder, projects }: Place): Owner[] => (projects.length > 0 ? projects : [{ key: `memory:${store.key}/${folder}`, name: folder, folder: null }]);

/** Where a folder lies; that of an overlay is named by its path. */
export const pathOf = ({ store, keeper: { kept }, folder }: Place): string => (kept.in === 'overlay' ? folder : joined(store.folder, kept.pathOf(folder)));

/** Names a file in `memory.file`. */
export const fileId = ({ store, keeper: { kept }, folder }: Place, name: string): string => `${store.key}/${kept.in === 'overlay' ? folder : kept.pathOf(folder)}/${name}`;

/** The overlay that a place lies in; null for files of the store itself. */
export const overlayOf = ({ keeper: { kept } }: Place): MemoryInOverlay | null => (kept.in === 'overlay' ? kept : null);

/** A path below a folder of this machine or of a Windows one. */
const joined = (folder: string, key: string): string => (folder.includes('\\') && !folder.includes('/') ? `${folder}\\${key.replaceAll('/', '\\')}` : `${folder}/${key}`);
