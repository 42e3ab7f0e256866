import type { LostItem } from '@shared/model';

/** Something that was said or done in a compacted stretch, and the part that tells of it. */
export interface StretchItem {
  kind: LostItem['kind'];
  text: string;
  /** Place of its part in the stretch. */
  at: number;
}

export interface FoundItem extends StretchItem {
  times: number;
}

export interface Losses {
  found: Record<LostItem['kind'], { total: number; kept: number }>;
  lost: FoundItem[];
}

/** Words by which an answer's sentence is taken for a decision. */
const decisionWords = /\b(decid\w*|decision|instead of|rather than|chose|choose|chosen|will use|use[sd]? .{1,60} because|must not|should not|do not use|never|agreed|settled on|going with|go with|opted|prefer(?:red)?|switch(?:ed)? to|because)\b/i;
/** Characters of a sentence that is looked at; shorter ones say too little, longer ones are lists or code. */
const sentenceLength = { least: 20, most: 400 };
/** Share of a sentence's words that have to stand in the summary for it to count as named. */
const namedShare = 0.6;
/** Letters from which a word says something. */
const tellingLetters = 4;

/** The sentences of an answer that read like decisions; code blocks are left out. */
export function decisionsIn(text: string): string[] {
  const prose = text.replace(/```[\s\S]*?(```|$)/g, '\n');
  return prose
    .split(/(?<=[.!?])\s+|\n+/)
    .map((sentence) => sentence.replace(/^[\s>*#\d.)-]+/, '').trim())
    .filter((sentence) => sentence.length >= sentenceLength.least && sentence.length <= sentenceLength.most && decisionWords.test(sentence));
}

/** A command as it is compared: its first line, one space between words, a leading change of folder left out. */
export function commandLine(command: string): string {
  const line = command.trim().split('\n')[0] ?? '';
  return line.replace(/\s+/g, ' ').replace(/^cd \S+ && /, '');
}

/** The same item told several times is one; its last place counts. */
export function mergedItems(items: readonly StretchItem[]): FoundItem[] {
  const merged = new Map<string, FoundItem>();
  for (const item of items) {
    const key = `${item.kind} ${item.text}`;
    const known = merged.get(key);
    if (known) Object.assign(known, { at: Math.max(known.at, item.at), times: known.times + 1 });
    else merged.set(key, { ...item, times: 1 });
  }
  return [...merged.values()];
}

/** Files, commands, decisions; of each first what is told most often. */
export const byKind = (a: FoundItem, b: FoundItem): number => kindOrder.indexOf(a.kind) - kindOrder.indexOf(b.kind) || b.times - a.times || a.at - b.at;

/** Whether a text with these words says what a sentence of `own` words says: by most of them, not by meaning. */
export function saysSo(words: ReadonlySet<string>, own: readonly string[]): boolean {
  return own.length === 0 || own.filter((word) => words.has(word)).length / own.length >= namedShare;
}

/** Which of the items the summary does not name. */
export function lossesOf(items: readonly StretchItem[], summary: string): Losses {
  const merged = mergedItems(items);
  const words = new Set(wordsOf(summary));
  const spaced = summary.replace(/\s+/g, ' ');
  const losses: Losses = { found: { file: { total: 0, kept: 0 }, command: { total: 0, kept: 0 }, decision: { total: 0, kept: 0 } }, lost: [] };
  for (const item of merged) {
    const count = losses.found[item.kind];
    count.total++;
    if (isNamed(item, spaced, words)) count.kept++;
    else losses.lost.push(item);
  }
  losses.lost.sort(byKind);
  return losses;
}

const kindOrder: LostItem['kind'][] = ['file', 'command', 'decision'];

function isNamed({ kind, text }: StretchItem, summary: string, words: ReadonlySet<string>): boolean {
  switch (kind) {
    case 'file':
      return standsIn(summary, text) || standsIn(summary, text.split(/[\\/]/).at(-1) ?? text);
    case 'command':
      return summary.includes(text) || standsIn(summary, firstWords(text));
    case 'decision':
      return saysSo(words, wordsOf(text));
  }
}

/** The program and what it was told to do: the first two words that are no options or settings. */
function firstWords(command: string): string {
  return command.split(' ').filter((word) => !word.startsWith('-') && !/^\w+=/.test(word)).slice(0, 2).join(' ');
}

/** Whether a name stands in a text by itself, not as a piece of a longer name. */
function standsIn(text: string, name: string): boolean {
  if (name === '') return false;
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    if (!/[\w.-]/.test(text[at - 1] ?? ' ') && !/[\w-]/.test(text[at + name.length] ?? ' ')) return true;
  }
  return false;
}

/** The words of a text that are long enough to say something. */
export const wordsOf = (text: string): string[] => (text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []).filter((word) => word.length >= tellingLetters);
