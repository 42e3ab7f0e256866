import { basename } from 'node:path/posix';
import type { ComposedFile } from './composition';
import { type Content, contentId, linesOf, sameContent } from './content';
import { type NetChange, netBetween } from './net-change';

/**
 * Files that went and came are compared for likeness pair by pair: so many pairs, so many lines read and looked up in
 * all, and texts up to so many characters. Beyond it only files of one name are compared, or none, and a note says so.
 * Equal files cost no more than a look at their characters, where lengths are alike, and are always found.
 */
const limits = { pairs: 10_000, lines: 4_000_000, chars: 1_000_000 };

/** What a renamed file that was changed must share with the one that went, in characters of equal lines, and how long it must be for that to mean something. */
const likeness = { share: 0.75, chars: 50 };

/**
 * A file that went and one that came with the same or nearly the same content, where no record tells of a rename: a
 * shell's `mv`, or a deletion and a new file. Such a pair is one rename, with what says so. Files that were edited are
 * not looked at, and the lines of no change are.
 */
export function withRenames(files: readonly ComposedFile[]): { files: ComposedFile[]; cut: boolean } {
  const gone = files.filter(({ net }) => net.kind === 'delete' && isKnown(net, net.before));
  const came = gone.length === 0 ? [] : files.filter(({ net }) => net.kind === 'create' && isKnown(net, net.after));
  if (came.length === 0) return { files: [...files], cut: false };
  const pairs = new Pairs(gone, came);
  pairs.findEqual();
  pairs.findAlike();
  const taken = new Set([...pairs.renames.values()].map(({ from }) => from));
  return { files: files.flatMap((file) => (taken.has(file) ? [] : [pairs.renames.get(file)?.renamed ?? file])), cut: pairs.cut };
}

/** What the file held is known whole, and says something: empty files, and blank ones, are all alike. */
const isKnown = ({ gap }: NetChange, content: Content): boolean => (content.state === 'text' ? gap === null && content.text.trim() !== '' : content.state === 'binary' && content.bytes > 0);

/** Files that went and held the same. */
interface Equal {
  count: number;
  /** Those that may still be taken begin the lists. */
  files: ComposedFile[];
  byName: Map<string, ComposedFile[]>;
}

class Pairs {
  /** By the file that came. */
  readonly renames = new Map<ComposedFile, { from: ComposedFile; renamed: ComposedFile }>();
  cut = false;
  readonly #gone: Set<ComposedFile>;
  readonly #came: Set<ComposedFile>;
  readonly #lines = new Map<ComposedFile, Map<string, number>>();
  #linesLeft = limits.lines;

  constructor(gone: readonly ComposedFile[], came: readonly ComposedFile[]) {
    this.#gone = new Set(gone);
    this.#came = new Set(came);
  }

  findEqual(): void {
    const equal = this.#equalFiles();
    // A file that kept its name in another folder is taken before one that only holds the same.
    for (const sameName of [true, false]) {
      for (const [to, { count, files, byName }] of equal) {
        const from = this.#came.has(to) ? this.#nextOf(sameName ? byName.get(nameOf(to)) : files) : undefined;
        if (from) this.#join(from, to, `No record tells of a rename: ${told(from)} went, and this file came and held the same.${count > 1 ? ` ${count} files that went held the same; which became this one is not known.` : ''}`);
      }
    }
  }

  /** For each file that came, those that went and held the same. Only contents of one length are looked at. */
  #equalFiles(): Map<ComposedFile, Equal> {
    const lengths = new Set([...this.#gone].map(({ net }) => lengthOf(net.before)));
    const came = [...this.#came].filter(({ net }) => lengths.has(lengthOf(net.after)));
    const wanted = new Set(came.map(({ net }) => lengthOf(net.after)));
    const gone = [...this.#gone].filter(({ net }) => wanted.has(lengthOf(net.before)));
    const byContent = new Map([...Map.groupBy(gone, ({ net }) => contentId(net.before))].map(([id, [first, ...rest]]) => {
      // Of different contents with one id, which is next to impossible, only those like the first are found.
      const files = first ? [first, ...rest.filter(({ net }) => sameContent(net.before, first.net.before))] : [];
      return [id, { count: files.length, files, byName: Map.groupBy(files, nameOf) }] as const;
    }));
    return new Map(came.flatMap((to) => {
      const equal = byContent.get(contentId(to.net.after));
      return equal?.files[0] && sameContent(equal.files[0].net.before, to.net.after) ? [[to, equal] as const] : [];
    }));
  }

  /** Takes the next file off a list that is not part of a rename yet. */
  #nextOf(files: ComposedFile[] | undefined): ComposedFile | undefined {
    for (let next = files?.shift(); next; next = files?.shift()) if (this.#gone.has(next)) return next;
    return undefined;
  }

  findAlike(): void {
    const isText = (content: Content) => content.state === 'text' && content.text.length >= likeness.chars && content.text.length <= limits.chars;
    const gone = [...this.#gone].filter(({ net }) => isText(net.before));
    const came = [...this.#came].filter(({ net }) => isText(net.after));
    const isFew = gone.length * came.length <= limits.pairs;
    if (!isFew) this.cut = true;
    const byName = isFew ? null : Map.groupBy(gone, nameOf);
    const found: { from: ComposedFile; to: ComposedFile; share: number }[] = [];
    let pairs = 0;
    for (const to of came) {
      for (const from of byName ? (byName.get(nameOf(to)) ?? []) : gone) {
        if (this.#linesLeft <= 0 || ++pairs > limits.pairs) {
          this.cut = true;
          break;
        }
        const share = this.#share(from, to);
        if (share >= likeness.share) found.push({ from, to, share });
      }
    }
    const rank = ({ from, to, share }: (typeof found)[number]) => share + (nameOf(from) === nameOf(to) ? 1 : 0);
    for (const { from, to, share } of found.sort((a, b) => rank(b) - rank(a))) {
      if (!this.#gone.has(from) || !this.#came.has(to)) continue;
      this.#join(from, to, `No record tells of a rename: ${told(from)} went, and this file came and shares ${Math.floor(share * 100)} % of its text with it.`);
    }
  }

  /** What the longer of the two shares with the other, from 0 to 1; 0 where their lengths alone say that it is too little. */
  #share(from: ComposedFile, to: ComposedFile): number {
    const [shorter, longer] = [lengthOf(from.net.before), lengthOf(to.net.after)].sort((a, b) => a - b) as [number, number];
    if (shorter < longer * likeness.share) return 0;
    const [before, after] = [this.#linesIn(from, from.net.before), this.#linesIn(to, to.net.after)];
    this.#linesLeft -= Math.min(before.size, after.size);
    return sharedChars(before, after) / longer;
  }

  #join(from: ComposedFile, to: ComposedFile, evidence: string): void {
    const net = netBetween(from.net.before, to.net.after, null, true);
    if (!net) return;
    this.#gone.delete(from);
    this.#came.delete(to);
    this.renames.set(to, { from, renamed: { track: to.track, oldPath: from.track.firstPath, net, from: { track: from.track, evidence } } });
  }

  #linesIn(file: ComposedFile, content: Content): Map<string, number> {
    const known = this.#lines.get(file);
    if (known) return known;
    const lines = new Map<string, number>();
    const all = content.state === 'text' ? linesOf(content.text) : [];
    this.#linesLeft -= all.length;
    for (const line of all) {
      const bare = line.replace(/\r?\n$/, '');
      lines.set(bare, (lines.get(bare) ?? 0) + 1);
    }
    this.#lines.set(file, lines);
    return lines;
  }
}

/** Characters of a text, bytes of what is none. */
const lengthOf = (content: Content): number => (content.state === 'text' ? content.text.length : content.state === 'binary' ? content.bytes : 0);

/** Characters of the lines that stand in both, their ends included, wherever they stand. */
function sharedChars(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): number {
  const [fewer, more] = a.size <= b.size ? [a, b] : [b, a];
  let shared = 0;
  for (const [line, count] of fewer) shared += Math.min(count, more.get(line) ?? 0) * (line.length + 1);
  return shared;
}

const plain = (path: string): string => path.replaceAll('\\', '/');
const nameOf = ({ track }: ComposedFile): string => basename(plain(track.path));

/** How the file that went is called in a sentence. */
const told = ({ track }: ComposedFile): string => basename(plain(track.firstPath));
