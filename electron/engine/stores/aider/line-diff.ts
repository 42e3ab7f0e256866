/** A line that stays, goes or comes. */
export interface LineChange {
  mark: ' ' | '-' | '+';
  text: string;
}

/** Pairs of lines compared; beyond it the middle of a block is shown as taken out and put in whole. */
const pairsLimit = 400_000;

/** How one list of lines became the other, with as many lines kept as possible. */
export function lineChanges(before: string[], after: string[]): LineChange[] {
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head++;
  let tail = 0;
  while (tail < before.length - head && tail < after.length - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  const middle = changesBetween(before.slice(head, before.length - tail), after.slice(head, after.length - tail));
  const kept = (text: string): LineChange => ({ mark: ' ', text });
  return [...before.slice(0, head).map(kept), ...middle, ...before.slice(before.length - tail).map(kept)];
}

function changesBetween(before: string[], after: string[]): LineChange[] {
  const gone = (text: string): LineChange => ({ mark: '-', text });
  const come = (text: string): LineChange => ({ mark: '+', text });
  if (before.length * after.length > pairsLimit) return [...before.map(gone), ...after.map(come)];
  const width = after.length + 1;
  // Longest common run of lines behind each pair.
  const common = new Uint32Array((before.length + 1) * width);
  const at = (i: number, j: number): number => common[i * width + j] ?? 0;
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) common[i * width + j] = before[i] === after[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  }
  const changes: LineChange[] = [];
  let i = 0;
  let j = 0;
  while (i < before.length && j < after.length) {
    if (before[i] === after[j]) {
      changes.push({ mark: ' ', text: before[i++] as string });
      j++;
    } else if (at(i + 1, j) >= at(i, j + 1)) changes.push(gone(before[i++] as string));
    else changes.push(come(after[j++] as string));
  }
  return [...changes, ...before.slice(i).map(gone), ...after.slice(j).map(come)];
}
