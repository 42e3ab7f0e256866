import { formatBytes, formatCount } from '../../ui/format';
import type { FileDiff } from '@shared/model';

/**
 * A diff beyond the first of these is explained before it is drawn: reading it takes a while, and few want to. Beyond
 * the second the worker would need too much memory.
 */
const soft = { chars: 1_000_000, lines: 20_000, lineChars: 10_000 };
const hard = { chars: 128_000_000, lines: 1_500_000 };

export interface DiffSize {
  /** Why it is not drawn at once; null when it is. */
  why: string | null;
  /** False when it is too large to be drawn at all. */
  drawable: boolean;
}

/** Whether a diff is drawn at once. */
export function sizeOfDiff({ patch, large }: Pick<FileDiff, 'patch' | 'large'>): DiffSize {
  const { chars, lines, longestLine } = large ?? measured(patch ?? '');
  const reasons = [
    ...(lines > soft.lines ? [`it has ${formatCount(lines)} lines`] : []),
    ...(chars > soft.chars ? [`it has ${formatBytes(chars)}`] : []),
    ...(longestLine > soft.lineChars ? [`it has a line of ${formatCount(longestLine)} characters`] : []),
  ];
  return { why: reasons.length === 0 ? null : reasons.join(' and '), drawable: chars <= hard.chars && lines <= hard.lines };
}

function measured(patch: string): { chars: number; lines: number; longestLine: number } {
  let lines = 0;
  let longestLine = 0;
  for (let from = 0; from < patch.length; lines++) {
    const end = patch.indexOf('\n', from);
    const to = end < 0 ? patch.length : end;
    longestLine = Math.max(longestLine, to - from);
    from = to + 1;
  }
  return { chars: patch.length, lines, longestLine };
}
