import type { ChangeHunk, ChangePlace, FileChange, FileDiff } from '@shared/model';
import type { ComposedFile } from './composition';
import type { Content } from './content';
import { drawnHunk } from './hunks';
import type { NetChange } from './net-change';
import { isSafePath, writePatch } from './patch-writer';
import { relativeTo } from './paths';
import { worseOf } from './track-trust';
import { lineCountOf, wholeBefore } from './unchanged-lines';

/** A patch that goes over the link whole: characters, and lines. A larger one is had in windows. */
const limits = { chars: 1_000_000, lines: 20_000 };

/** Places that are named of a file with two histories. */
const placesTold = 100;

/** A patch as it was written, and how large it is. */
interface Written {
  patch: string;
  applies: boolean;
  size: { chars: number; lines: number; longestLine: number };
  /** Null for a patch that does not go over the link whole. */
  hunks: ChangeHunk[] | null;
  wholeLines: number | null;
}

/** One file of a scope: its lines are compared when they are asked for, and its patch is written once. */
export class ChangedFile {
  readonly net: NetChange;
  #change: FileChange | null = null;
  #written: Written | null = null;

  constructor(
    readonly composed: ComposedFile,
    readonly folder: string | null,
  ) {
    this.net = composed.net;
  }

  get path(): string {
    return this.composed.track.path;
  }
  /** The path it began with. */
  get firstPath(): string {
    return this.composed.track.firstPath;
  }
  /** For a rename that no record tells: first and last path of the file that went. */
  get from(): { firstPath: string; path: string } | null {
    return this.composed.from?.track ?? null;
  }
  get isCounted(): boolean {
    return this.#change !== null;
  }
  /** Characters that are compared to count its lines. */
  get cost(): number {
    return lengthOf(this.net.before) + lengthOf(this.net.after);
  }

  /** The change with the counts of its lines. */
  count(): FileChange {
    return (this.#change ??= this.#told());
  }

  /** Of a rename that no record tells both histories are told, the one of the file that went first. */
  #told(): FileChange {
    const { net, folder, composed: { track, oldPath, from } } = this;
    const histories = from ? [from.track, track] : [track];
    const trusts = histories.map((each) => each.trust());
    const evidence = [...(from ? [from.evidence] : []), ...trusts.flatMap((trust) => trust.evidence)];
    const gaps = [...trusts.flatMap((trust) => trust.gaps), ...(net.gap === null ? [] : [net.gap])];
    return {
      path: track.path, relative: relativeTo(track.path, folder), oldPath, oldRelative: oldPath === null ? null : relativeTo(oldPath, folder), kind: net.kind, added: net.added, removed: net.removed, mode: net.mode,
      before: net.before.state, after: net.after.state, certainty: trusts.map(({ certainty }) => certainty).reduce(worseOf, from ? 'inferred' : 'recorded'),
      sources: [...new Set(histories.flatMap(({ sources }) => [...sources]))], evidence: [...new Set(evidence)], gaps: [...new Set(gaps)],
      outside: histories.flatMap(({ outside }) => outside), steps: histories.reduce((sum, { steps }) => sum + steps, 0), places: placesOf(histories),
    };
  }

  /** With its lines; `window` gives characters of a large patch. */
  diff(window: { from: number; count: number } | null): FileDiff {
    const { net } = this;
    const file = this.count();
    const isWritable = net.hunks !== null && (net.hunks.length > 0 || net.kind !== 'edit');
    if (net.hunks === null || !isWritable) return { file, hunks: null, patch: null, applies: false, large: null, window: null, wholeLines: null };
    const { patch, applies, size, hunks, wholeLines } = (this.#written ??= this.#write(file, net.hunks.map(drawnHunk)));
    return {
      file, hunks, patch: hunks === null ? null : patch, applies, large: hunks === null ? size : null,
      window: window === null ? null : { from: window.from, text: patch.slice(window.from, window.from + window.count) },
      wholeLines,
    };
  }

  #write({ path, relative, oldPath, oldRelative }: FileChange, hunks: ChangeHunk[]): Written {
    const { kind, mode } = this.net;
    // A path from elsewhere stands in the patch without its first slash, as other tools write it.
    const patch = writePatch({ path: relative ?? plainPath(path), oldPath: oldPath === null ? null : (oldRelative ?? plainPath(oldPath)), kind, mode, hunks });
    const size = sizeOf(patch);
    const isLarge = size.chars > limits.chars || size.lines > limits.lines;
    const isNamed = [relative, ...(oldPath === null ? [] : [oldRelative])].every((each) => each !== null && isSafePath(each));
    const whole = wholeBefore(this.net);
    return { patch, applies: isNamed && fits(this.net, hunks), size, hunks: isLarge ? null : hunks, wholeLines: whole === null ? null : lineCountOf(whole) };
  }
}

/** Two histories may have a change at one place. */
const placesOf = (histories: readonly { places: readonly ChangePlace[] }[]): ChangePlace[] =>
  [...new Map(histories.flatMap(({ places }) => places.map((place) => [place.part, place] as const))).values()].slice(0, placesTold);

const lengthOf = (content: Content): number => (content.state === 'text' ? content.text.length : 0);

const plainPath = (path: string): string => path.replaceAll('\\', '/').replace(/^(?:[a-z]:)?\/+/i, '');

/** A hunk without lines around it fits only at the ends of a file; where those are is known of whole files only. */
function fits(net: NetChange, hunks: readonly ChangeHunk[]): boolean {
  if (net.gap !== null) return false;
  // A rename alone says nothing of bytes.
  if (net.before.state === 'binary' || net.after.state === 'binary') return net.kind === 'rename' && hunks.length === 0;
  if (net.before.state !== 'unknown') return true;
  return hunks.every(({ oldStart, lines }) => (oldStart <= 1 || lines[0]?.startsWith(' ')) && lines.at(-1)?.startsWith(' '));
}

function sizeOf(text: string): { chars: number; lines: number; longestLine: number } {
  let lines = 0;
  let longestLine = 0;
  for (let from = 0; from < text.length; ) {
    const end = text.indexOf('\n', from);
    const to = end < 0 ? text.length : end;
    longestLine = Math.max(longestLine, to - from);
    lines++;
    from = to + 1;
  }
  return { chars: text.length, lines, longestLine };
}
