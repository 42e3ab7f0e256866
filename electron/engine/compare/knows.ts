import { byKind, type FoundItem, mergedItems, saysSo, type StretchItem, wordsOf } from '../context/losses';

/** How files, commands and decisions of one side are told from those of the other. */
export const howKnown = [
  'Files: paths that tools read, wrote or edited, and attached files; below the recorded folder of a session they are compared without it.',
  'Commands: first lines of shell calls, compared word for word.',
  'Decisions: the last 500 sentences of the model that hold a word such as “decided”, “instead of” or “because”. The other side knows one when six of ten of its words of four letters and more stand in one such sentence of its own. This is a guess by words, not by meaning.',
  'What stands in the common beginning both know.',
];

/** What one side tells of and the other does not. `known` is everything the other tells of, the common beginning included. */
export function knownOnly(own: readonly StretchItem[], known: readonly StretchItem[]): FoundItem[] {
  const exact = new Set(known.map(({ kind, text }) => `${kind} ${text}`));
  const decisions = known.flatMap(({ kind, text }) => (kind === 'decision' ? [new Set(wordsOf(text))] : []));
  return mergedItems(own)
    .filter(({ kind, text }) => !exact.has(`${kind} ${text}`) && !(kind === 'decision' && isSaidBy(decisions, wordsOf(text))))
    .sort(byKind);
}

const isSaidBy = (decisions: readonly ReadonlySet<string>[], words: readonly string[]): boolean => decisions.some((known) => saysSo(known, words));

/** A path as it is compared: without the folder its session worked in, so that a fork in another worktree has the same names. */
export function pathWithin(path: string, folder: string | null): string {
  const root = folder?.replace(/[\\/]+$/, '') ?? '';
  return root !== '' && path.startsWith(root) && /[\\/]/.test(path[root.length] ?? '') ? path.slice(root.length + 1) : path;
}
