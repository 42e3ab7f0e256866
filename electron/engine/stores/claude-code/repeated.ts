import { blockMark } from './assistant-entry';
import type { Entry } from './entry';

/** Blocks remembered: those of the last few messages; a repeated line follows its first writing closely. */
const remembered = 32;

/**
 * Some writers put a line of an answer into the file twice, under two ids, with a growing count of tokens
 * (FORMAT.md, "Repeated lines"). The second one counts for the tokens and shows nothing.
 */
export class RepeatedBlocks {
  constructor(readonly marks: [string, string, string][]) {}

  isRepeated(entry: Entry, message: string, key: string): boolean {
    const mark = blockMark(entry);
    if (mark === null) return false;
    const known = this.marks.find(([id, other]) => id === message && other === mark);
    // The same line once more replaces itself: it must keep what it shows.
    if (known) return known[2] !== key;
    this.marks.push([message, mark, key]);
    if (this.marks.length > remembered) this.marks.shift();
    return false;
  }
}
