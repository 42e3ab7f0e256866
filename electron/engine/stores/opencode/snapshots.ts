import { type Dirent, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { CheckedSession, StoreLocation } from '../store';
import { asText } from '../foreign/fields';
import { count, grouped, listed } from '../foreign/said';

/** Files looked at for their sizes, a store: snapshots of a home folder have grown to hundreds of gigabytes. What is beyond is not counted, and said not to be. */
const filesCounted = 20_000;

interface Tree {
  /** Relative to the store's folder. */
  place: string;
  project: string;
  files: number;
  bytes: number;
  /** Newest change of its index, which each snapshot writes; of its head before the first. ms since 1970. */
  used: number;
}

/** Snapshot repositories (FORMAT.md, "Where"): how much they take, how old they are, and whose they were. They are listed, never opened. */
export function checkSnapshots({ folder }: StoreLocation, sessions: () => Iterable<CheckedSession>): string[] {
  const trees: Tree[] = [];
  let left = filesCounted;
  for (const { place, project } of repositoriesIn(folder)) {
    const tree = measured(folder, place, project, left);
    left -= tree.files;
    trees.push(tree);
  }
  if (trees.length === 0) return [];
  const living = new Set<string>();
  for (const { gone, own } of sessions()) {
    const project = asText(own['project']);
    if (project !== null && !gone) living.add(project);
  }
  // The first layout names its folders after the project's path, not after an id.
  const stale = trees.filter(({ place, project }) => place.startsWith('snapshot/') && !living.has(project));
  const times = trees.map(({ used }) => used);
  const [oldest, newest] = [dayOf(Math.min(...times)), dayOf(Math.max(...times))];
  const isCut = left <= 0;
  const files = trees.reduce((sum, tree) => sum + tree.files, 0);
  const bytes = trees.reduce((sum, tree) => sum + tree.bytes, 0);
  return [
    `${count(trees.length, 'snapshot folder')} ${trees.length === 1 ? 'takes' : 'take'} ${isCut ? 'more than ' : ''}${count(bytes, 'byte')} in ${isCut ? 'more than ' : ''}${count(files, 'file')}${isCut ? `; sizes are counted up to ${grouped.format(filesCounted)} files` : ''}. ` +
      `Last used ${oldest === newest ? `on ${newest}` : `between ${oldest} and ${newest}`}; what is in them is kept by OpenCode for about seven days.`,
    ...(stale.length > 0
      ? [`${count(stale.length, 'snapshot folder')} ${stale.length === 1 ? 'is' : 'are'} of projects that no session here belongs to any more: ${listed(stale.map(({ place, bytes: size, used }) => `${place} (${count(size, 'byte')}, last used on ${dayOf(used)})`))}.`]
      : []),
  ];
}

/** `snapshot/<project>/<worktree>` since 1.15, `snapshot/<project>` before, `project/<name>/snapshots` at first. */
function* repositoriesIn(folder: string): Iterable<{ place: string; project: string }> {
  for (const project of foldersIn(join(folder, 'snapshot'))) {
    const place = `snapshot/${project}`;
    if (isRepository(join(folder, place))) yield { place, project };
    else for (const tree of foldersIn(join(folder, place))) if (isRepository(join(folder, place, tree))) yield { place: `${place}/${tree}`, project };
  }
  for (const project of foldersIn(join(folder, 'project'))) {
    const place = `project/${project}/snapshots`;
    if (isRepository(join(folder, place))) yield { place, project };
  }
}

const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

const isRepository = (folder: string): boolean => timeOf(join(folder, 'HEAD')) > 0;

function measured(folder: string, place: string, project: string, most: number): Tree {
  const root = join(folder, place);
  const used = timeOf(join(root, 'index')) || timeOf(join(root, 'HEAD'));
  const tree: Tree = { place, project, files: 0, bytes: 0, used };
  const open = [root];
  for (let at = open.pop(); at !== undefined && tree.files < most; at = open.pop()) {
    for (const entry of entriesIn(at)) {
      if (tree.files >= most) break;
      const path = join(at, entry.name);
      if (entry.isDirectory()) open.push(path);
      else if (entry.isFile()) {
        tree.files++;
        tree.bytes += sizeOf(path);
      }
    }
  }
  return tree;
}

function entriesIn(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

const foldersIn = (folder: string): string[] => entriesIn(folder).filter((entry) => entry.isDirectory()).map(({ name }) => name).sort();

function sizeOf(path: string): number {
  try {
    return statSync(path).size;
  } catch {
    return 0;
  }
}

function timeOf(path: string): number {
  try {
    return statSync(path).mtimeMs;
  } catch {
    return 0;
  }
}
