import type { MergePiece, RevertMerge } from '@shared/model';
import { diff3Merge } from 'node-diff3';
import { type Content, linesOf } from '../diff/content';

/** Lines of a text that is merged: the work grows with their square where they are much alike. */
const lineLimit = 8_000;

/**
 * Takes the session's change (from `before` to `left`) out of the file as it is now, and keeps what others changed since.
 * Null where not all three are texts, or one is too long.
 */
export function mergeBack(before: Content, left: Content, now: Content): RevertMerge | null {
  const texts = [now, left, before].map((content) => (content.state === 'text' ? linesOf(content.text) : null));
  const [ours, common, theirs] = texts;
  if (!ours || !common || !theirs || texts.some((lines) => (lines?.length ?? 0) > lineLimit)) return null;
  const pieces: MergePiece[] = [];
  for (const { ok, conflict } of diff3Merge(ours, common, theirs, { excludeFalseConflicts: true })) {
    if (ok) pieces.push({ kind: 'settled', lines: ok });
    else if (conflict) pieces.push({ kind: 'disputed', now: conflict.a, left: conflict.o, before: conflict.b });
  }
  return { disputed: pieces.filter(({ kind }) => kind === 'disputed').length, pieces };
}

/** The merge as a file would hold it, disputed places with the marks that git uses. Null where there is no merge. */
export function mergedText(before: Content, left: Content, now: Content): { text: string; disputed: number } | null {
  const merge = mergeBack(before, left, now);
  if (merge === null) return null;
  const end = now.state === 'text' && now.text.includes('\r\n') ? '\r\n' : '\n';
  const text = merge.pieces.map((piece) => (piece.kind === 'settled' ? piece.lines.join('') : marked(piece, end))).join('');
  return { text, disputed: merge.disputed };
}

function marked({ now, left, before }: Extract<MergePiece, { kind: 'disputed' }>, end: string): string {
  const side = (lines: readonly string[]) => lines.map((line) => (line.endsWith('\n') ? line : line + end)).join('');
  return `<<<<<<< now${end}${side(now)}||||||| as the session left it${end}${side(left)}=======${end}${side(before)}>>>>>>> before the message${end}`;
}
