import { closeSync, existsSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import type { Environment, StoreLocation } from '../store';
import { refusalAt, stampOf } from './file';
import { forkName, usualName } from './places';
import { chatHistorySetting, settingsNames } from './settings';

/** Folders above a project's that are looked at for the repository it lies in. */
const stepsUp = 12;
/** How deep below an added folder histories are looked for, and in how many folders at the most: it may be a folder of projects, it is never a disk. */
const depthBelow = 3;
const foldersBelow = 1_000;

/**
 * Folders that hold chat histories: the home, projects that other stores know, and what the person added. Each is a
 * store of its own. The home comes first, with or without a history, since an agent's first location is its usual one.
 */
export function locate(environment: Environment): StoreLocation[] {
  const found = new Found(environment);
  found.usual(environment.home, 'default');
  for (const folder of environment.projects ?? []) for (const root of rootsOf(folder, environment.home)) found.usual(root, 'default');
  const configured = environment.variables['AIDER_CHAT_HISTORY_FILE'];
  if (configured) for (const folder of [environment.home, ...(environment.projects ?? [])]) found.file(resolve(folder, configured), 'environment');
  for (const place of environment.added) found.added(place);
  for (const folder of environment.known ?? []) found.keep(folder);
  return found.locations();
}

/** A project's folder may lie inside the repository at whose root the program keeps its files. */
function rootsOf(folder: string, home: string): string[] {
  const own = resolve(folder);
  let at = own;
  for (let step = 0; step < stepsUp && at !== resolve(home) && at !== dirname(at); step++) {
    if (existsSync(join(at, '.git'))) return at === own ? [own] : [own, at];
    at = dirname(at);
  }
  return [own];
}

class Found {
  readonly #folders = new Map<string, { origin: StoreLocation['origin']; files: Set<string> }>();
  readonly #homeSetting: string | null;

  constructor(readonly environment: Environment) {
    this.#homeSetting = chatHistorySetting(environment.home);
  }

  locations(): StoreLocation[] {
    const home = resolve(this.environment.home);
    const usual: StoreLocation = { agent: 'aider', folder: home, origin: 'default', files: [...(this.#folders.get(home)?.files ?? [])].sort() };
    const others = [...this.#folders].filter(([folder]) => folder !== home);
    return [usual, ...others.map(([folder, { origin, files }]): StoreLocation => ({ agent: 'aider', folder, origin, files: [...files].sort() }))];
  }

  /** A folder by its rules: the usual name, and where its settings or those of the home put the history. */
  usual(folder: string, origin: StoreLocation['origin']): void {
    this.file(join(folder, usualName.chat), origin);
    // Forks lie beside what they were made of.
    if (this.#folders.has(resolve(folder))) this.forks(folder, origin);
    const setting = chatHistorySetting(folder) ?? this.#homeSetting;
    // A relative name counts from the folder the program is started in, which is the project's most of the time.
    if (setting !== null && this.#isWithin(resolve(folder, setting))) this.file(resolve(folder, setting), origin);
  }

  /** Histories that Retrace made, by their name. */
  forks(folder: string, origin: StoreLocation['origin']): void {
    for (const { name } of entriesOf(folder)) if (forkName.test(name)) this.file(join(folder, name), origin);
  }

  file(path: string, origin: StoreLocation['origin']): void {
    // A place that may not be looked at is kept, so that it is named.
    if (!stampOf(path) && refusalAt(path) === null) return;
    const folder = dirname(resolve(path));
    const known = this.#folders.get(folder) ?? { origin, files: new Set<string>() };
    known.files.add(basename(path));
    this.#folders.set(folder, known);
  }

  /** A folder whose history went away is still looked at, so that it is seen to be gone. */
  keep(folder: string): void {
    const own = resolve(folder);
    if (!this.#folders.has(own)) this.#folders.set(own, { origin: 'default', files: new Set() });
    this.forks(own, 'default');
  }

  /** A file or a folder of the person's choice: histories in it and a little below, under any name that speaks of a chat. */
  added(place: string): void {
    const own = resolve(place);
    if (isHistory(own)) return this.file(own, 'added');
    const queue = [{ folder: own, depth: 0 }];
    for (let at = 0; at < queue.length && at < foldersBelow; at++) {
      const { folder, depth } = queue[at] as { folder: string; depth: number };
      const entries = entriesOf(folder);
      if (this.#homeSetting !== null || entries.some(({ name }) => name === usualName.chat || settingsNames.includes(name)) || refusalAt(join(folder, usualName.chat)) !== null) this.usual(folder, 'added');
      for (const entry of entries) {
        const path = join(folder, entry.name);
        if (entry.isDirectory()) {
          if (depth < depthBelow && !/^\.|^node_modules$/.test(entry.name)) queue.push({ folder: path, depth: depth + 1 });
        } else if (/chat|aider|history/i.test(entry.name) && /\.(?:md|txt)$/i.test(entry.name) && isHistory(path)) this.file(path, 'added');
      }
    }
  }

  /** A home given by hand is read alone: a setting in it does not lead out of it and of the folders that were named. */
  #isWithin(path: string): boolean {
    const { home, added, projects, variables } = this.environment;
    if (Object.keys(variables).length > 0) return true;
    return [home, ...added, ...(projects ?? [])].some((folder) => {
      const way = relative(resolve(folder), path);
      return way !== '' && !way.startsWith('..') && !isAbsolute(way);
    });
  }
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** A plain file that begins as every history does. */
function isHistory(path: string): boolean {
  try {
    if (!statSync(path).isFile()) return false;
    const fd = openSync(path, 'r');
    try {
      const room = Buffer.alloc(64);
      return /^\s*# aider chat started at \d/.test(room.toString('utf8', 0, readSync(fd, room, 0, room.length, 0)));
    } finally {
      closeSync(fd);
    }
  } catch {
    return false;
  }
}
