import type { ChangedFile, ComparedFile, FileChange, PartPointer, SessionId } from '@shared/model';
import type { Diffs } from '../diff/diffs';
import type { Timeline } from '../queries/timeline';

/** Files of a side that are listed: a comparison tells the first of them, the most changed first. */
const filesListed = 500;

/** What a stretch came to: files as they differ from where it began. */
export interface NetFiles {
  /** By path inside the session's folder. */
  files: ChangedFile[];
  total: number;
  /** Null where comparing all of them is more than one answer compares. */
  added: number | null;
  removed: number | null;
}

const nothing: NetFiles = { files: [], total: 0, added: 0, removed: 0 };

/** Net changes of a branch from one of its parts on; at the cost of one list of files. */
export async function netFiles(diffs: Diffs, timeline: Timeline, session: SessionId, branch: string, first: PartPointer | null): Promise<NetFiles> {
  if (first === null) return nothing;
  const answer = await diffs.files({ session, scope: { kind: 'stretch', branch, from: first.part }, from: 0, count: filesListed });
  if (!answer) return nothing;
  const files = answer.files.map((file): ChangedFile => ({ path: file.relative ?? file.path, added: file.added, removed: file.removed, ...lastPlace(timeline, file, first) }));
  return { files, total: answer.total, added: answer.added, removed: answer.removed };
}

/** The last place that is named of a file; of more than a hundred the first ones are. */
function lastPlace(timeline: Timeline, { places }: FileChange, first: PartPointer): PartPointer {
  const last = places.at(-1);
  const found = last && timeline.locate(last.part);
  return found ? { part: found.part, index: found.index } : first;
}

/** Files of both sides by their paths; what both changed comes first, then what changed most. */
export function comparedFiles(a: NetFiles, b: NetFiles): { files: ComparedFile[]; more: number } {
  const files = new Map<string, ComparedFile>();
  for (const [side, { files: changed }] of [['a', a], ['b', b]] as const) {
    for (const file of changed) files.set(file.path, { ...(files.get(file.path) ?? { path: file.path, a: null, b: null }), [side]: file });
  }
  const size = ({ a: left, b: right }: ComparedFile) => [left, right].reduce((sum, file) => sum + (file?.added ?? 0) + (file?.removed ?? 0), 0);
  const isBoth = (file: ComparedFile) => (file.a && file.b ? 1 : 0);
  return {
    files: [...files.values()].sort((one, other) => isBoth(other) - isBoth(one) || size(other) - size(one) || (one.path < other.path ? -1 : 1)),
    more: a.total - a.files.length + b.total - b.files.length,
  };
}
