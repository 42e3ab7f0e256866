import { type Content, linesOf, sameContent, textContent, unknown } from './content';
import type { Hunk } from './hunks';
import { type NetChange, netBetween, newStretch, pieceOf, type Stretch } from './net-change';
import { SparseText } from './sparse-text';

/** Hunk lines without a place that are held. */
const looseLines = 20_000;

/** One file's changes as stretches whose lines meet; where two records do not meet, a new stretch begins. */
export class Stretches {
  origin: Content = unknown;
  #open: Stretch = newStretch(unknown);
  readonly #done: Stretch[] = [];

  get now(): Content {
    return this.#open.now;
  }
  set now(content: Content) {
    this.#open.now = content;
  }

  /** Changes without a known content at both ends stand in the open stretch. */
  get hasPieces(): boolean {
    return this.#open.sparse !== null || this.#open.loose.length > 0;
  }

  /** Characters of the contents that are held. */
  get held(): number {
    const contents = [this.origin, ...[...this.#done, this.#open].flatMap(({ before, now }) => [before, now])];
    return [...new Set(contents.flatMap((content) => (content.state === 'text' ? [content.text] : [])))].reduce((sum, text) => sum + text.length, 0);
  }

  /** Line numbers of the whole change are those of one state before and one after. */
  get isOnePiece(): boolean {
    return this.#done.length === 0 && this.#open.loose.length === 0;
  }

  begin(content: Content): void {
    this.origin = content;
    this.#open = newStretch(content);
  }

  /** The open stretch is over; the next one begins with this content. */
  renew(content: Content): void {
    const { before, now, sparse, loose, counts } = this.#open;
    if (sparse || loose.length > 0 || counts || !sameContent(before, now)) this.#done.push(this.#open);
    this.#open = newStretch(content);
  }

  /** Both ends are known: what lies between need not be pieced together. */
  joinAll(): void {
    if (this.origin.state === 'unknown' || this.#open.now.state === 'unknown') return;
    this.#done.length = 0;
    Object.assign(this.#open, { before: this.origin, sparse: null, loose: [], counts: null });
  }

  /** The content of a file that only hunks told of so far. `lost`: the lines do not meet, or are not followed any more, and a stretch begins. */
  resolve(content: Content): 'met' | 'lost' | 'do not meet' {
    const open = this.#open;
    const original = content.state === 'text' && open.sparse && open.loose.length === 0 ? open.sparse.originalOf(linesOf(content.text)) : null;
    if (original !== null && open.before.state === 'unknown') this.beganWith(textContent(original.join('')));
    else if (open.before.state === 'unknown' && (open.sparse || open.loose.length > 0 || open.counts)) return open.sparse && open.loose.length === 0 && content.state === 'text' ? 'do not meet' : 'lost';
    Object.assign(open, { now: content, sparse: null, ...(open.before.state === 'unknown' ? { before: content } : { loose: [], counts: null }) });
    return 'met';
  }

  /** What the open stretch began with was found out; that of the first is what the file began with. */
  beganWith(content: Content): void {
    this.#open.before = content;
    if (this.#done.length === 0) this.origin = content;
  }

  /** Composes hunks that say where they stand; false where they do not fit. */
  place(hunks: readonly Hunk[]): boolean {
    return (this.#open.sparse ??= new SparseText()).apply(hunks);
  }

  /** Holds hunks that do not say where they stand, each in its place where it is found; false when there are too many. */
  loosen(hunks: readonly Hunk[]): boolean {
    const { loose } = this.#open;
    const rest = hunks.filter((hunk) => !this.#found(hunk));
    const linesIn = (some: readonly Hunk[]) => some.reduce((sum, { lines }) => sum + lines.length, 0);
    if (linesIn(loose) + linesIn(rest) > looseLines) return false;
    loose.push(...rest);
    return true;
  }

  #found(hunk: Hunk): boolean {
    const { sparse } = this.#open;
    const at = sparse?.find(hunk) ?? null;
    return sparse !== null && at !== null && sparse.apply([{ ...hunk, oldStart: at + 1 }]);
  }

  /** Counts a change that has no lines. */
  count({ added, removed }: { added: number | null; removed: number | null }): void {
    const { counts } = this.#open;
    const sum = (a: number | null, b: number | null) => (a === null || b === null ? null : a + b);
    this.#open.counts = counts ? { added: sum(counts.added, added), removed: sum(counts.removed, removed) } : { added, removed };
  }

  /** The changes as lines that meet; null where they do not meet or lines are missing. */
  lines(): { hunks: Hunk[]; placed: boolean } | null {
    if (this.#done.length > 0) return null;
    const { hunks } = pieceOf(this.#open);
    return hunks === null || this.#open.counts !== null ? null : { hunks, placed: this.#open.loose.length === 0 };
  }

  /** What is left of all changes. */
  net(mode: NetChange['mode'], renamed: boolean): NetChange | null {
    const [before, after] = [this.origin, this.#open.now];
    const isPieced = this.#done.length > 0 || this.hasPieces || this.#open.counts !== null;
    if (!isPieced && before.state !== 'unknown' && after.state !== 'unknown') return netBetween(before, after, mode, renamed);
    const parts = [...this.#done, this.#open].map(pieceOf);
    const hunks = parts.some((part) => part.hunks === null) ? null : parts.flatMap((part) => part.hunks ?? []);
    if (parts.every(({ isNothing }) => isNothing) && !renamed && mode === null && !isOneSided(before, after)) return null;
    const sum = (side: 'added' | 'removed') => parts.reduce<number | null>((total, part) => (total === null || part[side] === null ? null : total + (part[side] as number)), 0);
    const kind = after.state === 'absent' ? 'delete' : before.state === 'absent' ? 'create' : renamed ? 'rename' : parts.every(({ isNothing }) => isNothing) && mode ? 'mode' : 'edit';
    return { kind, added: sum('added'), removed: sum('removed'), before, after, hunks, mode, gap: this.#gap(hunks) };
  }

  #gap(hunks: Hunk[] | null): string | null {
    if (hunks === null) return 'The lines of this change are not known.';
    if (this.#done.length > 0) return 'The changes of this file are shown one after the other: what lies between them is not known.';
    if (this.#open.loose.length > 0) return 'Where in the file these lines stand is not recorded.';
    return this.#open.counts === null ? null : 'Some of the changes of this file have no lines on record.';
  }
}

/** The file came or went, or was not there at either end. */
const isOneSided = (before: Content, after: Content): boolean => (before.state === 'absent') !== (after.state === 'absent');
