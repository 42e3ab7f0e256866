import type { NativeId } from '@shared/model';
import { batchBytes } from '../store';
import { carryOf } from './carry';
import { contentOf } from './content';
import type { WitnessChat } from './cursor';
import { OpenFile } from './file';
import { linesOf } from './lines';
import { runNative } from './places';
import { splitBlocks } from './split';
import { wallTime } from './time';

export interface Run {
  native: NativeId;
  /** Local, ms as if UTC. */
  started: number;
}

/** The runs of a history from one of them on. Null when the file cannot be read. */
export function runsIn(path: string, from: number): { runs: Run[]; chat: WitnessChat } | null {
  let file: OpenFile;
  try {
    file = new OpenFile(path);
  } catch {
    return null;
  }
  try {
    const { runs, last } = headersOf(file, from);
    return { runs, chat: { path, file: file.stamp, read: file.probe(last.end), run: last.at } };
  } finally {
    file.close();
  }
}

/** Bytes looked at together at the most: a block that is longer holds no header that is known to be one. */
const longestStep = 64 * 1024 * 1024;

/** Headers are found by the same rules as when the file is projected, in steps of bounded size. */
function headersOf(file: OpenFile, from: number): { runs: Run[]; last: { at: number; end: number } } {
  const runs: Run[] = [];
  let last = { at: from, end: from };
  let { split } = carryOf(null);
  let at = from;
  for (let step = batchBytes; step <= longestStep; ) {
    const bytes = file.read(at, step);
    const { blocks } = splitBlocks(linesOf(bytes, at), split);
    for (const block of blocks) {
      if (block.kind !== 'run') continue;
      const record = bytes.subarray(block.at - at, block.end - at);
      const started = wallTime(contentOf(record).started ?? '');
      if (started === null) continue;
      runs.push({ native: runNative(file.path, block.at), started });
      const lineEnd = record.indexOf(10, record.indexOf('#'));
      last = { at: block.at, end: lineEnd < 0 ? block.end : block.at + lineEnd };
    }
    const open = blocks.at(-1);
    if (at + bytes.length >= file.stamp.size || !open) break;
    step = open.at === at ? step * 2 : batchBytes;
    at = open.at;
    split = open.before;
  }
  return { runs, last };
}
