import { isUtf8 } from 'node:buffer';
import type { Damage } from '@shared/model';
import type { ProjectInput, Projection } from '../store';
import { type Carry, carryOf } from './carry';
import { foreignBytes, type Line, linesOf } from './lines';
import { nothingOpen } from './opaque';
import { placeOf, sourceOf } from './places';
import { projectWitness } from './witness-entries';
import { BlockReader } from './records';
import { type SplitState, splitBlocks } from './split';

/** Understands a batch of a history, or of what was written beside it. */
export function project(input: ProjectInput): Projection {
  const { kind, path } = sourceOf(input.source);
  return kind === 'chat' ? projectChat(input, path) : projectWitness(input, kind);
}

/**
 * The last block of a batch may go on in the next one. So its bytes are kept and read again together with what follows:
 * its record, and what is known of the turn from there on, replace what was said before. Where a batch ends makes no difference.
 */
function projectChat(input: ProjectInput, path: string): Projection {
  const carry = carryOf(input.carry);
  const { bytes, at, line, split } = whole(input, carry);
  const lines = linesOf(bytes, at);
  const foreign = foreignLines(bytes, at, lines);
  const { blocks, rest } = splitBlocks(lines, split);
  const reader = new BlockReader(path, carry.turn);
  let { turn } = carry;
  let place = 0;
  for (const [index, block] of blocks.entries()) {
    if (index === blocks.length - 1) turn = structuredClone(reader.turn);
    let strange = 0;
    for (; (foreign[place]?.at ?? Infinity) < block.end; place++) strange += foreign[place]?.bytes ?? 0;
    reader.take(block, bytes.subarray(block.at - at, block.end - at), strange);
  }
  const torn = tornBytes(lines);
  reader.end(torn);
  const last = blocks.at(-1) ?? (lines.length === 0 ? { at, before: split } : rest);
  const next: Carry = { version: 1, turn, at: last.at, held: '', line: line + lines.filter((each) => each.stop < last.at).length, split: last.before };
  next.held = Buffer.from(bytes.subarray(next.at - at)).toString('base64');
  return {
    records: reader.records, evidence: [...reader.evidence.values()], removed: [],
    damage: [...foreignDamage(input, foreign, lines, line), ...(reader.records.length === 0 ? tornDamage(input, torn, lines, line) : [])],
    unknown: {}, carry: next,
  };
}

/** The batch with what was kept before it. After a gap (a line too long to read) what follows is taken for more of an answer. */
function whole(input: ProjectInput, carry: Carry): { bytes: Uint8Array; at: number; line: number; split: SplitState } {
  const held = Buffer.from(carry.held, 'base64');
  if (input.at === carry.at + held.length) {
    return { bytes: held.length === 0 ? input.bytes : Buffer.concat([held, input.bytes]), at: carry.at, line: carry.line, split: carry.split };
  }
  const passed = linesOf(held, carry.at).length;
  return { bytes: input.bytes, at: input.at, line: carry.line + passed + 1, split: { ...carry.split, mode: 'answer', blanks: 1, opaque: nothingOpen, inside: null } };
}

interface ForeignPlace {
  at: number;
  bytes: number;
  /** Which of the lines. */
  line: number;
}

/** Lines with bytes that are not UTF-8. A torn line may end inside a letter: it is looked at when it is whole. */
function foreignLines(bytes: Uint8Array, at: number, lines: Line[]): ForeignPlace[] {
  if (isUtf8(bytes)) return [];
  return lines.flatMap((each, line) => {
    if (each.torn || !each.text.includes('\ufffd')) return [];
    const found = foreignBytes(Buffer.from(bytes.subarray(each.at - at, each.stop - at)));
    return found ? [{ at: each.at + found.at, bytes: found.bytes, line }] : [];
  });
}

/** Each place once: in the batch that brings the end of its line. */
function foreignDamage(input: ProjectInput, foreign: ForeignPlace[], lines: Line[], line: number): Damage[] {
  return foreign
    .filter((place) => (lines[place.line]?.stop ?? 0) >= input.at)
    .map(({ at, bytes, line: index }) => ({
      place: placeOf(input.source), line: line + index + 1, at, bytes, reason: `${bytes === 1 ? 'one byte is' : `${bytes} bytes of this line are`} not UTF-8, shown as \ufffd`,
    }));
}

/** Bytes of a last line that has no end. */
function tornBytes(lines: Line[]): number {
  const last = lines.at(-1);
  return last?.torn && last.text.trim() !== '' ? last.stop - last.at : 0;
}

/** Where there is no run that could tell it. Said of the stream's end, so that the next batch takes it back. */
function tornDamage(input: ProjectInput, torn: number, lines: Line[], line: number): Damage[] {
  if (torn === 0) return [];
  const reason = `the file ends inside a line, ${torn} bytes after its beginning: cut, or still being written`;
  return [{ place: placeOf(input.source), line: line + lines.length, at: lines.at(-1)?.stop ?? input.at, bytes: 0, reason }];
}
