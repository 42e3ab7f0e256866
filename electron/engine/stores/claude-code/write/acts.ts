import type { Draft, Making, SessionAct, SessionToWrite, WriteRefusal } from '../../store';
import { oneLine } from '../entry';
import { appendedLines } from './appended';
import { isAtLeast, releaseOf } from './release';
import { noTranscript } from './on-disk';
import { sessionPlace } from './session-place';
import { titleFile, titleLength, titleLines } from './titles';
import { planTrash } from './trash';

/** Releases from this on were seen to show a title that was given by the person. */
const titlesSince = '2.1.332';

/** Renames a session or puts it into the trash. Archiving is nothing this agent knows. */
export function planAct(session: SessionToWrite, act: SessionAct, making: Making): Draft | WriteRefusal {
  switch (act.act) {
    case 'rename':
      return planRename(session, act.title, making);
    case 'trash':
      return planTrash(session, act.children);
    case 'archive':
    case 'unarchive':
      return { refused: 'Claude Code has no archive: a session is there, or it is deleted.' };
  }
}

function planRename(session: SessionToWrite, wanted: string, making: Making): Draft | WriteRefusal {
  const title = oneLine(wanted, titleLength);
  const place = sessionPlace(session);
  if (title === '') return { refused: 'A title needs at least one letter.' };
  if (session.facts.kind === 'subagent') return { refused: 'A subagent has no title of its own in Claude Code.' };
  const step = place && session.isLive ? appendedLines(session, place, titleLines(place.id, title), 'The title, as /rename writes it.') : null;
  if (!place || !step) return { refused: noTranscript(place?.transcript, 'The session is only in the library: Claude Code has no transcript of it to rename.') };
  const named = titleFile(session, place.folder, title, 'user', making);
  const { version } = releaseOf(session);
  return {
    way: 'Lines appended to the transcript, as Claude Code’s own /rename writes them.',
    steps: [step, ...(named ? [named] : [])],
    limits: isAtLeast(version, titlesSince) ? [] : [`Claude Code ${version ?? 'of an unknown release'} may not show the title; ${titlesSince} does.`],
    session: session.native,
  };
}
