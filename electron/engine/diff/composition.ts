import type { ChangeStep, Sighting } from './change-step';
import { FileTrack } from './file-track';
import { LineWriters } from './line-writers';
import type { NetChange } from './net-change';
import { keyOf } from './paths';

/** Files of one scope that are followed; a session that changed more is told up to here. */
const fileLimit = 20_000;
/** Characters of all contents that are held at once. Beyond it contents are not kept, and files are told by their hunks. */
const heldLimit = 96_000_000;

/** What is left of a file's changes. */
export interface ComposedFile {
  track: FileTrack;
  /** Path at the beginning; null unless it is another one now. */
  oldPath: string | null;
  net: NetChange;
  /** Set for a rename that no record tells: the file that went, which has another history, and what says that it is this one. */
  from?: { track: FileTrack; evidence: string };
}

/** All files of a scope, followed in order of time. */
export class Composition {
  readonly #tracks = new Map<string, FileTrack>();
  #held = 0;
  readonly #left = new Set<string>();

  /** `watched`: the first path of the file of which it is asked who wrote its lines. */
  constructor(
    readonly folder: string | null,
    readonly watched: string | null = null,
  ) {}

  /** How many files were not followed, because there were too many. */
  get leftOut(): number {
    return this.#left.size;
  }

  track(path: string): FileTrack | undefined {
    return this.#tracks.get(keyOf(path, this.folder));
  }

  /** Files that were changed, by the spelling they are compared by. */
  *tracks(): Iterable<[string, FileTrack]> {
    for (const [key, track] of this.#tracks) if (track.steps > 0) yield [key, track];
  }

  *changed(): Iterable<string> {
    for (const track of this.#tracks.values()) if (track.steps > 0) yield track.path;
  }

  apply(step: ChangeStep): void {
    const key = keyOf(step.path, this.folder);
    const oldKey = step.oldPath === null ? key : keyOf(step.oldPath, this.folder);
    if (oldKey !== key) {
      this.#move(oldKey, key, step);
      return;
    }
    const track = this.#open(step.path, key);
    if (track) this.#weighed(track, () => track.apply(this.#bounded(step)));
  }

  see(path: string, sighting: Sighting): void {
    const track = this.#open(path, keyOf(path, this.folder));
    if (track && (this.#held <= heldLimit || sighting.content.state !== 'text')) this.#weighed(track, () => track.see(sighting));
  }

  #weighed(track: FileTrack, work: () => void): void {
    const before = track.held;
    work();
    this.#held += track.held - before;
  }

  /** A rename takes the file's history along. What stood at its new place is written over. */
  #move(oldKey: string, key: string, step: ChangeStep): void {
    const source = this.#open(step.oldPath ?? step.path, oldKey);
    const target = this.#tracks.get(key);
    if (!source) return;
    if (target && target.steps > 0 && target.origin.state !== 'absent') {
      source.apply({ ...step, path: step.oldPath ?? step.path, oldPath: null, kind: 'delete', hunks: null, added: null, removed: null, mode: null });
      target.apply({ ...this.#bounded(step), kind: 'edit', oldPath: null, before: target.now, hunks: null, placed: false });
      return;
    }
    this.#tracks.delete(oldKey);
    this.#tracks.set(key, source);
    this.#weighed(source, () => source.apply(this.#bounded(step)));
  }

  #open(path: string, key: string): FileTrack | undefined {
    const known = this.#tracks.get(key);
    if (known) return known;
    if (this.#tracks.size >= fileLimit) {
      if (this.#left.size < fileLimit) this.#left.add(key);
      return undefined;
    }
    const isWatched = this.watched !== null && key === keyOf(this.watched, this.folder);
    const track = new FileTrack(path, isWatched ? new LineWriters() : null);
    this.#tracks.set(key, track);
    return track;
  }

  #bounded(step: ChangeStep): ChangeStep {
    if (this.#held <= heldLimit) return step;
    const unheld = { state: 'unknown' } as const;
    return { ...step, before: step.before.state === 'absent' ? step.before : unheld, after: step.after.state === 'absent' ? step.after : unheld, gap: step.gap ?? 'The files of this scope are too large to be held; this one is told by its hunks.' };
  }

  /** What is left, by path. */
  files(): ComposedFile[] {
    const files: ComposedFile[] = [];
    for (const track of this.#tracks.values()) {
      if (track.steps === 0) continue;
      const renamed = keyOf(track.firstPath, this.folder) !== keyOf(track.path, this.folder) && track.origin.state !== 'absent';
      const net = track.net(renamed);
      if (net) files.push({ track, oldPath: renamed && net.kind === 'rename' ? track.firstPath : null, net });
    }
    return files.sort((a, b) => (a.track.path < b.track.path ? -1 : a.track.path > b.track.path ? 1 : 0));
  }
}
