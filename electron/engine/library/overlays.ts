import { lstatSync, realpathSync } from 'node:fs';
import { join, posix, resolve, win32 } from 'node:path';
import { setImmediate as nextTick } from 'node:timers/promises';
import { isNetworkSpelling, isWindowsSpelling } from '../stores/foreign/spelling';
import { readBoulder } from '../stores/omo/boulder';
import { type Bounds, type Look, lookInto, readSmall } from '../stores/omo/look';
import { configPlaces, homePlaces, layouts, type OverlayKind, projectPlaces } from '../stores/omo/places';
import { worktreePlan } from '../stores/omo/worktree';
import type { Environment } from '../stores/store';
import type { Exclusions } from './keep/exclusions';
import type { Library } from './library';
import { type OverlayRow, OverlayRows } from './overlay-rows';
import { isWithin, mapped } from './surroundings';

/** Folders of sessions that are looked at in a pass, those with the newest sessions first: each costs two looks where there is no overlay. */
const foldersLookedAt = 2_000;

type Places = readonly { kind: OverlayKind; path: string; ending: string }[];

interface Root {
  /** As sessions record it. */
  folder: string;
  places: { kind: OverlayKind; path: string; ending: string }[];
}

const inProject: Places = layouts.flatMap((layout) => projectPlaces.map((place) => ({ ...place, path: `${layout}/${place.path}` })));

/** What a look at the overlays came to. */
export interface OverlayOutcome {
  bytesRead: number;
  changed: boolean;
}

/**
 * Overlays: files that Oh-My-OpenCode keeps about OpenCode's sessions, in the folders those ran in and in the home
 * (stores/omo/FORMAT.md). Each file is small and read whole when its stamp changed; every version stays.
 */
export class Overlays {
  readonly #rows: OverlayRows;
  readonly #bounds: Bounds;
  #bytesRead = 0;
  #changed = false;

  constructor(
    readonly library: Library,
    readonly environment: Environment,
    readonly now: number,
    readonly exclusions: Exclusions,
  ) {
    this.#rows = new OverlayRows(library.db);
    this.#bounds = environment.confined ? [environment.home, ...environment.added].flatMap(realPlace) : null;
  }

  async update(stopped: () => boolean): Promise<OverlayOutcome> {
    if (this.exclusions.coversAgent('opencode')) return { bytesRead: 0, changed: false };
    const roots = this.#roots();
    for (const [root, { folder, places }] of roots) {
      if (stopped()) break;
      this.library.db.transaction(() => this.#look(root, folder, places))();
      await nextTick();
    }
    if (!stopped()) this.library.db.transaction(() => this.#worktrees())();
    if (this.#changed) this.library.setMeta('overlays', Number(this.library.meta('overlays') ?? 0) + 1);
    return { bytesRead: this.#bytesRead, changed: this.#changed };
  }

  #roots(): Map<string, Root> {
    const roots = new Map<string, Root>();
    const add = (root: string, folder: string, places: Places) => {
      const known = roots.get(root);
      if (known) known.places.push(...places.filter((place) => !known.places.includes(place)));
      else roots.set(root, { folder, places: [...places] });
    };
    for (const folder of this.#sessionFolders()) {
      if (this.exclusions.coversFolder(folder)) continue;
      const root = mapped(folder, this.environment);
      if (this.#mayLookAt(root)) add(resolve(root), folder, inProject);
    }
    const { home, variables } = this.environment;
    const config = variables['XDG_CONFIG_HOME'];
    add(resolve(home), home, homePlaces);
    const configFolder = config && posix.isAbsolute(config) ? resolve(config) : join(resolve(home), '.config');
    add(configFolder, configFolder, configPlaces);
    for (const { root, folder, kind } of this.#rows.all()) if (!roots.has(root) && kind !== 'worktree-plan' && !this.exclusions.coversFolder(folder) && this.#mayLookAt(root)) add(root, folder, inProject);
    return roots;
  }

  #sessionFolders(): string[] {
    return this.library.db
      .prepare(
        `SELECT s.directory FROM session s JOIN store st ON st.id = s.store WHERE st.agent = 'opencode' AND st.origin <> 'import' AND s.directory IS NOT NULL AND s.directory <> ''
         GROUP BY s.directory ORDER BY max(s.updated) DESC LIMIT ?`,
      )
      .pluck()
      .all(foldersLookedAt) as string[];
  }

  /** A recorded folder may be of another machine or system, or lie outside a home that was given by hand. */
  #mayLookAt(folder: string): boolean {
    const { platform, confined, home, added } = this.environment;
    const path = platform === 'win32' ? win32 : posix;
    if (isNetworkSpelling(folder) || !path.isAbsolute(folder) || isWindowsSpelling(folder) !== (platform === 'win32')) return false;
    return !confined || isWithin(path.resolve(folder), [home, ...added].map((root) => path.resolve(root)));
  }

  #look(root: string, folder: string, places: Places): void {
    const look = lookInto(root, places, this.#bounds);
    const known = new Map(this.#rows.of(root).map((row) => [row.path, row]));
    this.#take(root, folder, look, known);
    const there = new Set([...look.files, ...look.refused].map(({ path }) => path));
    for (const row of known.values()) {
      if (row.gone !== null || row.kind === 'worktree-plan' || there.has(row.path) || look.refused.some(({ path }) => row.path.startsWith(`${path}/`))) continue;
      this.#rows.markGone(row, this.now);
      this.#changed = true;
    }
  }

  #take(root: string, folder: string, look: Look, known: Map<string, OverlayRow>): void {
    for (const { path, kind, stamp, changed } of look.files) {
      const row = known.get(path);
      if (row && row.stamp === stamp && row.gone === null && row.problem === null) continue;
      const read = readSmall(join(root, path));
      if (read === null) continue;
      if (read.bytes) {
        this.#rows.write({ root, path, folder, kind, stamp: read.stamp, changed: Math.round(changed) }, read.bytes, this.now);
        this.#bytesRead += read.bytes.length;
        this.#changed = true;
      } else this.#refuse({ root, path, folder, kind }, read.reason, row);
    }
    for (const { path, kind, reason } of look.refused) this.#refuse({ root, path, folder, kind }, reason, known.get(path));
  }

  #refuse(place: Pick<OverlayRow, 'root' | 'path' | 'folder' | 'kind'>, reason: string, known: OverlayRow | undefined): void {
    if (known?.problem === reason && known.gone === null) return;
    this.#rows.refuse(place, reason);
    this.#changed = true;
  }

  /** Plans in the worktrees that works name. Of a worktree nothing but that file is looked at, unless sessions ran there. */
  #worktrees(): void {
    const rows = this.#rows.all();
    const read = new Set(rows.filter(({ kind }) => kind === 'plan').map(({ root, path }) => join(root, path)));
    for (const boulder of rows.filter(({ kind, gone }) => kind === 'boulder' && gone === null)) {
      const bytes = this.#rows.content(boulder.id);
      for (const work of bytes ? readBoulder(bytes).works : []) {
        const plan = worktreePlan(work, boulder.folder);
        if (!plan) continue;
        const root = mapped(plan.folder, this.environment);
        if (!this.#mayLookAt(root) || this.exclusions.coversFolder(plan.folder) || read.has(join(resolve(root), plan.path))) continue;
        const [folder, name] = [plan.path.slice(0, plan.path.lastIndexOf('/')), plan.path.slice(plan.path.lastIndexOf('/') + 1)];
        const look = lookInto(resolve(root), [{ kind: 'worktree-plan', path: `${folder}/${name}`, ending: '' }], this.#bounds);
        const known = new Map(this.#rows.of(resolve(root)).map((row) => [row.path, row]));
        this.#take(resolve(root), plan.folder, look, known);
        read.add(join(resolve(root), plan.path));
        const row = known.get(plan.path);
        if (row && row.gone === null && look.files.length + look.refused.length === 0) {
          this.#rows.markGone(row, this.now);
          this.#changed = true;
        }
      }
    }
  }
}

/** Folders whose changes mean something new in an overlay: the plugin's own, as far as they are there. */
export function overlayFolders(library: Library): string[] {
  const rows = new OverlayRows(library.db).all().filter(({ gone }) => gone === null);
  return [...new Set(rows.map(({ root, path }) => join(root, path.startsWith('opencode/') ? 'opencode/tasks' : (path.split('/')[0] ?? ''))))].filter(isFolder);
}

const isFolder = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

function realPlace(folder: string): string[] {
  try {
    return [realpathSync(folder)];
  } catch {
    return [];
  }
}
