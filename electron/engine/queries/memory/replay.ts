import type { Certainty } from '@shared/model';
import { diffArrays } from 'diff';
import type { TextChange, TextStep } from '../../stores/store';

/** Line changes looked for between two texts; beyond it only what both begin and end with counts as kept. */
const changesLimit = 4_000;

/** Number of the call that wrote a line; `scaffold`: the plugin put it there; null: no recorded call did. */
type Writer = number | 'scaffold' | null;

interface Line {
  text: string;
  writer: Writer;
  certainty: Certainty | null;
}

/** A stretch of lines of one writer; lines from 1, both included. */
export interface WrittenPiece {
  from: number;
  to: number;
  writer: Writer;
  certainty: Certainty | null;
}

/** One recorded call. `change` is null where the record does not tell what it did, `done` is false where no result says that it was done. */
export interface WritingCall {
  change: TextChange | null;
  done: boolean;
}

/**
 * Tells who wrote which lines of a text: the recorded calls are done again, oldest first, and a line belongs to the call
 * that put it in or changed it last. What a record says of the text before a call corrects what is known so far, so
 * that changes nobody recorded (by a person, by a shell command) are nobody's. A line that came back in such a change, and
 * lines of calls that could not be done again, are found by their words, and said to be inferred. Blank lines go with the
 * line before. `scaffold` is what the plugin made the file with, before any call: nothing records that, so it is inferred.
 */
export function whoWrote(text: string, calls: readonly WritingCall[], scaffold = ''): WrittenPiece[] {
  const replay = new Replay(scaffold);
  const undone: number[] = [];
  calls.forEach((call, number) => {
    if (!call.done || !call.change || !replay.apply(call.change, number)) undone.push(number);
  });
  const lines = replay.correctedTo(text);
  for (const number of undone.reverse()) inferLines(lines, calls[number]?.change ?? null, number);
  return piecesOf(lines);
}

const plain = (text: string): string => text.replaceAll('\r\n', '\n');

/** Lines without their ends; the end of the last line begins no other. */
export function linesOf(text: string): string[] {
  const lines = plain(text).split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

class Replay {
  #text = '';
  #lines: Line[] = [];
  /** Who wrote a line last, by its words: going back brings lines back that had gone. */
  #writers = new Map<string, Exclude<Writer, null>>();

  constructor(scaffold: string) {
    if (scaffold !== '') this.#become(scaffold, 'scaffold');
  }

  /** False when the call cannot be done on the text as far as it is known. */
  apply({ before, steps }: TextChange, number: number): boolean {
    if (before !== null) this.#become(before, null);
    let text = this.#text;
    for (const step of steps) {
      const next = stepped(text, step);
      if (next === null) return false;
      text = next;
    }
    this.#become(text, number);
    return true;
  }

  correctedTo(text: string): Line[] {
    this.#become(text, null);
    return this.#lines;
  }

  #become(text: string, writer: Writer): void {
    this.#text = plain(text);
    this.#lines = carriedOver(this.#lines, linesOf(text), (line) => {
      if (writer !== null) {
        if (line.trim() !== '') this.#writers.set(line, writer);
        return { text: line, writer, certainty: writer === 'scaffold' ? 'inferred' : 'recorded' };
      }
      const earlier = this.#writers.get(line) ?? null;
      return { text: line, writer: earlier, certainty: earlier === null ? null : 'inferred' };
    });
  }
}

function stepped(text: string, step: TextStep): string | null {
  if ('whole' in step) return plain(step.whole);
  const [old, put] = [plain(step.old), plain(step.put)];
  // An empty old text makes a new file.
  if (old === '') return text === '' ? put : null;
  if (!text.includes(old)) return null;
  return step.everywhere ? text.replaceAll(old, () => put) : text.replace(old, () => put);
}

/** The lines of a new text: those that stayed keep their writer. */
function carriedOver(before: readonly Line[], after: readonly string[], made: (text: string) => Line): Line[] {
  let head = 0;
  while (head < before.length && head < after.length && before[head]?.text === after[head]) head++;
  let tail = 0;
  while (tail < before.length - head && tail < after.length - head && before.at(-1 - tail)?.text === after.at(-1 - tail)) tail++;
  const old = before.slice(head, before.length - tail);
  const put = after.slice(head, after.length - tail);
  const changes = diffArrays(old.map(({ text }) => text), put, { maxEditLength: changesLimit });
  const middle: Line[] = [];
  let at = 0;
  for (const { value, added, removed } of changes ?? [{ value: put, added: true, removed: false }]) {
    if (added) middle.push(...value.map(made));
    else if (!removed) middle.push(...old.slice(at, at + value.length));
    if (!added) at += value.length;
  }
  return [...before.slice(0, head), ...middle, ...before.slice(before.length - tail)];
}

/** Gives lines that are nobody's to a call whose words hold the same line. */
function inferLines(lines: Line[], change: TextChange | null, number: number): void {
  const words = new Set((change?.steps ?? []).flatMap((step) => linesOf('whole' in step ? step.whole : step.put)).filter((line) => line.trim() !== ''));
  for (const line of lines) {
    if (line.writer !== null || !words.has(line.text)) continue;
    line.writer = number;
    line.certainty = 'inferred';
  }
}

function piecesOf(lines: readonly Line[]): WrittenPiece[] {
  const pieces: WrittenPiece[] = [];
  lines.forEach(({ text, writer, certainty }, at) => {
    const last = pieces.at(-1);
    if (last && ((last.writer === writer && last.certainty === certainty) || text.trim() === '')) last.to = at + 1;
    else pieces.push({ from: at + 1, to: at + 1, writer, certainty });
  });
  return pieces;
}
