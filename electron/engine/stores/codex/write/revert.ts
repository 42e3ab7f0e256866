import type { NativeId } from '@shared/model';
import type { Draft, Making, RevertChoices, SessionToWrite, WritePoint, WriteRefusal, WriteWay } from '../../store';
import { counted } from '../fields';
import type { ListedFile } from '../listing';
import { rolloutName } from '../names';
import { isCompaction } from '../sending';
import { threadAt } from '../point';
import { asJsonCall, type CodexCall, shownCall } from './call';
import { codexProgram, noProgram } from './program';
import { onDisk } from './on-disk';
import { firstLine, type RolloutText, RolloutTexts } from './texts';
import { turnWith, type Turn } from './turn-points';

/** A revert as it would be made. */
interface RevertTo {
  session: SessionToWrite;
  native: NativeId;
  /** The first turn that is taken back. */
  turn: Turn;
  /** Turns that are taken back, as Codex counts them. */
  turns: number;
  isInside: boolean;
  /** The context was compacted in the turns that are taken back. */
  isCompacted: boolean;
  text: RolloutText;
  file: ListedFile;
  isNumbered: boolean;
}

function revertTo(session: SessionToWrite, { before }: WritePoint): RevertTo | { refused: string } {
  if (!session.isLive) return { refused: 'Codex has this thread no more; a fork can be made of what the library kept.' };
  const found = before === null ? null : turnWith(session.spine, before);
  if (!found) return { refused: 'No turn of the thread as it is now stands behind this point: nothing would be taken back.' };
  const { live } = threadAt(session.spine, null).chain;
  const rollout = live && rolloutName(live.source)?.rollout;
  const text = rollout == null ? null : new RolloutTexts(session).ofRollout(rollout);
  if (!text?.file) return { refused: 'The file that Codex goes on in is not there.' };
  const first = firstLine(text);
  if (!first?.isEnvelope) return { refused: 'Current releases of Codex do not read files of this form.' };
  if (text.file.archived) return { refused: 'The thread is archived: it has to be brought back first.' };
  const taken = found.turns.slice(found.place);
  const turns = taken.reduce((sum, { counts }) => sum + counts, 0);
  const isCompacted = taken.some(({ records }) => records.some(isCompaction));
  return { session, native: session.native, turn: found.turn, turns, isInside: found.isInside, isCompacted, text, file: text.file, isNumbered: first.ordinal !== null };
}

/** The ways a conversation can be taken back, each with why it is closed. */
export function revertWays(session: SessionToWrite, point: WritePoint): WriteWay[] {
  return waysTo(revertTo(session, point));
}

function waysTo(to: RevertTo | { refused: string }): WriteWay[] {
  const refusal = (of: (to: RevertTo) => string | null): string | null => ('refused' in to ? to.refused : of(to));
  return [
    { id: 'app-server', name: 'By Codex', says: 'Codex’s own program goes back: it begins a new file for the thread.', refused: refusal(noProgramRevert) },
    { id: 'rollback-line', name: 'A line', says: 'One line at the end of the file says how many turns are taken back.', refused: refusal(noRollbackLine) },
  ];
}

function noProgramRevert({ isNumbered, turn }: RevertTo): string | null {
  if (!isNumbered) return 'Codex goes back only in threads of its newer form; in this one a line does it.';
  if (codexProgram() === null) return `${noProgram} A fork before this point needs no program.`;
  return turn.id === null ? 'The turn has no id that Codex could be told.' : null;
}

function noRollbackLine(to: RevertTo): string | null {
  const { isNumbered, file, turn } = to;
  if (isNumbered) return 'Threads of this form go back only by a new file and a change in Codex’s table, which Codex has to make.';
  if (file.packed) return 'The file is packed: Codex has to go on with the thread once before a line can be added.';
  if (to.isCompacted) return 'The turns that would be taken back hold a compaction: what stood before it would come back without the model’s answers.';
  return turn.isMarked || turn.start.prompt ? null : 'The turn has no message of a person, which is what Codex counts by.';
}

/** Draws a revert of the conversation; files are another plan's. */
export function planRevert(session: SessionToWrite, point: WritePoint, choices: RevertChoices, making: Making): Draft | WriteRefusal {
  const to = revertTo(session, point);
  const fork = [{ way: 'fork', says: 'Fork before this point: the original keeps everything.' }];
  if ('refused' in to) return { refused: to.refused, instead: fork };
  const ways = waysTo(to);
  const way = choices.way === undefined ? (ways.find(({ refused }) => refused === null) ?? ways[to.isNumbered ? 0 : 1]) : ways.find(({ id }) => id === choices.way);
  if (!way) return { refused: `Codex cannot go back by “${choices.way}”.`, instead: fork };
  if (way.refused !== null) return { refused: way.refused, instead: fork };
  return way.id === 'app-server' ? byProgram(to) : byLine(to, making);
}

const inside = ({ isInside }: RevertTo): string[] => (isInside ? ['Codex can only go back between turns: the turn this message is in is taken back whole.'] : []);
const filesStay = 'Files in the project are not changed by it.';

function byProgram(to: RevertTo): Draft {
  const { native, turn, file } = to;
  const call: CodexCall = { do: 'revert', thread: native, beforeTurn: turn.id ?? '', from: file.path };
  const undo: CodexCall = { do: 'take back revert', thread: native, from: file.path };
  return {
    way: 'By Codex’s own program: it begins a new file for the thread and goes on there.',
    steps: [
      {
        kind: 'program', program: 'codex', call: asJsonCall(call), shown: shownCall(call), does: `Codex takes back ${counted(to.turns, 'turn')}. The old file keeps every line.`,
        remains: ['What Codex noted in its caches and logs.', 'Codex may bring its own tables to its release’s form when it is started.'],
        inverse: {
          call: asJsonCall(undo), shown: shownCall(undo),
          does: 'Codex cannot take a revert back itself. As long as nothing was added since and Codex does not have the thread open, its table is pointed at the old file again, and the new one is deleted.',
        },
      },
    ],
    limits: [...inside(to), filesStay, 'Once the thread went on in the new file, the revert cannot be undone; the turns taken back still stand in the old file, and a fork brings them back.'],
    session: native,
  };
}

function byLine(to: RevertTo, { now }: Making): Draft {
  const { session, native, file, turns } = to;
  const { state, endsLine } = onDisk(file.path);
  const line = `${JSON.stringify({ timestamp: new Date(now).toISOString(), type: 'event_msg', payload: { type: 'thread_rolled_back', num_turns: turns } })}\n`;
  return {
    way: 'By the line that Codex itself wrote in threads of this form; the lines before it stay.',
    steps: [
      {
        kind: 'file', path: file.path, within: session.location.folder, before: state,
        after: { append: Buffer.from(endsLine ? line : `\n${line}`) }, why: `A line that takes back the last ${counted(turns, 'turn')}.`,
      },
    ],
    limits: [...inside(to), filesStay], session: native,
  };
}
