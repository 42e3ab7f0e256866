import { relative as relativePath } from 'node:path';
import type { Content } from '../../diff/content';
import type { GitTrees, TreeChange } from '../../diff/git/trees';
import { relativeTo } from '../../diff/paths';
import { composeSession } from '../../diff/session-changes';
import type { SessionSource } from '../../diff/session-source';
import type { WorktreePoint } from '../files/interface';

/** Parts looked through for the state of files that the agent kept, and fetched at once. */
const limits = { parts: 200_000, page: 400 };
/** OpenCode leaves new files out of its trees that are larger than 2 MiB: their absence there says nothing. */
const treeFileLimit = 2 * 1024 * 1024;

/** A file as it was at a point, where that differs from a commit. */
export interface FileAtPoint {
  /** From the root of the working tree, with `/`. */
  path: string;
  /** Null: there was none. */
  bytes: Uint8Array | null;
  executable: boolean;
}

export interface FilesAtPoint {
  files: FileAtPoint[];
  /** What the files are taken from, one sentence. */
  from: string;
  /** Paths whose content at the point is not known. */
  unknown: string[];
}

/** The files at a point: from the agent's own picture of the whole folder where it kept one, else from what the session's records tell. */
export async function filesAtPoint(source: SessionSource, point: WorktreePoint, base: { tree: string; top: string }, folder: string): Promise<FilesAtPoint> {
  const tree = source.agent === 'opencode' ? treeAt(source, point) : null;
  const found = tree === null ? null : await source.askGit('tree', tree, (git) => fromTree(git, base.tree, tree, prefixOf(base.top, folder)));
  if (found) return found;
  const { composition } = await composeSession(source, { from: 0, to: point.seq ?? Number.MAX_SAFE_INTEGER, sightings: true, includes: point.keeps });
  const all: FilesAtPoint = { files: [], unknown: [], from: `Files that the session changed${point.seq === null ? '' : ' before the message'} are as its records tell; all others are as committed.` };
  const at = prefixOf(base.top, folder);
  for (const [, { path, now }] of composition.tracks()) {
    const inside = relativeTo(path, source.folder);
    const bytes = inside === null ? undefined : bytesOf(now);
    if (inside === null || bytes === undefined) all.unknown.push(path);
    else all.files.push({ path: at + inside, bytes, executable: false });
  }
  return all;
}

function bytesOf(content: Content): Uint8Array | null | undefined {
  if (content.state === 'absent') return null;
  return content.state === 'text' ? Buffer.from(content.text, 'utf8') : undefined;
}

/** `''`, or the way from the root of the working tree to the session's folder, with a `/` at its end. */
function prefixOf(top: string, folder: string): string {
  const way = relativePath(top, folder).replaceAll('\\', '/');
  return way === '' ? '' : `${way}/`;
}

/** The tree of the first step after the point, taken before it; else the last one that was kept. */
function treeAt(source: SessionSource, { seq, keeps }: WorktreePoint): string | null {
  let last: string | null = null;
  for (let from = 0, looked = 0; looked < limits.parts; ) {
    const rows = source.timeline.rows.touching(source.row, from, Number.MAX_SAFE_INTEGER, limits.page);
    for (const row of rows) {
      const isAfter = seq !== null && row.seq >= seq;
      if (!isAfter && !keeps(row)) continue;
      const state = source.timeline.bodies.body(source.store, source.storeRow, row)?.state;
      if (isAfter && state?.kind === 'tree' && state.when === 'before') return state.tree;
      if (!isAfter && state?.kind === 'tree') last = state.tree;
      if (!isAfter && state?.kind === 'step') last = state.after ?? last;
    }
    const end = rows.at(-1);
    looked += rows.length;
    if (!end || rows.length < limits.page) break;
    from = end.seq + 1;
  }
  return last;
}

async function fromTree(git: GitTrees, base: string, tree: string, prefix: string): Promise<FilesAtPoint | null> {
  const diff = await git.diff(base, tree);
  if (!diff) return null;
  const all: FilesAtPoint = { files: [], unknown: [], from: 'Files are as the snapshot of OpenCode has them; what git ignores is in none.' };
  for (const change of diff.changes) {
    // Only the session's own folder is in its pictures.
    if (!change.path.startsWith(prefix)) continue;
    const file = await fileOf(git, change);
    if (file === undefined) all.unknown.push(change.path);
    else if (file !== 'as committed') all.files.push(file);
  }
  return all;
}

async function fileOf(git: GitTrees, { path, before, after }: TreeChange): Promise<FileAtPoint | 'as committed' | undefined> {
  if (after === null) {
    const held = before && (await git.objects.read(before.oid));
    if (held?.state === 'too large' || (held?.state === 'found' && held.bytes.length > treeFileLimit)) return 'as committed';
    return before?.mode.startsWith('100') ? { path, bytes: null, executable: false } : undefined;
  }
  if (!after.mode.startsWith('100')) return undefined;
  const found = await git.objects.read(after.oid);
  return found.state === 'found' && found.type === 'blob' ? { path, bytes: found.bytes, executable: after.mode === '100755' } : undefined;
}
