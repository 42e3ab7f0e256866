import type { RevertFileState, RevertReason } from '@shared/model';
import { absent, type Content, linesOf, sameContent, textContent, unknown } from '../diff/content';
import { applied, appliedByText, type Hunk, reversed } from '../diff/hunks';
import type { DiskFile } from './disk-file';

/** `placed`: the hunks say where in the file they stand. */
export interface ChangedLines {
  hunks: Hunk[];
  placed: boolean;
}

/** What is known of a file when one asks what going back would do to it. */
export interface FileFacts {
  /** Before the point, and as the session left it. */
  before: Content;
  left: Content;
  now: DiskFile;
  /** The session's changes after the point as lines that meet; null where they do not, or are not known. */
  lines: ChangedLines | null;
  /** True for a content that the file had earlier in the session. */
  had(content: Content): boolean;
  /** Whether it was there when the session began: such a file is never deleted. */
  atBegin: 'there' | 'not there' | 'unknown';
  /** Why what was before is not known. */
  missing: RevertReason;
}

export interface FileVerdict {
  state: RevertFileState;
  reason: RevertReason | null;
  /** What going back would leave; unknown where it cannot be done. */
  result: Content;
  /** It was taken from the lines of the changes, not from a state of the file. */
  fromLines: boolean;
}

const verdict = (state: RevertFileState, result: Content, reason: RevertReason | null = null, fromLines = false): FileVerdict => ({ state, reason, result, fromLines });

/** What would become of a file. Pure. */
export function verdictOf(facts: FileFacts): FileVerdict {
  const { before, now } = facts;
  if (now.state === 'refused') return verdict('cannot', unknown, now.reason);
  if (before.state === 'too large') return verdict('cannot', unknown, 'too large');
  const disk = now.state === 'read' ? now.content : absent;
  if (before.state === 'unknown') return byLines(facts, disk);
  if (sameContent(disk, before)) return verdict('unchanged', disk);
  return before.state === 'absent' ? made(facts, disk) : changed(facts, before, disk);
}

/** The session made the file. */
function made({ left, lines, atBegin, had }: FileFacts, disk: Content): FileVerdict {
  if (atBegin !== 'not there') return verdict('cannot', unknown, atBegin === 'there' ? 'existed before' : 'not recorded');
  // A file that was renamed and changed: its lines are those the session left, as far as they are recorded.
  const isLeft = sameContent(disk, left) || had(disk) || (left.state === 'unknown' && withoutLines(lines, disk) !== null);
  if (isLeft) return verdict('deleted', absent);
  return verdict('conflict', absent, left.state === 'unknown' ? 'left unknown' : 'changed since');
}

/** The file was there before. */
function changed(facts: FileFacts, before: Content, disk: Content): FileVerdict {
  const { left, had } = facts;
  if (disk.state === 'absent') return left.state === 'absent' ? verdict('recreated', before) : verdict('conflict', before, 'deleted since');
  if (sameContent(disk, left) || had(disk)) return verdict('restorable', before);
  if (left.state === 'absent') return verdict('conflict', before, 'made again since');
  if (left.state !== 'unknown') return verdict('conflict', before, 'changed since');
  const back = withoutLines(facts.lines, disk);
  return back !== null && sameContent(back, before) ? verdict('restorable', before) : verdict('conflict', before, 'left unknown');
}

/** Only lines are known: they are taken out where they stand. */
function byLines({ lines, left, missing }: FileFacts, disk: Content): FileVerdict {
  if (lines === null || lines.hunks.length === 0) return verdict('cannot', unknown, missing);
  if (disk.state === 'absent') return left.state === 'absent' ? verdict('cannot', unknown, missing) : verdict('conflict', unknown, 'deleted since');
  if (disk.state !== 'text') return verdict('conflict', unknown, 'changed since');
  const back = withoutLines(lines, disk);
  if (back !== null) return verdict('restorable', back, null, true);
  const now = linesOf(disk.text);
  if (lines.placed && applied(now, lines.hunks) !== null) return verdict('unchanged', disk, null, true);
  const found = appliedByText(now, reversed(lines.hunks));
  return verdict('conflict', found === null ? unknown : textContent(found.join('')), 'changed since', true);
}

/** The text without the changed lines; null where they do not stand as the session left them. */
export function withoutLines(lines: ChangedLines | null, disk: Content): Content | null {
  if (lines === null || lines.hunks.length === 0 || disk.state !== 'text') return null;
  const now = linesOf(disk.text);
  const back = lines.placed ? applied(now, reversed(lines.hunks)) : appliedByText(now, reversed(lines.hunks));
  return back === null ? null : textContent(back.join(''));
}

/** A text from a record that lost its `\r` gets the line ends the file has now. */
export function withLineEndsOf(result: Content, now: Content): Content {
  if (result.state !== 'text' || now.state !== 'text' || result.text.includes('\r') || !now.text.includes('\r\n')) return result;
  return textContent(result.text.replaceAll('\n', '\r\n'));
}
