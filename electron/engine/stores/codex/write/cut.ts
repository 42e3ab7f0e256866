import type { SpineRecord } from '../../store';
import { rolloutName } from '../names';
import { endsTurn, opensTurn, scanLines, type ScannedLine } from './line-scan';
import { firstLine, type FirstLine, type RolloutText, type RolloutTexts, withText } from './texts';
import type { Turn, TurnPoint } from './turn-points';

/** Which way a thread's lines are kept (FORMAT.md, "Shapes"). */
export type Shape = 'paginated' | 'legacy' | 'old';

/** A stretch of a rollout from its beginning. */
export interface Segment {
  text: RolloutText;
  /** Bytes of the text that belong to the thread. */
  until: number;
}

/** Lines of a thread up to the end of a turn. */
export interface Cut {
  shape: Shape;
  /** First line of the rollout the thread goes on in: what a fork's own first line is made after. */
  meta: FirstLine;
  /** Oldest first; the last one holds the cut. */
  segments: Segment[];
  /** Number of the first line behind the cut; null in files without numbers. */
  ordinal: number | null;
  /** The cut is on the disk, and all that it leans on. */
  isOnDisk: boolean;
  /** A file it leans on lies with the archived threads. */
  isArchived: boolean;
}

export interface NoCut {
  refused: string;
}

/** Longest chain of bases that is followed, as in threads.ts. */
const longestChain = 1_000;

/** Places a point in the files. */
export function cutAt(point: TurnPoint, texts: RolloutTexts): Cut | NoCut {
  const last = point.kept.at(-1);
  if (!last) return { refused: 'No whole turn stands before this point: nothing would be kept. A new thread is begun with `codex`.' };
  const live = point.chain.live;
  const rollout = live && rolloutName(live.source)?.rollout;
  const text = rollout == null ? null : texts.ofRollout(rollout);
  if (!live || !text) return { refused: 'The lines of this thread are not there any more, neither on the disk nor in the library.' };
  const meta = firstLine(text);
  if (!meta) return { refused: `The first line of ${live.source} cannot be read.` };
  if (live.disorder !== null) return { refused: `The numbers of its lines stop rising at line ${live.disorder} of ${live.source}: Codex would not take a fork of it.` };
  if (!meta.isEnvelope) return whole('old', meta, text, boundaryOf(text, last, point));
  return meta.ordinal === null ? whole('legacy', meta, text, boundaryOf(text, last, point)) : chained(meta, text, last, texts);
}

/** Threads of one file. */
function whole(shape: Shape, meta: FirstLine, text: RolloutText, until: number | NoCut): Cut | NoCut {
  if (typeof until !== 'number') return until;
  return { shape, meta, segments: [{ text, until }], ordinal: null, isOnDisk: text.file !== null, isArchived: text.file?.archived === true };
}

const notThere: NoCut = { refused: 'The end of the last turn before this point is not where it was read. Retrace has to read the thread again first.' };

/** Offset of a record in a file without numbers, as its key tells. */
function offsetOf(record: SpineRecord): number | null {
  const at = /@(\d+)(?:\.step)?\+?$/.exec(record.key ?? '')?.[1];
  return at === undefined ? null : Number(at);
}

function boundaryOf(text: RolloutText, last: Turn, point: TurnPoint): number | NoCut {
  if (last.end) {
    const at = offsetOf(last.end);
    const line = at === null ? null : lineWhere(text, (each) => each.at === at);
    return line && endsTurn(line) ? line.end : notThere;
  }
  // No end is marked: the last line of what the model said and did before the boundary.
  const until = point.boundary && point.boundary.source === last.start.source ? offsetOf(point.boundary) : Number.POSITIVE_INFINITY;
  if (until === null) return notThere;
  return withText(text, (bytes) => {
    let end = 0;
    for (const line of scanLines(bytes)) {
      if (line.at >= until) break;
      if (!opensTurn(line)) end = line.end;
    }
    return end > 0 ? end : notThere;
  });
}

function lineWhere(text: RolloutText, is: (line: ScannedLine) => boolean): ScannedLine | null {
  return withText(text, (bytes) => {
    for (const line of scanLines(bytes)) if (is(line)) return line;
    return null;
  });
}

/** Threads of numbered lines: follows the bases to the rollout that holds the line, and on to the beginning. */
function chained(meta: FirstLine, live: RolloutText, last: Turn, texts: RolloutTexts): Cut | NoCut {
  const { end } = last;
  if (!end || end.order === null || !Number.isInteger(end.order)) return notThere;
  const ordinal = end.order + 1;
  const missing = (rollout: string): NoCut => ({ refused: `It continues rollout ${rollout}, which is not there any more, neither on the disk nor in the library.` });
  let text = live;
  let first: FirstLine | null = meta;
  for (let steps = 0; first?.base && ordinal <= first.base.ordinal && steps < longestChain; steps++) {
    const base = texts.ofRollout(first.base.rollout);
    if (!base) return missing(first.base.rollout);
    text = base;
    first = firstLine(base);
  }
  const line = lineWhere(text, (each) => each.ordinal === end.order);
  if (!line || !endsTurn(line)) return notThere;
  const segments: Segment[] = [{ text, until: line.end }];
  for (let steps = 0; first?.base && steps < longestChain; steps++) {
    const { rollout, bytes } = first.base;
    const base = texts.ofRollout(rollout);
    if (!base) return missing(rollout);
    // The log's copy of a base ends where it ends in the file.
    segments.unshift({ text: base, until: bytes });
    first = firstLine(base);
  }
  const files = segments.map(({ text: { file } }) => file);
  return { shape: 'paginated', meta, segments, ordinal, isOnDisk: files.every((file) => file !== null), isArchived: files.some((file) => file?.archived === true) };
}
