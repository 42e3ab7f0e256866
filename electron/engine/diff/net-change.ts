import type { ChangeKind } from '@shared/model';
import { type Content, linesOf, sameContent } from './content';
import { countOf, type Hunk } from './hunks';
import { hunksOf, type LineEdit, lineEdits } from './line-diff';
import type { SparseText } from './sparse-text';

/** A stretch of changes whose lines meet. */
export interface Stretch {
  before: Content;
  now: Content;
  sparse: SparseText | null;
  /** Hunks that could not be put in place, and what changes without lines count. */
  loose: Hunk[];
  counts: { added: number | null; removed: number | null } | null;
}

/** A stretch that begins with this content. */
export const newStretch = (content: Content): Stretch => ({ before: content, now: content, sparse: null, loose: [], counts: null });

/** The net change of a file: null when nothing is left of it. */
export interface NetChange {
  kind: ChangeKind;
  added: number | null;
  removed: number | null;
  before: Content;
  after: Content;
  hunks: Hunk[] | null;
  mode: { before: string; after: string } | null;
  /** Null: the hunks lead from the state before to the state after, line by line. Else why they do not. */
  gap: string | null;
}

/** The difference of two contents that are known. Whether there is one is seen at once; its lines are looked for when they are asked for. */
export function netBetween(before: Content, after: Content, mode: NetChange['mode'], renamed: boolean): NetChange | null {
  const same = sameContent(before, after);
  if (same && (before.state === 'absent' || (!renamed && mode === null))) return null;
  const isBinary = before.state === 'binary' || after.state === 'binary';
  const kind = before.state === 'absent' ? 'create' : after.state === 'absent' ? 'delete' : renamed ? 'rename' : isBinary ? 'binary' : same ? 'mode' : 'edit';
  return new Difference(kind, before, after, mode, same);
}

class Difference implements NetChange {
  readonly gap: string | null;
  #found: { hunks: Hunk[] | null; added: number | null; removed: number | null } | null = null;

  constructor(
    readonly kind: ChangeKind,
    readonly before: Content,
    readonly after: Content,
    readonly mode: NetChange['mode'],
    readonly isSame: boolean,
  ) {
    this.gap = isSame || (hasLines(before) && hasLines(after)) ? null : notText(before, after);
  }

  get hunks(): Hunk[] | null {
    return this.#lines().hunks;
  }
  get added(): number | null {
    return this.#lines().added;
  }
  get removed(): number | null {
    return this.#lines().removed;
  }

  #lines() {
    if (this.#found) return this.#found;
    const { before, after } = this;
    const edits = this.isSame ? [] : editsBetween(before, after);
    const old = before.state === 'text' ? linesOf(before.text) : [];
    const hunks = edits && hunksOf(edits, (index) => old[index]);
    const count = hunks && countOf(hunks);
    return (this.#found = { hunks, added: count?.added ?? null, removed: count?.removed ?? null });
  }
}

const hasLines = ({ state }: Content): boolean => state === 'text' || state === 'absent';

const notText = (before: Content, after: Content): string =>
  before.state === 'too large' || after.state === 'too large' ? 'The file is too large to be compared.' : 'The file is no text: it has no lines to compare.';

/** Null where one side is no text. */
export function editsBetween(before: Content, after: Content): LineEdit[] | null {
  const lines = (content: Content) => (content.state === 'text' ? linesOf(content.text) : content.state === 'absent' ? [] : null);
  const [old, now] = [lines(before), lines(after)];
  return old && now && lineEdits(old, now);
}

/** What a stretch comes to. */
export function pieceOf(stretch: Stretch): { hunks: Hunk[] | null; added: number | null; removed: number | null; isNothing: boolean } {
  const { before, now, sparse, loose, counts } = stretch;
  const known = before.state !== 'unknown' && now.state !== 'unknown' && !counts ? netBetween(before, now, null, false) : null;
  const own = known?.hunks ?? (sparse ? hunksOf(sparse.edits().flatMap(smallest), (index) => sparse.lineAt(index)) : []);
  const hunks = [...own, ...loose];
  const count = countOf(hunks);
  const isUncounted = known !== null && known.hunks === null;
  return {
    hunks: counts !== null || isUncounted ? (hunks.length > 0 ? hunks : null) : hunks,
    added: isUncounted || counts?.added === null ? null : count.added + (counts?.added ?? 0),
    removed: isUncounted || counts?.removed === null ? null : count.removed + (counts?.removed ?? 0),
    isNothing: hunks.length === 0 && counts === null && !isUncounted,
  };
}

/** Lines that went and came again are no change. */
const smallest = ({ at, removed, inserted }: LineEdit): LineEdit[] => lineEdits(removed, inserted).map((edit) => ({ ...edit, at: at + edit.at }));
