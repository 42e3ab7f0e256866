import type { Draft, RevertChoices, SessionToWrite, SpineRecord, WritePoint, WriteRefusal } from '../../store';
import { nameOf } from '../entry';
import { entryIn } from '../readable';
import { appendedLines } from './appended';
import { copyWay, forkRefusal } from './fork';
import { keptLine } from './kept';
import { isAtLeast, releaseOf } from './release';
import { noTranscript, textOfEnd } from './on-disk';
import { type SessionPlace, sessionPlace } from './session-place';

/** The one way: a pointer to the line the session goes on from. */
export const pointerWay = 'pointer';

/** Releases from this on were seen to follow the pointer; 2.1.59 was seen not to. */
const followedSince = '2.1.197';

/** Why the conversation cannot be taken back in its own transcript; null: it can. */
export function revertRefusal(session: SessionToWrite, point: WritePoint): string | null {
  if (session.facts.kind === 'subagent') return 'A subagent’s transcript is not a session that Claude Code goes on with.';
  if (!session.isLive || !sessionPlace(session)) return 'The session is only in the library: there is no transcript to take back.';
  const { leaf } = keptLine(session, point);
  if (leaf === null) return 'Nothing was said before this point: there is no conversation to go back to. Begin a new session; files can be taken back alone.';
  if (leaf.index === endOf(session)?.index) return 'The session ends at this point already.';
  // Seen with 2.1.332: it goes on from the last compaction whatever the pointer says.
  if (session.spine.records.some(({ index, type }) => index > leaf.index && type === 'system/compact_boundary')) {
    return 'The conversation was compacted after this point: Claude Code would not go back behind it.';
  }
  const release = releaseOf(session);
  if (!isAtLeast(release.version, followedSince)) {
    const known = release.version === null ? 'No record tells which release of Claude Code works here' : `Claude Code ${release.version} works here (so says ${release.from})`;
    return `${known}; only ${followedSince} and newer are known to go back without a new prompt.`;
  }
  return null;
}

/** The record the session goes on from now. */
function endOf(session: SessionToWrite): SpineRecord | null {
  const branch = session.settled.branches.findIndex(({ current }) => current);
  const path = session.settled.branches[branch]?.path ?? [];
  return keptLine(session, { branch, path, before: null, kept: path }).leaf;
}

/** Bytes of a transcript's end that are looked through for a line that was not read yet. */
const unreadBytes = 1024 * 1024;

/** True when the transcript ends in a line that the session, as it was read, does not have: what is taken back would be more than was shown. */
function hasUnread(session: SessionToWrite, place: SessionPlace): boolean {
  for (const line of textOfEnd(place.transcript, unreadBytes).split('\n').reverse()) {
    const key = line.includes('"uuid"') ? nameOf(entryIn(Buffer.from(line))?.['uuid']) : null;
    if (key !== null) return !session.spine.records.some((record) => record.key === key);
  }
  return false;
}

/** Appends an explicit `last-prompt` line that names where the session goes on (FORMAT.md, "Branches"). Nothing is taken out. */
export function planRevert(session: SessionToWrite, point: WritePoint, choices: RevertChoices): Draft | WriteRefusal {
  if (choices.way !== undefined && choices.way !== pointerWay) return { refused: `There is no way “${choices.way}” to take a session of Claude Code back.` };
  const refused = revertRefusal(session, point);
  const place = sessionPlace(session);
  const { leaf, leftOut } = keptLine(session, point);
  if (refused !== null || !place || leaf === null) return { refused: refused ?? '', ...forkInstead(session, point) };
  const pointer = JSON.stringify({ type: 'last-prompt', leafUuid: leaf.key, explicit: true, sessionId: place.id });
  if (hasUnread(session, place)) return { refused: 'The transcript has lines that were not read yet: something went on in the session. Ask again when they are shown.' };
  const step = appendedLines(session, place, [pointer], 'A pointer to the line the session goes on from; no line is taken out.');
  if (!step) return { refused: noTranscript(place.transcript, `The transcript ${place.transcript} cannot be read.`), ...forkInstead(session, point) };
  const release = releaseOf(session);
  return {
    way: `A line appended to the transcript names where to go on; Claude Code ${release.version} follows it (so says ${release.from}).`,
    steps: [step],
    limits: [
      `A Claude Code older than ${followedSince} passes over the line and goes on from the old end.`,
      'The line counts until the session goes on: what is said then hangs below the point, and what was taken back stays in the file as a branch that was left.',
      ...(leftOut.length > 0 ? ['The last reply before the point is left out: a call in it has no result.'] : []),
    ],
    session: session.native,
  };
}

function forkInstead(session: SessionToWrite, point: WritePoint): Pick<WriteRefusal, 'instead'> {
  return forkRefusal(session, point) === null ? { instead: [{ way: copyWay, says: 'A fork up to this point begins a session of its own there, and keeps the original as it is.' }] } : {};
}
