import { join } from 'node:path';
import { isPlainId, timeOfId } from './ids';
import { namesIn, type Refused } from '../foreign/names';
import { firstLayouts, type Place } from './places';
import { statOf } from '../foreign/stamps';

/** A file as listed before it is read. */
export interface ListedFile {
  id: string;
  path: string;
  /** Last change, ms. */
  at: number;
  bytes: number;
}

/**
 * The older layouts: a JSON file a session, message and part, in folders named by ids (FORMAT.md, "JSON layouts").
 * Paths are built from file names found on disk only, and from ids that can be nothing but a name.
 */
export class JsonLayout {
  readonly #root: string;
  /** Folders that may not be looked into, as they were met, with the reason: what was known in them is neither there nor gone. */
  readonly refused = new Map<string, string>();
  readonly #refuse: Refused = (folder, reason) => void this.refused.set(folder, reason);

  constructor(
    readonly folder: string,
    readonly place: Place,
  ) {
    this.#root = place.layout === 'second' ? join(folder, 'storage') : join(folder, place.name, 'storage', 'session');
  }

  /** Files of the sessions, by session id. */
  sessions(): Map<string, string> {
    const folders = this.place.layout === 'first' ? [join(this.#root, 'info')] : namesIn(join(this.#root, 'session'), this.#refuse).map((name) => join(this.#root, 'session', name));
    return new Map(folders.flatMap((folder) => jsonNames(folder, this.#refuse).map((id): [string, string] => [id, join(folder, `${id}.json`)])));
  }

  messageFolder(session: string): string {
    return join(this.#root, 'message', session);
  }

  messages(session: string): ListedFile[] {
    return listed(this.messageFolder(session), this.#refuse);
  }

  parts(session: string, message: string): ListedFile[] {
    return listed(this.partFolder(session, message), this.#refuse);
  }

  partFolder(session: string, message: string): string {
    return this.place.layout === 'second' ? join(this.#root, 'part', message) : join(this.#root, 'part', session, message);
  }

  /** Where the file of a session lies, or would: sessions of the second layout are filed by project. */
  sessionFile(session: string, project: string): string {
    return this.place.layout === 'second' ? join(this.#root, 'session', project, `${session}.json`) : join(this.#root, 'info', `${session}.json`);
  }

  /** Messages that only parts tell of, where the layout files parts by session. */
  messagesOfParts(session: string): string[] {
    return this.place.layout === 'second' ? [] : namesIn(join(this.#root, 'part', session), this.#refuse).filter(isPlainId);
  }

  todoFile(session: string): string | null {
    return this.place.layout === 'second' ? join(this.#root, 'todo', `${session}.json`) : null;
  }

  shareFile(session: string): string {
    return this.place.layout === 'second' ? join(this.#root, 'session_share', `${session}.json`) : join(this.#root, 'share', `${session}.json`);
  }

  projectFile(project: string): string | null {
    return this.place.layout === 'second' && isPlainId(project) ? join(this.#root, 'project', `${project}.json`) : null;
  }

  /** A path as people are told it: relative to the data folder. */
  told(path: string): string {
    return path.slice(this.folder.length + 1).replaceAll('\\', '/');
  }
}

/** The JSON layouts of a data folder, the newer first. */
export function jsonLayouts(folder: string, refused?: Refused): JsonLayout[] {
  const places: Place[] = [
    { layout: 'second', name: 'storage' },
    ...firstLayouts(folder, refused).map((name): Place => ({ layout: 'first', name: `project/${name}` })),
  ];
  return places.map((place) => new JsonLayout(folder, place));
}

/** The last messages of a list by the time their ids were made; `near` tells the wrap apart. */
export function lastMade(files: ListedFile[], count: number, near: number): ListedFile[] {
  return files
    .map((file) => ({ file, made: timeOfId(file.id, near) ?? file.at }))
    .sort((a, b) => b.made - a.made)
    .slice(0, count)
    .map(({ file }) => file);
}

const jsonNames = (folder: string, refused: Refused): string[] =>
  namesIn(folder, refused)
    .filter((name) => name.endsWith('.json'))
    .map((name) => name.slice(0, -5))
    .filter(isPlainId);

const listed = (folder: string, refused: Refused): ListedFile[] => jsonNames(folder, refused).map((id) => listedFile(id, join(folder, `${id}.json`))).filter((file) => file !== null);

export function listedFile(id: string, path: string): ListedFile | null {
  const stats = statOf(path);
  return stats?.isFile() ? { id, path, at: stats.mtimeMs, bytes: stats.size } : null;
}
