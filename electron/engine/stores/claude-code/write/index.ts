import type { SessionToWrite, StoreWriter, WritePoint, WriteWay } from '../../store';
import { planAct } from './acts';
import { busy } from './busy';
import { copyWay, forkRefusal, planFork } from './fork';
import { planRevert, pointerWay, revertRefusal } from './revert';

/** Writes into Claude Code's store: new files, and lines appended to a transcript that nobody has open (FORMAT.md, "Writing"). */
export const writer: StoreWriter = { forkWays, planFork, revertWays, planRevert, planAct, busy };

function forkWays(session: SessionToWrite, point: WritePoint): WriteWay[] {
  return [{ id: copyWay, name: 'New transcript', says: 'A transcript of its own beside the original, as /branch writes it, with the checkpoints it needs.', refused: forkRefusal(session, point) }];
}

function revertWays(session: SessionToWrite, point: WritePoint): WriteWay[] {
  return [{ id: pointerWay, name: 'Pointer line', says: 'A line at the end of the transcript names where the session goes on.', refused: revertRefusal(session, point) }];
}
