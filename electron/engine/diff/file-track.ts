import type { ChangeCertainty, ChangePlace, ChangeSource, OutsideChange } from '@shared/model';
import type { ChangeStep, Sighting } from './change-step';
import { absent, type Content, contentId, linesOf, sameContent, textContent, unknown } from './content';
import { applied, appliedByText, countOf, type Hunk, reversed } from './hunks';
import { hunksOf } from './line-diff';
import type { LineWriters } from './line-writers';
import { editsBetween, type NetChange, netBetween, newStretch, pieceOf, type Stretch } from './net-change';
import { SparseText } from './sparse-text';

/** Places and outside changes that are named, and earlier contents that are remembered to see a file go back. */
const kept = { places: 100, outside: 50, earlier: 30, sentences: 10 };
/** Hunk lines without a place that are held. */
const looseLines = 20_000;

/** Follows one file through the recorded changes of a scope, in order of time. */
export class FileTrack {
  path: string;
  readonly firstPath: string;
  readonly places: ChangePlace[] = [];
  readonly outside: OutsideChange[] = [];
  readonly sources = new Set<ChangeSource>();
  steps = 0;
  #origin: Content = unknown;
  #stretch: Stretch = newStretch(unknown);
  readonly #done: Stretch[] = [];
  /** Ids of contents it had. */
  readonly #earlier: string[] = [];
  #mode: { before: string; after: string } | null = null;
  #worst: ChangeCertainty = 'recorded';
  readonly #evidence = new Set<string>();
  readonly #gaps = new Set<string>();
  #lastPlace: ChangePlace | null = null;
  /** What was guessed since the file was last seen whole. */
  #open: { certainty: ChangeCertainty; evidence: string | null; gap: string | null }[] = [];

  /** `writers`: follows who wrote which line, where that was asked for. */
  constructor(path: string, readonly writers: LineWriters | null = null) {
    this.path = path;
    this.firstPath = path;
  }

  get now(): Content {
    return this.#stretch.now;
  }
  get origin(): Content {
    return this.#origin;
  }
  /** True for a content that it had at some moment of the scope, as far as they are remembered. */
  had(content: Content): boolean {
    return content.state !== 'unknown' && this.#earlier.includes(contentId(content));
  }
  /** Characters of the contents it holds. */
  get held(): number {
    const contents = [this.#origin, ...[...this.#done, this.#stretch].flatMap(({ before, now }) => [before, now])];
    return [...new Set(contents.flatMap((content) => (content.state === 'text' ? [content.text] : [])))].reduce((sum, text) => sum + text.length, 0);
  }

  /** Takes a recorded change. */
  apply(step: ChangeStep): void {
    this.#meet(step);
    this.path = step.path;
    this.steps++;
    this.sources.add(step.source);
    if (step.mode) this.#mode = { before: this.#mode?.before ?? step.mode.before, after: step.mode.after };
    if (this.places.length < kept.places) this.places.push(step.place);
    this.#lastPlace = step.place;
    // A state seen later says what a call did, but not who did what no call tells.
    const isGuess = step.source === 'tool input' || step.gap !== null;
    if (isGuess) this.#open.push({ certainty: step.certainty, evidence: step.evidence, gap: step.gap });
    else this.#worsen(step.certainty, step.evidence);
    const before = this.#stretch.now;
    this.#advance(step);
    this.writers?.wrote(before, this.#stretch.now, step);
    this.#remember();
  }

  /** Learns what the file held at a place. */
  see({ content, source, place, evidence, settles }: Sighting): void {
    if (content.state === 'unknown') return;
    const { now } = this.#stretch;
    if (this.steps === 0) {
      this.#begin(content);
      return;
    }
    if (now.state === 'unknown') this.#resolve(content, place);
    else if (!sameContent(now, content)) this.#changedOutside(now, content, place, evidence);
    this.#stretch.now = this.#exacter(now, content);
    if (this.#origin.state !== 'unknown') this.#joinAll();
    if (settles && this.#origin.state !== 'unknown') this.#open = [];
    this.sources.add(source);
    this.#remember();
  }

  /** Changes by others are seen where what a record says was there is not what was left. */
  #meet(step: ChangeStep): void {
    if (this.steps === 0 && this.#origin.state === 'unknown') this.#begin(step.before.state === 'unknown' && step.kind === 'create' ? absent : step.before);
    if (step.before.state === 'unknown') return;
    const { now } = this.#stretch;
    if (now.state === 'unknown') this.#resolve(step.before, step.place);
    // A snapshot may have been made when the change was done already.
    else if (!sameContent(now, step.before) && sameContent(now, step.after)) this.writers?.changedOutside(now, step.before, step.place);
    else if (!sameContent(now, step.before)) this.#changedOutside(now, step.before, step.place, 'What the file held before this change is not what was left by the change before.');
    this.#stretch.now = step.before;
  }

  #begin(content: Content): void {
    this.#origin = content;
    this.#stretch = newStretch(content);
  }

  /** The content of a file that only hunks told of so far. */
  #resolve(content: Content, place: ChangePlace): void {
    const stretch = this.#stretch;
    const original = content.state === 'text' && stretch.sparse && stretch.loose.length === 0 ? stretch.sparse.originalOf(linesOf(content.text)) : null;
    if (original !== null && stretch.before.state === 'unknown') {
      stretch.before = textContent(original.join(''));
      if (this.#done.length === 0) this.#origin = stretch.before;
    } else if (stretch.before.state === 'unknown' && (stretch.sparse || stretch.loose.length > 0 || stretch.counts)) {
      if (stretch.sparse && stretch.loose.length === 0 && content.state === 'text') {
        this.#break(place, 'What the file held here does not have the lines that were left by the changes before.');
        this.#stretch = newStretch(content);
        return;
      }
      this.#close();
      this.writers?.lose();
      this.#stretch = newStretch(content);
      return;
    }
    Object.assign(stretch, { now: content, sparse: null, ...(stretch.before.state === 'unknown' ? { before: content } : { loose: [], counts: null }) });
  }

  #changedOutside(before: Content, after: Content, place: ChangePlace, evidence: string): void {
    const restored = this.#earlier.includes(contentId(after));
    this.writers?.changedOutside(before, after, place);
    const edits = editsBetween(before, after);
    const count = edits === null ? null : countOf(hunksOf(edits, () => undefined));
    if (this.outside.length < kept.outside) this.outside.push({ after: this.#lastPlace, before: place, evidence, added: count?.added ?? null, removed: count?.removed ?? null, restored });
    if (!restored) this.#worsen('inferred', 'The file was changed in between by what is not in this scope; that is part of this difference.');
  }

  /** Where the lines of two records do not meet, the change goes on as a stretch of its own. */
  #break(place: ChangePlace, reason: string): void {
    if (this.outside.length < kept.outside) this.outside.push({ after: this.#lastPlace, before: place, evidence: reason, added: null, removed: null, restored: false });
    this.#worsen('unknown', null);
    this.#gaps.add('The file was changed by others in between, and what they changed is not known.');
    this.#close();
    this.writers?.lose();
    this.#stretch = newStretch(unknown);
  }

  #close(): void {
    const { before, now, sparse, loose, counts } = this.#stretch;
    if (sparse || loose.length > 0 || counts || !sameContent(before, now)) this.#done.push(this.#stretch);
  }

  /** Both ends are known: what lies between need not be pieced together. */
  #joinAll(): void {
    if (this.#stretch.now.state === 'unknown') return;
    this.#done.length = 0;
    Object.assign(this.#stretch, { before: this.#origin, sparse: null, loose: [], counts: null });
  }

  #advance(step: ChangeStep): void {
    const stretch = this.#stretch;
    const { now } = stretch;
    const after = this.#after(step, now);
    if (after.state !== 'unknown') {
      // A file written over whole: what it held before may be told by the hunks.
      if (now.state === 'unknown') this.#writeOver(step, after);
      else stretch.now = after;
      if (this.#origin.state !== 'unknown') this.#joinAll();
      return;
    }
    if (now.state !== 'unknown') {
      if (step.hunks !== null && step.hunks.length > 0) {
        if (step.placed) this.#break(step.place, 'The lines this change names are not those that were left by the change before.');
        else this.#loosen();
      } else this.#loosen();
    }
    this.#piece(step);
  }

  /** The change goes on from a known content to one that no record tells. */
  #loosen(): void {
    this.#close();
    this.writers?.lose();
    this.#stretch = newStretch(unknown);
  }

  #after(step: ChangeStep, now: Content): Content {
    if (step.kind === 'delete') return absent;
    if (step.after.state !== 'unknown') return step.after;
    if (step.kind === 'rename' && (step.hunks === null || step.hunks.length === 0)) return now;
    if (step.kind === 'mode') return now;
    if (step.hunks === null || (now.state !== 'text' && now.state !== 'absent')) return unknown;
    const lines = now.state === 'text' ? linesOf(now.text) : [];
    const result = (step.placed || now.state === 'absent' ? applied(lines, step.hunks) : null) ?? (step.placed ? null : appliedByText(lines, step.hunks));
    return result === null ? unknown : textContent(result.join(''));
  }

  #writeOver(step: ChangeStep, after: Content): void {
    const stretch = this.#stretch;
    if (stretch.sparse || stretch.loose.length > 0) {
      if (step.hunks && step.placed && step.hunks.length > 0) {
        this.#piece(step);
        this.#resolve(after, step.place);
        return;
      }
      this.#close();
      this.#stretch = newStretch(unknown);
    }
    const lines = after.state === 'text' && step.hunks && step.placed && step.hunks.length > 0 ? applied(linesOf(after.text), reversed(step.hunks)) : null;
    const open = this.#stretch;
    open.now = after;
    if (lines) {
      open.before = textContent(lines.join(''));
      if (this.#done.length === 0) this.#origin = open.before;
      return;
    }
    this.#count(step);
    if (after.state === 'absent') this.#open.push({ certainty: 'recorded', evidence: null, gap: 'What the file held is not recorded.' });
    else this.#open.push({ certainty: 'recorded', evidence: null, gap: 'What the file held before is not recorded.' });
  }

  /** Adds hunks to a file whose content is not known. */
  #piece(step: ChangeStep): void {
    if (step.hunks === null) {
      this.#count(step);
      return;
    }
    if (step.placed) {
      const sparse = (this.#stretch.sparse ??= new SparseText());
      if (sparse.apply(step.hunks)) return;
      this.#break(step.place, 'The lines this change names are not those that were left by the change before.');
      if ((this.#stretch.sparse = new SparseText()).apply(step.hunks)) return;
    }
    const rest = step.hunks.filter((hunk) => !this.#found(hunk));
    const held = this.#stretch.loose.reduce((sum, { lines }) => sum + lines.length, 0);
    if (held + rest.reduce((sum, { lines }) => sum + lines.length, 0) > looseLines) this.#gaps.add('There are more changed lines without a place than are held.');
    else this.#stretch.loose.push(...rest);
  }

  #found(hunk: Hunk): boolean {
    const { sparse } = this.#stretch;
    const at = sparse?.find(hunk) ?? null;
    return sparse !== null && at !== null && sparse.apply([{ ...hunk, oldStart: at + 1 }]);
  }

  #count({ added, removed }: ChangeStep): void {
    const { counts } = this.#stretch;
    const sum = (a: number | null, b: number | null) => (a === null || b === null ? null : a + b);
    this.#stretch.counts = counts ? { added: sum(counts.added, added), removed: sum(counts.removed, removed) } : { added, removed };
  }

  #remember(): void {
    const { now } = this.#stretch;
    if (now.state === 'unknown') return;
    if (this.#earlier.length === 0 && this.#origin.state !== 'unknown') this.#earlier.push(contentId(this.#origin));
    const id = contentId(now);
    if (this.#earlier.at(-1) === id) return;
    this.#earlier.push(id);
    if (this.#earlier.length > kept.earlier) this.#earlier.shift();
  }

  /** Of two texts that differ in line ends only, the one that has them. */
  #exacter(now: Content, seen: Content): Content {
    return now.state === 'text' && seen.state === 'text' && sameContent(now, seen) && now.text.includes('\r') ? now : seen;
  }

  #worsen(certainty: ChangeCertainty, evidence: string | null): void {
    if (rank(certainty) > rank(this.#worst)) this.#worst = certainty;
    if (evidence !== null) this.#evidence.add(evidence);
  }

  /** Says what is missing from the whole. */
  note(certainty: ChangeCertainty, gap: string): void {
    this.#worsen(certainty, null);
    this.#gaps.add(gap);
  }

  /** Certainty over all steps, with why, and what is missing. */
  trust(): { certainty: ChangeCertainty; evidence: string[]; gaps: string[] } {
    const evidence = new Set(this.#evidence);
    const gaps = new Set(this.#gaps);
    let certainty = this.#worst;
    for (const guess of this.#open) {
      if (rank(guess.certainty) > rank(certainty)) certainty = guess.certainty;
      if (guess.evidence !== null) evidence.add(guess.evidence);
      if (guess.gap !== null) gaps.add(guess.gap);
    }
    return { certainty, evidence: [...evidence].slice(0, kept.sentences), gaps: [...gaps].slice(0, kept.sentences) };
  }

  #pieceGap(hunks: Hunk[] | null): string | null {
    if (hunks === null) return 'The lines of this change are not known.';
    if (this.#done.length > 0) return 'The changes of this file are shown one after the other: what lies between them is not known.';
    if (this.#stretch.loose.length > 0) return 'Where in the file these lines stand is not recorded.';
    return this.#stretch.counts === null ? null : 'Some of the changes of this file have no lines on record.';
  }

  /** Line numbers of the whole change are those of one state before and one after. */
  get isOnePiece(): boolean {
    return this.#done.length === 0 && this.#stretch.loose.length === 0;
  }

  /** The changes as lines that meet, for taking them out of a file whose content is not recorded; null where they do not meet or lines are missing. */
  lines(): { hunks: Hunk[]; placed: boolean } | null {
    if (this.#done.length > 0) return null;
    const { hunks } = pieceOf(this.#stretch);
    return hunks === null || this.#stretch.counts !== null ? null : { hunks, placed: this.#stretch.loose.length === 0 };
  }

  /** What is left of all changes. */
  net(renamed: boolean): NetChange | null {
    const [before, after] = [this.#origin, this.#stretch.now];
    const mode = this.#mode && this.#mode.before !== this.#mode.after ? this.#mode : null;
    const isPieced = this.#done.length > 0 || this.#stretch.sparse !== null || this.#stretch.loose.length > 0 || this.#stretch.counts !== null;
    if (!isPieced && before.state !== 'unknown' && after.state !== 'unknown') return netBetween(before, after, mode, renamed);
    const parts = [...this.#done, this.#stretch].map(pieceOf);
    const hunks = parts.some((part) => part.hunks === null) ? null : parts.flatMap((part) => part.hunks ?? []);
    if (parts.every(({ isNothing }) => isNothing) && !renamed && mode === null && !isOneSided(before, after)) return null;
    const sum = (side: 'added' | 'removed') => parts.reduce<number | null>((total, part) => (total === null || part[side] === null ? null : total + (part[side] as number)), 0);
    const kind = after.state === 'absent' ? 'delete' : before.state === 'absent' ? 'create' : renamed ? 'rename' : parts.every(({ isNothing }) => isNothing) && mode ? 'mode' : 'edit';
    return { kind, added: sum('added'), removed: sum('removed'), before, after, hunks, mode, gap: this.#pieceGap(hunks) };
  }
}

/** The file came or went, or was not there at either end. */
const isOneSided = (before: Content, after: Content): boolean => (before.state === 'absent') !== (after.state === 'absent');

const rank = (certainty: ChangeCertainty): number => ['recorded', 'inferred', 'unknown'].indexOf(certainty);
