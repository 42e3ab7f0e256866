import type { ChangeHunk, PlanFileStep, PlanFileView } from '@shared/model';
import type { FileContent, FileStep } from '../../stores/store';
import { blobId, bytesContent, linesOf } from '../../diff/content';
import { countOf, drawnHunk, type Hunk } from '../../diff/hunks';
import { hunksOf, lineEdits } from '../../diff/line-diff';
import { fileContent } from '../disk/content';
import { HeldFolder } from '../disk/folder';
import type { FileSystem } from '../disk/machine';
import { placeOf } from '../disk/names';

/** Bytes of a side that is compared: for the counts of a list, for a diff, and for a large one that was asked for. */
const limits = { counted: 2_000_000, shown: 1_000_000, large: 16_000_000 };
/** Characters of a long new file that are shown; characters of hunks that go over the link unasked. */
const beginningChars = 100_000;
const hunkChars = 1_000_000;

/** One side of a file's change; null: there is no file. */
export type Side = Uint8Array | null | 'too large' | 'not kept';

/** The sides of a planned file: the disk as it is, and what the plan would leave. */
export function plannedSides(files: FileSystem, step: FileStep, limit = limits.shown): { before: Side; after: Side } {
  const before = step.before.state !== 'present' ? null : diskSide(files, step, limit);
  if (step.after === null) return { before, after: null };
  if ('append' in step.after) return { before, after: before instanceof Uint8Array ? Buffer.concat([before, step.after.append]) : before };
  return { before, after: contentSide(step.after.content, limit) };
}

export function contentSide({ pieces, size }: FileContent, limit: number): Side {
  if (size !== null && size > limit) return 'too large';
  const all: Uint8Array[] = [];
  let bytes = 0;
  for (const piece of pieces()) {
    bytes += piece.length;
    if (bytes > limit) return 'too large';
    all.push(piece);
  }
  return Buffer.concat(all);
}

/** A file on the disk, reached without following links. */
export function diskSide(files: FileSystem, { path, within }: Pick<FileStep, 'path' | 'within'>, limit: number): Side {
  try {
    const { folders, name } = placeOf(path, within);
    const folder = HeldFolder.open(files, within, folders, null);
    if (!folder) return 'not kept';
    try {
      const fact = folder.look(name);
      if (fact?.kind !== 'file') return 'not kept';
      return contentSide(fileContent(files, folder.at(name), fact.size), limit);
    } finally {
      folder.close();
    }
  } catch {
    return 'not kept';
  }
}

/** Lines added and removed; null where the sides are no text or too long. */
export function countedLines(files: FileSystem, step: FileStep): { added: number | null; removed: number | null } {
  if (step.after !== null && 'append' in step.after) {
    const added = textOf(step.after.append);
    return { added: added === null ? null : linesOf(added).length, removed: 0 };
  }
  const { before, after } = plannedSides(files, step, limits.counted);
  const hunks = hunksBetween(before, after);
  return hunks === null ? { added: null, removed: null } : countOf(hunks);
}

/** A file with its lines. */
export function planFileView(step: PlanFileStep, sides: { before: Side; after: Side }, large: boolean): PlanFileView {
  const { before, after } = sides;
  const hunks = hunksBetween(before, after)?.map(drawnHunk) ?? null;
  const chars = hunks === null ? 0 : charsOf(hunks);
  const isLarge = chars > hunkChars && !large;
  const tooLarge = before === 'too large' || after === 'too large';
  return {
    step, hunks: isLarge ? null : hunks,
    large: isLarge ? { chars } : tooLarge && Math.max(step.before ?? 0, step.after ?? 0) <= limits.large && !large ? { chars: Math.max(step.before ?? 0, step.after ?? 0) } : null,
    beginning: null,
  };
}

/** Bytes of a side that is read for a diff. */
export const sideLimit = (large: boolean): number => (large ? limits.large : limits.shown);

/** The first characters of a new file that is too long to be compared. */
export function beginningOf({ pieces }: FileContent): string | null {
  for (const piece of pieces()) {
    const text = new TextDecoder('utf-8').decode(piece.subarray(0, beginningChars * 2)).slice(0, beginningChars);
    return text.includes('\0') ? null : text.toWellFormed();
  }
  return '';
}

const charsOf = (hunks: readonly ChangeHunk[]): number => hunks.reduce((sum, { lines }) => sum + lines.reduce((inner, line) => inner + line.length + 1, 0), 0);

function hunksBetween(before: Side, after: Side): Hunk[] | null {
  if (before === 'too large' || after === 'too large' || before === 'not kept' || after === 'not kept') return null;
  const [old, now] = [before === null ? '' : textOf(before), after === null ? '' : textOf(after)];
  if (old === null || now === null) return null;
  const [oldText, newText] = [linesOf(old), linesOf(now)];
  return hunksOf(lineEdits(oldText, newText), (index) => oldText[index]);
}

function textOf(bytes: Uint8Array): string | null {
  const content = bytesContent(bytes, blobId(bytes));
  return content.state === 'text' ? content.text : null;
}

/** A backup, or nothing where it is not kept any more. */
export function keptSide(files: FileSystem, path: string, bytes: number, limit: number): Side {
  try {
    return files.look(path)?.kind === 'file' ? contentSide(fileContent(files, path, bytes), limit) : 'not kept';
  } catch {
    return 'not kept';
  }
}
