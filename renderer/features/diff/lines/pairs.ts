import { newDistanceFn, newMatcherFn } from 'diff2html/lib/rematch';
import { diffArrays } from 'diff';

/** Lines that stand across from each other; -1 where there is none. Indexes are into what was given. */
export type Pair = [removed: number, added: number];

/** Bounds on finding like lines: comparisons of one block, and characters of a line. The cost grows with both squares. */
const matched = { comparisons: 1_000, chars: 200 };
/** Bound on finding lines that differ in blanks only. */
const alike = { lines: 4_000, edits: 400 };

interface Numbered {
  text: string;
  at: number;
}
const match = newMatcherFn<Numbered>(newDistanceFn(({ text }) => text));

/** What finding like lines in a block costs at least, in compared characters; 0 where they are paired by position. */
export function costOf(removed: readonly string[], added: readonly string[]): number {
  const comparisons = removed.length * added.length;
  if (comparisons <= 1 || comparisons > matched.comparisons) return 0;
  const longest = [...removed, ...added].reduce((most, { length }) => Math.max(most, length), 0);
  return longest > matched.chars ? 0 : comparisons * longest * longest;
}

/** Which removed line became which added one. diff2html finds those that are like each other; large blocks are paired by position, and those beyond a `budget`. */
export function pairsOf(removed: readonly string[], added: readonly string[], budget = Infinity): Pair[] {
  const cost = costOf(removed, added);
  if (cost === 0 || cost > budget) return byPosition(removed.map((_, at) => at), added.map((_, at) => at));
  const numbered = (lines: readonly string[]) => lines.map((text, at) => ({ text, at }));
  return match(numbered(removed), numbered(added)).flatMap(([left = [], right = []]) => byPosition(left.map(({ at }) => at), right.map(({ at }) => at)));
}

function byPosition(removed: readonly number[], added: readonly number[]): Pair[] {
  return Array.from({ length: Math.max(removed.length, added.length) }, (_, at): Pair => [removed[at] ?? -1, added[at] ?? -1]);
}

const withoutBlanks = (text: string): string => text.replace(/\s+/g, '');

/** Lines of a block that differ in blanks only, in order. */
export function blankPairs(removed: readonly string[], added: readonly string[]): Pair[] {
  if (removed.length === 0 || added.length === 0 || removed.length + added.length > alike.lines) return [];
  const parts = diffArrays(removed.map(withoutBlanks), added.map(withoutBlanks), { maxEditLength: alike.edits }) ?? [];
  const pairs: Pair[] = [];
  let [left, right] = [0, 0];
  for (const { value, added: isAdded, removed: isRemoved } of parts) {
    if (!isAdded && !isRemoved) value.forEach((_, at) => pairs.push([left + at, right + at]));
    if (!isAdded) left += value.length;
    if (!isRemoved) right += value.length;
  }
  return pairs;
}
