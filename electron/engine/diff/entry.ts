import type { ChangePlace, FileChange } from '@shared/model';
import type { ComposedFile } from './composition';
import type { NetChange } from './net-change';
import { relativeTo } from './paths';
import { worseOf } from './track-trust';

/** One file of an answer: what is told of it, and what that is drawn from. */
export interface Entry {
  change: FileChange;
  net: NetChange;
  /** The path it began with. */
  firstPath: string;
  /** For a rename that no record tells: first and last path of the file that went. */
  from: { firstPath: string; path: string } | null;
  /** A large patch is asked for in windows: it is written, and its file counted, once. */
  patch?: string;
  wholeLines?: number | null;
}

/** Places that are named of a file with two histories. */
const placesTold = 100;

/** A composed file as it is told. */
export function entryOf({ track, oldPath, net, from }: ComposedFile, folder: string | null): Entry {
  const own = track.trust();
  const before = from?.track.trust();
  const gaps = new Set([...(before?.gaps ?? []), ...own.gaps]);
  if (net.gap !== null) gaps.add(net.gap);
  const change: FileChange = {
    path: track.path, relative: relativeTo(track.path, folder), oldPath, oldRelative: oldPath === null ? null : relativeTo(oldPath, folder), kind: net.kind, added: net.added, removed: net.removed, mode: net.mode,
    before: net.before.state, after: net.after.state, certainty: from ? worseOf(worseOf(own.certainty, before?.certainty ?? 'recorded'), 'inferred') : own.certainty,
    sources: [...new Set([...(from?.track.sources ?? []), ...track.sources])], evidence: [...new Set([...(from ? [from.evidence] : []), ...(before?.evidence ?? []), ...own.evidence])], gaps: [...gaps],
    outside: [...(from?.track.outside ?? []), ...track.outside], steps: track.steps + (from?.track.steps ?? 0), places: placesOf(from?.track.places ?? [], track.places),
  };
  return { change, net, firstPath: track.firstPath, from: from ? { firstPath: from.track.firstPath, path: from.track.path } : null };
}

/** Both histories may have a change at one place. */
function placesOf(before: readonly ChangePlace[], own: readonly ChangePlace[]): ChangePlace[] {
  const known = new Set(before.map(({ part }) => part));
  return [...before, ...own.filter(({ part }) => !known.has(part))].slice(0, placesTold);
}
