import { hash } from 'node:crypto';
import { closeSync, constants, existsSync, fstatSync, openSync, readSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { mapped } from '../../library/surroundings';
import { look, type Reach } from '../../queries/folder-state';
import { namesIn } from '../../stores/foreign/names';

/** Snapshot stores of one data folder that are asked at once, and projects that are looked through for them. */
const limits = { stores: 24, projects: 5_000, ancestors: 40 };
/** Bytes of a small file of git's that are read (`alternates`, `.git`, `commondir`). */
const smallFile = 65_536;

/** A problem that is told, and asked for by who wants to know what OpenCode itself could do. */
export const noStore = 'There is no snapshot store.';

/** Where objects are read, and how their trees lie in the recorded world. */
export interface ObjectPlaces {
  folders: string[];
  /** Recorded folder that a tree is a picture of. */
  root: string | null;
  problems: string[];
}

/** The folders a path lies in, itself first, as written. */
function ancestorsOf(folder: string): string[] {
  const list = [folder];
  for (let at = folder; list.length < limits.ancestors; ) {
    const up = at.replace(/[/\\][^/\\]*$/, '');
    if (up === at || up === '') return list;
    list.push(up);
    at = up;
  }
  return list;
}

/**
 * OpenCode's snapshot stores that may have the trees of a session (FORMAT.md, "Snapshots"): by the hash of the folder
 * over all project ids, then the older places. Objects are named by their content, so that several stores can be asked
 * as one. `tree` is one that is looked for.
 */
export async function snapshotPlaces(store: string, directory: string | null, fallbackRoot: string | null, tree: string, reach: Reach): Promise<ObjectPlaces> {
  const roots = new Map((directory === null ? [] : ancestorsOf(directory)).map((folder) => [hash('sha1', folder), folder]));
  const found: { objects: string; root: string | null; rank: number }[] = [];
  const consider = (folder: string, root: string | null) => {
    const objects = join(folder, 'objects');
    if (!existsSync(objects)) return;
    const has = existsSync(join(objects, tree.slice(0, 2), tree.slice(2)));
    found.push({ objects, root, rank: (has ? 2 : 0) + (root === null ? 0 : 1) });
  };
  for (const project of namesIn(join(store, 'snapshot')).slice(0, limits.projects)) {
    const folder = join(store, 'snapshot', project);
    consider(folder, null);
    for (const name of namesIn(folder)) if (/^[0-9a-f]{40}$/.test(name)) consider(join(folder, name), roots.get(name) ?? null);
  }
  for (const project of namesIn(join(store, 'project')).slice(0, limits.projects)) consider(join(store, 'project', project, 'snapshots'), null);
  const chosen = found.sort((a, b) => b.rank - a.rank).slice(0, limits.stores);
  const problems: string[] = [];
  if (chosen.length === 0) problems.push(noStore);
  const borrowed = new Set<string>();
  for (const { objects } of chosen.filter(({ rank }) => rank > 0)) for (const alternate of await alternatesOf(objects, reach, problems)) borrowed.add(alternate);
  // A project that moved is where the map says, not where the store remembers it.
  if (directory !== null) for (const folder of await projectObjects(directory, reach)) borrowed.add(folder);
  return { folders: [...chosen.map(({ objects }) => objects), ...borrowed], root: chosen.find(({ root }) => root !== null)?.root ?? fallbackRoot, problems };
}

/** The repository a recorded folder lies in. */
export async function projectPlaces(directory: string | null, reach: Reach): Promise<ObjectPlaces> {
  if (directory === null) return { folders: [], root: null, problems: ['No folder is recorded.'] };
  for (const folder of ancestorsOf(directory)) {
    const objects = await objectsOf(mapped(folder, reach), reach);
    if (objects === null) continue;
    const problems: string[] = [];
    return { folders: [objects, ...(await alternatesOf(objects, reach, problems))], root: folder, problems };
  }
  return { folders: [], root: directory, problems: ['The project has no repository here.'] };
}

async function projectObjects(directory: string, reach: Reach): Promise<string[]> {
  const { folders } = await projectPlaces(directory, reach);
  return folders;
}

/** Folders whose objects a store borrows: one step, each only where it may be looked at. */
async function alternatesOf(objects: string, reach: Reach, problems: string[]): Promise<string[]> {
  const text = smallText(join(objects, 'info', 'alternates'));
  const folders: string[] = [];
  for (const line of (text ?? '').split('\n').map((each) => each.trim())) {
    if (line === '' || line.startsWith('#') || line.startsWith('"')) continue;
    const folder = mapped(resolve(objects, line), reach);
    const { state } = await look(folder, reach);
    if (state === 'present') folders.push(folder);
    else problems.push(state === 'missing' ? 'The repository that the snapshots borrow from is not where it was.' : 'The repository that the snapshots borrow from is not looked at.');
  }
  return folders;
}

/** The object folder of a working tree; a linked one names its repository in files. */
async function objectsOf(folder: string, reach: Reach): Promise<string | null> {
  if ((await look(folder, reach)).state !== 'present') return null;
  const git = join(folder, '.git');
  if (existsSync(join(git, 'objects'))) return present(join(git, 'objects'), reach);
  const named = /^gitdir: (.+)$/m.exec(smallText(git) ?? '')?.[1];
  if (named === undefined) return null;
  const gitDir = resolve(folder, named.trim());
  if ((await look(gitDir, reach)).state !== 'present') return null;
  const common = smallText(join(gitDir, 'commondir'));
  return present(join(common === null ? gitDir : resolve(gitDir, common.trim()), 'objects'), reach);
}

const present = async (folder: string, reach: Reach): Promise<string | null> => ((await look(folder, reach)).state === 'present' ? folder : null);

/** The beginning of a small file; null when it is no file that can be read. Nothing that would make the reader wait is opened. */
function smallText(file: string): string | null {
  let open: number | null = null;
  try {
    // A named pipe would make an ordinary opening wait for ever.
    open = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    if (!fstatSync(open).isFile()) return null;
    const bytes = Buffer.alloc(smallFile);
    return bytes.subarray(0, readSync(open, bytes, 0, smallFile, 0)).toString('utf8');
  } catch {
    return null;
  } finally {
    if (open !== null) closeSync(open);
  }
}

