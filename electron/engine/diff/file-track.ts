import type { ChangeCertainty, ChangePlace, ChangeSource, OutsideChange } from '@shared/model';
import type { ChangeStep, Sighting } from './change-step';
import { absent, type Content, linesOf, sameContent, textContent, unknown } from './content';
import { EarlierContents } from './earlier-contents';
import { applied, appliedByText, countOf, type Hunk, reversed } from './hunks';
import { hunksOf } from './line-diff';
import type { LineWriters } from './line-writers';
import { editsBetween, type NetChange } from './net-change';
import { Stretches } from './stretches';
import { TrackTrust } from './track-trust';

/** Places and outside changes that are named. */
const kept = { places: 100, outside: 50 };

/** Follows one file through the recorded changes of a scope, in order of time. */
export class FileTrack {
  path: string;
  readonly firstPath: string;
  readonly places: ChangePlace[] = [];
  readonly outside: OutsideChange[] = [];
  readonly sources = new Set<ChangeSource>();
  steps = 0;
  readonly #stretches = new Stretches();
  readonly #earlier = new EarlierContents();
  readonly #trust = new TrackTrust();
  #mode: { before: string; after: string } | null = null;
  #lastPlace: ChangePlace | null = null;

  /** `writers`: follows who wrote which line, where that was asked for. */
  constructor(path: string, readonly writers: LineWriters | null = null) {
    this.path = path;
    this.firstPath = path;
  }

  get now(): Content {
    return this.#stretches.now;
  }
  get origin(): Content {
    return this.#stretches.origin;
  }
  /** True for a content that it had at some moment of the scope, as far as they are remembered. */
  had(content: Content): boolean {
    return this.#earlier.had(content);
  }
  /** Characters of the contents it holds. */
  get held(): number {
    return this.#stretches.held;
  }
  /** Line numbers of the whole change are those of one state before and one after. */
  get isOnePiece(): boolean {
    return this.#stretches.isOnePiece;
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
    if (isGuess) this.#trust.guess({ certainty: step.certainty, evidence: step.evidence, gap: step.gap });
    else this.#trust.worsen(step.certainty, step.evidence);
    const before = this.now;
    this.#advance(step);
    this.writers?.wrote(before, this.now, step);
    this.#earlier.take(this.now, this.origin);
  }

  /** Learns what the file held at a place. */
  see({ content, source, place, evidence, settles }: Sighting): void {
    if (content.state === 'unknown') return;
    const { now } = this;
    if (this.steps === 0) {
      this.#stretches.begin(content);
      return;
    }
    if (now.state === 'unknown') this.#resolve(content, place);
    else if (!sameContent(now, content)) this.#changedOutside(now, content, place, evidence);
    this.#stretches.now = exacter(this.now, content);
    this.#stretches.joinAll();
    if (settles && this.origin.state !== 'unknown') this.#trust.settle();
    this.sources.add(source);
    this.#earlier.take(this.now, this.origin);
  }

  /** Changes by others are seen where what a record says was there is not what was left. */
  #meet(step: ChangeStep): void {
    if (this.steps === 0 && this.origin.state === 'unknown') this.#stretches.begin(step.before.state === 'unknown' && step.kind === 'create' ? absent : step.before);
    if (step.before.state === 'unknown') return;
    const { now } = this;
    if (now.state === 'unknown') this.#resolve(step.before, step.place);
    // A snapshot may have been made when the change was done already.
    else if (!sameContent(now, step.before) && sameContent(now, step.after)) this.writers?.changedOutside(now, step.before, step.place);
    else if (!sameContent(now, step.before)) this.#changedOutside(now, step.before, step.place, 'What the file held before this change is not what was left by the change before.');
    this.#stretches.now = step.before;
  }

  /** The content of a file that only hunks told of so far. */
  #resolve(content: Content, place: ChangePlace): void {
    const found = this.#stretches.resolve(content);
    if (found === 'met') return;
    if (found === 'do not meet') this.#break(place, 'What the file held here does not have the lines that were left by the changes before.', content);
    else this.#loosen(content);
  }

  #changedOutside(before: Content, after: Content, place: ChangePlace, evidence: string): void {
    const restored = this.#earlier.had(after);
    this.writers?.changedOutside(before, after, place);
    const edits = editsBetween(before, after);
    const count = edits === null ? null : countOf(hunksOf(edits, () => undefined));
    if (this.outside.length < kept.outside) this.outside.push({ after: this.#lastPlace, before: place, evidence, added: count?.added ?? null, removed: count?.removed ?? null, restored });
    if (!restored) this.#trust.worsen('inferred', 'The file was changed in between by what is not in this scope; that is part of this difference.');
  }

  /** Where the lines of two records do not meet, the change goes on as a stretch of its own. */
  #break(place: ChangePlace, reason: string, next: Content = unknown): void {
    if (this.outside.length < kept.outside) this.outside.push({ after: this.#lastPlace, before: place, evidence: reason, added: null, removed: null, restored: false });
    this.note('unknown', 'The file was changed by others in between, and what they changed is not known.');
    this.#loosen(next);
  }

  /** The change goes on from another content, by default one that no record tells. */
  #loosen(next: Content = unknown): void {
    this.writers?.lose();
    this.#stretches.renew(next);
  }

  #advance(step: ChangeStep): void {
    const { now } = this;
    const after = contentAfter(step, now);
    if (after.state !== 'unknown') {
      // A file written over whole: what it held before may be told by the hunks.
      if (now.state === 'unknown') this.#writeOver(step, after);
      else this.#stretches.now = after;
      this.#stretches.joinAll();
      return;
    }
    if (now.state !== 'unknown') {
      if (hasPlacedHunks(step)) this.#break(step.place, 'The lines this change names are not those that were left by the change before.');
      else this.#loosen();
    }
    this.#piece(step);
  }

  #writeOver(step: ChangeStep, after: Content): void {
    if (this.#stretches.hasPieces) {
      if (hasPlacedHunks(step)) {
        this.#piece(step);
        this.#resolve(after, step.place);
        return;
      }
      this.#stretches.renew(unknown);
    }
    const lines = after.state === 'text' && step.hunks && hasPlacedHunks(step) ? applied(linesOf(after.text), reversed(step.hunks)) : null;
    this.#stretches.now = after;
    if (lines) {
      this.#stretches.beganWith(textContent(lines.join('')));
      return;
    }
    this.#stretches.count(step);
    this.#trust.guess({ certainty: 'recorded', evidence: null, gap: after.state === 'absent' ? 'What the file held is not recorded.' : 'What the file held before is not recorded.' });
  }

  /** Adds hunks to a file whose content is not known. */
  #piece(step: ChangeStep): void {
    if (step.hunks === null) {
      this.#stretches.count(step);
      return;
    }
    if (step.placed) {
      if (this.#stretches.place(step.hunks)) return;
      this.#break(step.place, 'The lines this change names are not those that were left by the change before.');
      if (this.#stretches.place(step.hunks)) return;
    }
    if (!this.#stretches.loosen(step.hunks)) this.#trust.lacks('There are more changed lines without a place than are held.');
  }

  /** Says what is missing from the whole. */
  note(certainty: ChangeCertainty, gap: string): void {
    this.#trust.worsen(certainty, null);
    this.#trust.lacks(gap);
  }

  /** Certainty over all steps, with why, and what is missing. */
  trust(): { certainty: ChangeCertainty; evidence: string[]; gaps: string[] } {
    return this.#trust.told();
  }

  /** The changes as lines that meet, for taking them out of a file whose content is not recorded; null where they do not meet or lines are missing. */
  lines(): { hunks: Hunk[]; placed: boolean } | null {
    return this.#stretches.lines();
  }

  /** What is left of all changes. */
  net(renamed: boolean): NetChange | null {
    return this.#stretches.net(this.#mode && this.#mode.before !== this.#mode.after ? this.#mode : null, renamed);
  }
}

const hasPlacedHunks = ({ hunks, placed }: ChangeStep): boolean => placed && hunks !== null && hunks.length > 0;

/** What a change left; unknown where neither its record nor its lines tell. */
function contentAfter(step: ChangeStep, now: Content): Content {
  if (step.kind === 'delete') return absent;
  if (step.after.state !== 'unknown') return step.after;
  if (step.kind === 'rename' && (step.hunks === null || step.hunks.length === 0)) return now;
  if (step.kind === 'mode') return now;
  if (step.hunks === null || (now.state !== 'text' && now.state !== 'absent')) return unknown;
  const lines = now.state === 'text' ? linesOf(now.text) : [];
  const result = (step.placed || now.state === 'absent' ? applied(lines, step.hunks) : null) ?? (step.placed ? null : appliedByText(lines, step.hunks));
  return result === null ? unknown : textContent(result.join(''));
}

/** Of two texts that differ in line ends only, the one that has them. */
const exacter = (now: Content, seen: Content): Content => (now.state === 'text' && seen.state === 'text' && sameContent(now, seen) && now.text.includes('\r') ? now : seen);
