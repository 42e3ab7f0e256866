import type { PlanConflict, RevertFile, RevertTake } from '@shared/model';
import type { Content } from '../../diff/content';
import type { DiskFile, ProjectFiles } from '../../revert/disk-file';
import { mergedText } from '../../revert/merge';
import { diskContent, type LookedFile } from '../../revert/planned-files';
import type { ExpectedFile, FileContent, FileStep } from '../../stores/store';

/** What the files part of a revert would do, and what it leaves to the person or cannot do. */
export interface FilesDraft {
  steps: FileStep[];
  conflicts: PlanConflict[];
  limits: string[];
}

/** Files named one by one in a limit; of more only the number is told. */
const namedFiles = 10;

/**
 * One step for each file that this session changed after the point, and nothing else: a file that somebody changed
 * since is a conflict until the person says what is to be left. `takes` is by recorded path, or by where the file lies
 * here; a file without a conflict can be kept as it is, too.
 */
export async function draftFiles(looked: readonly LookedFile[], places: ProjectFiles, takes: ReadonlyMap<string, RevertTake>): Promise<FilesDraft> {
  const draft: FilesDraft = { steps: [], conflicts: [], limits: [] };
  const left: { file: RevertFile; because: string }[] = [];
  for (const each of looked) {
    const { file } = each;
    const place = await places.place(file.path);
    const take = takes.get(file.path) ?? (place ? takes.get(place.file) : undefined);
    if (file.state === 'conflict') draft.conflicts.push(conflictOf(each, place?.file ?? null, take));
    if (file.state === 'memory' || file.state === 'cannot') left.push({ file, because: file.because });
    if (!isTakenBack(file, take)) continue;
    const content = take === 'merge' ? mergedContent(each) : await contentOf(each);
    if (content === undefined || place === null) left.push({ file, because: take === 'merge' ? 'It cannot be merged: it was not there before, or is no text.' : 'What it held before is known by its name only, its bytes are not kept.' });
    else draft.steps.push({ kind: 'file', path: place.file, within: place.root, before: expected(each.now), after: content, why: whyOf(file, take) });
  }
  draft.limits.push(...told(left, looked.filter(({ file }) => file.state === 'left alone').length));
  return draft;
}

/** A conflict waits for a choice; what is undisputed is taken back unless the person keeps it. */
function isTakenBack({ state }: RevertFile, take: RevertTake | undefined): boolean {
  if (take === 'mine') return false;
  if (state === 'conflict') return take !== undefined;
  return state === 'restorable' || state === 'deleted' || state === 'recreated';
}

function conflictOf(looked: LookedFile, file: string | null, take: RevertTake | undefined): PlanConflict {
  const merge = mergedText(beforeOf(looked), looked.planned.left, diskContent(looked.now));
  return { path: looked.file.path, file, take: take ?? 'undecided', because: looked.file.because, disputed: merge?.disputed ?? null, mergeable: merge !== null };
}

const beforeOf = ({ planned, result }: LookedFile): Content => (planned.kept.content.state === 'unknown' ? result : planned.kept.content);

/** Undefined where there are no bytes to write. */
async function contentOf({ result, planned }: LookedFile): Promise<FileStep['after'] | undefined> {
  if (result.state === 'absent') return null;
  if (result.state === 'text') return { content: bytesOf(Buffer.from(result.text, 'utf8')) };
  const bytes = result.state === 'unknown' ? null : await planned.kept.bytes?.();
  return bytes ? { content: bytesOf(bytes) } : undefined;
}

function mergedContent(looked: LookedFile): FileStep['after'] | undefined {
  const merge = mergedText(beforeOf(looked), looked.planned.left, diskContent(looked.now));
  return merge === null ? undefined : { content: bytesOf(Buffer.from(merge.text, 'utf8')) };
}

const bytesOf = (bytes: Uint8Array): FileContent => ({ size: bytes.length, pieces: () => [bytes] });

const expected = (now: DiskFile): ExpectedFile => (now.state === 'read' ? { state: 'present', sha256: now.sha256, bytes: now.bytes } : { state: 'absent' });

function whyOf(file: RevertFile, take: RevertTake | undefined): string {
  if (take === 'merge') return 'What the session changed is taken out, what others changed since stays.';
  if (file.state === 'conflict') return 'It is left as it was before the message; what others changed since goes.';
  if (file.state === 'deleted') return 'The session made it after the message.';
  if (file.state === 'recreated') return 'The session deleted it after the message.';
  return 'It is left as it was before the message.';
}

function told(left: readonly { file: RevertFile; because: string }[], alone: number): string[] {
  const limits = left.slice(0, namedFiles).map(({ file, because }) => `${file.relative ?? file.path} stays as it is: ${because}`);
  if (left.length > namedFiles) limits.push(`${left.length - namedFiles} more files stay as they are.`);
  if (alone > 0) limits.push(`${alone === 1 ? '1 file that this session did not change after the message, and others did, is' : `${alone} files that this session did not change after the message, and others did, are`} not touched.`);
  return limits;
}
