import type { DiffScope, SessionId } from '@shared/model';
import { call } from '../../rpc';
import { formatCount } from '../../ui/format';
import type { Gap, GapEnd } from './lines/gaps';

/** Lines shown with one press, and at most when all are asked for: a gap with more is opened so many at a time. */
export const stepLines = 20;
export const mostLines = 20_000;
/** Lines asked for at once. */
const window = 2_000;

/** Unchanged lines of one end of a gap, and the number of the first of them before the change. */
export interface GapLines {
  from: number;
  texts: string[];
}

/** Asks for lines of a gap. Fewer come where they are long; none where the file is not known any more. */
export async function linesOfGap(session: SessionId, scope: DiffScope, path: string, { old, left }: Gap, end: GapEnd, count: number): Promise<GapLines | null> {
  const wanted = Math.min(count, left, mostLines);
  const from = end === 'above' ? old : old + left - wanted;
  const texts: string[] = [];
  while (texts.length < wanted) {
    const answer = await call('diff.lines', { session, scope, path, from: from + texts.length, count: Math.min(window, wanted - texts.length) });
    if (answer?.state !== 'known' || answer.lines.length === 0) return null;
    texts.push(...answer.lines);
    if (answer.cut > 0) texts.push(`${texts.pop() ?? ''} … ${formatCount(answer.cut)} characters more`);
  }
  return { from, texts };
}
