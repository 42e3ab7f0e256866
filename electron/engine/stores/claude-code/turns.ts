import type { Turn } from './evidence';

/**
 * The tree of a session's turns, from the lines that begin one. A turn follows the one before it in the file, unless
 * an earlier turn hangs under the same record: then it was sent after a rewind, and stands beside that one
 * (FORMAT.md, "Branches").
 */
export class TurnTree {
  readonly #before = new Map<string, string | null>();
  readonly #place = new Map<string, number>();
  /** Turns of the branch that the file ends in. */
  readonly active: Set<string>;

  constructor(turns: Turn[]) {
    const underParent = new Map<string | null, string>();
    let last: string | null = null;
    for (const turn of turns) {
      const sibling = underParent.get(turn.parent);
      // Roots have no record above them: a second one without a compaction was sent after a rewind to the very beginning.
      this.#before.set(turn.key, sibling === undefined ? last : (this.#before.get(sibling) ?? null));
      this.#place.set(turn.key, this.#place.size);
      if (sibling === undefined) underParent.set(turn.parent, turn.key);
      last = turn.key;
    }
    this.active = new Set(last === null ? [] : this.#line(last));
  }

  has(turn: string): boolean {
    return this.#before.has(turn);
  }

  /** Turns that share a branch with this one: those before it, and those after it (only the active ones where it is active itself). */
  sharesBranch(turn: string): (other: string) => boolean {
    if (this.active.has(turn)) return (other) => this.active.has(other);
    const before = new Set(this.#line(turn));
    const after = new Map<string, boolean>();
    const follows = (other: string): boolean => {
      const known = after.get(other);
      if (known !== undefined) return known;
      const passed: string[] = [];
      let at: string | null = other;
      let found = false;
      while (at !== null && !after.has(at) && !found) {
        passed.push(at);
        if (at === turn) found = true;
        at = this.#before.get(at) ?? null;
      }
      if (!found && at !== null) found = after.get(at) ?? false;
      for (const key of passed) after.set(key, found && (this.#place.get(key) ?? 0) >= (this.#place.get(turn) ?? 0));
      return after.get(other) ?? false;
    };
    return (other) => before.has(other) || follows(other);
  }

  #line(turn: string): string[] {
    const line: string[] = [];
    for (let at: string | null = turn; at !== null; at = this.#before.get(at) ?? null) line.push(at);
    return line;
  }
}
