import type { ComposedFile, Composition } from './composition';
import type { Content } from './content';
import type { FileTrack } from './file-track';
import { reversed } from './hunks';
import { type NetChange, netBetween } from './net-change';
import { relativeTo } from './paths';

/**
 * What leads from the files one session left to those another left. A file that only one of them changed is, for the
 * other, as it was before; what both did alike is no difference.
 */
export function compareEnds(from: Composition, to: Composition): ComposedFile[] {
  const files: ComposedFile[] = [];
  for (const [before, after] of pairs(from, to)) {
    const net = differenceOf(before, after);
    const track = after ?? before;
    if (net && track) files.push({ track, oldPath: null, net });
  }
  return files.sort(byPath);
}

/**
 * What a stretch left of the files it changed, held against what they were where it begins. What came between (another
 * branch, taken back since or not) is no change of it; where nothing tells what a file was, the stretch's own steps do.
 */
export function sinceThen(before: Composition, stretch: Composition): ComposedFile[] {
  const own = new Map(stretch.files().map((file) => [file.track, file]));
  const files: ComposedFile[] = [];
  for (const [, track] of stretch.tracks()) {
    const then = before.track(track.firstPath);
    const file = own.get(track);
    if (!then || then.steps === 0 || then.now.state === 'unknown' || track.now.state === 'unknown') {
      if (file) files.push(file);
      continue;
    }
    const net = netBetween(then.now, track.now, file?.net.mode ?? null, file?.net.kind === 'rename');
    if (net) files.push({ track, oldPath: net.kind === 'rename' ? (file?.oldPath ?? null) : null, net });
  }
  return files.sort(byPath);
}

const byPath = (a: ComposedFile, b: ComposedFile): number => (a.track.path < b.track.path ? -1 : a.track.path > b.track.path ? 1 : 0);

function* pairs(from: Composition, to: Composition): Iterable<[FileTrack | undefined, FileTrack | undefined]> {
  const [left, right] = [tracksOf(from), tracksOf(to)];
  for (const [key, track] of right) yield [left.get(key), track];
  for (const [key, track] of left) if (!right.has(key)) yield [track, undefined];
}

/** By the place in the session's folder: two worktrees of a project have the same files. */
const tracksOf = (composition: Composition): Map<string, FileTrack> =>
  new Map([...composition.tracks()].map(([key, track]) => [relativeTo(track.path, composition.folder) ?? key, track]));

function differenceOf(from: FileTrack | undefined, to: FileTrack | undefined): NetChange | null {
  if (!from) return to?.net(false) ?? null;
  if (!to) return backwards(from.net(false));
  const [before, after] = [from.now, to.now];
  if (before.state !== 'unknown' && after.state !== 'unknown') return netBetween(before, after, null, false);
  const [one, other] = [from.net(false), to.net(false)];
  if (JSON.stringify(one?.hunks ?? null) === JSON.stringify(other?.hunks ?? null)) return null;
  to.note('unknown', 'Both sessions changed this file, and its content is not recorded: how they differ is not known.');
  return { kind: 'edit', added: null, removed: null, before, after, hunks: null, mode: null, gap: 'The lines of this change are not known.' };
}

/** What one session did and the other did not is taken back on the way from the one to the other. */
function backwards(net: NetChange | null): NetChange | null {
  if (!net) return null;
  // Of two contents that are known the lines are not looked for before somebody asks.
  if (net.gap === null && net.before.state !== 'unknown' && net.after.state !== 'unknown') return netBetween(net.after, net.before, net.mode && { before: net.mode.after, after: net.mode.before }, false);
  const sides: { before: Content; after: Content } = { before: net.after, after: net.before };
  const kind = net.kind === 'create' ? 'delete' : net.kind === 'delete' ? 'create' : net.kind;
  return { ...net, ...sides, kind, added: net.removed, removed: net.added, hunks: net.hunks && reversed(net.hunks), mode: net.mode && { before: net.mode.after, after: net.mode.before } };
}
