import type { Draft, RevertChoices, SessionToWrite, WritePoint, WriteRefusal, WriteWay } from '../../store';
import { unitsOf, type Unit } from '../order';
import { type Call, callJson } from './calls';
import { isSecond } from './kept';
import { messageAt, ownServer, expectedOf, servable, serverOf } from './ways';

/** A conversation is taken back by OpenCode only: its rows are not changed by hand. */
export function revertWays(session: SessionToWrite, point: WritePoint): WriteWay[] {
  const target = targetOf(session, point);
  const place = servable(session);
  const refused = typeof target === 'string' ? target : typeof place === 'string' ? place : null;
  const own = typeof place === 'string' ? place : ownServer(session.location, place.database);
  return [
    { id: 'server', name: 'Running server', says: 'Lets the OpenCode server that runs on this machine (port 4096) hide the messages; no file is touched.', refused },
    { id: 'start', name: 'Start OpenCode', says: 'Starts your OpenCode as a server, lets it hide the messages, and stops it; no file is touched.', refused: refused ?? (typeof own === 'string' ? own : null) },
  ];
}

export async function planRevert(session: SessionToWrite, point: WritePoint, choices: RevertChoices): Promise<Draft | WriteRefusal> {
  const fork = { way: 'fork', says: 'Fork before this message: the session stays as it is.' };
  const target = targetOf(session, point);
  if (typeof target === 'string') return { refused: target, instead: [fork] };
  const place = servable(session);
  if (typeof place === 'string') return { refused: place, instead: [fork] };
  const way = choices.way === 'start' ? 'start' : 'server';
  const server = await serverOf(way, session, place.database);
  if (typeof server === 'string') {
    const start = choices.way === undefined && typeof ownServer(session.location, place.database) !== 'string';
    return { refused: server, instead: [...(start ? [{ way: 'start', says: 'Start your OpenCode as a server for it.' }] : []), fork] };
  }
  const where = { via: server.via, database: place.database, session: session.native, directory: place.directory };
  const { hidden, message, moved, second } = target;
  const call: Call = { ...where, do: second ? 'stage' : 'hide', expect: expectedOf(session), message };
  const undo: Call = { ...where, do: second ? 'unstage' : 'show', message };
  const shownAs = second ? `POST /api/session/${session.native}/revert/stage {"messageID":"${message}","files":false}` : `POST /sync/replay session.updated {"revert":{"messageID":"${message}"}}`;
  return {
    way: server.way, session: session.native,
    limits: [
      ...server.limits,
      ...(moved ? ['OpenCode goes back to a prompt: the reply’s whole turn is hidden.'] : []),
      second
        ? 'The revert is staged: a client of OpenCode has to commit it before the next prompt, which else still sends what is hidden.'
        : 'With the next prompt OpenCode deletes what is hidden; from then on only Retrace’s library has it, and this cannot be undone.',
    ],
    steps: [{
      kind: 'program', program: 'opencode', call: callJson(call), shown: `${server.shown}${shownAs}`,
      does: `OpenCode hides ${hidden === 1 ? 'one message' : `${hidden} messages`}. Its own undo, which takes files back with them, is not used: no file is touched.`,
      remains: ['An entry in OpenCode’s event log.'],
      inverse: {
        call: callJson(undo), shown: `${server.shown}POST ${second ? `/api/session/${session.native}/revert/clear` : `/session/${session.native}/unrevert`}`,
        does: 'OpenCode shows the messages again, unless it deleted them since; it has no file to put back.',
      },
    }],
  };
}

interface Target {
  message: string;
  /** Messages that are hidden by it. */
  hidden: number;
  /** The point was inside a turn, and its prompt is taken. */
  moved: boolean;
  second: boolean;
}

function targetOf(session: SessionToWrite, point: WritePoint): Target | string {
  const { facts, settled, spine } = session;
  const at = messageAt(session, point);
  if (at === null) return 'There is nothing after this point.';
  const there = new Set(settled.branches.flatMap(({ path }) => path));
  const units = unitsOf(spine.records.filter(({ index }) => there.has(index))).filter(({ message, generation }) => message !== null && (generation === 1 || (generation === 2 && isSecond(message))));
  const place = units.findIndex(({ key }) => key === at);
  if (place < 0) return 'This message is not in OpenCode’s store any more.';
  const generations = new Set(units.map(({ generation }) => generation));
  if (generations.size > 1) return 'This session has messages of both of OpenCode’s interfaces; a revert in one of them does not hold in the other.';
  const pending = facts.revert;
  if (pending?.snapshot != null && (generations.has(1) || pending.files.length > 0)) return 'OpenCode has a revert with files pending in this session: take it back there, or go on, first.';
  return generations.has(2) ? stagedAt(units, place) : hiddenFrom(units, place);
}

/** As the program does: back to the prompt of the turn. */
function hiddenFrom(units: readonly Unit[], place: number): Target | string {
  const prompt = units.findLastIndex(({ message }, at) => at <= place && message?.role === 'user');
  const message = units[prompt]?.key;
  return message === undefined ? 'OpenCode goes back to a prompt, and there is none before this message.' : { message, hidden: units.length - prompt, moved: prompt !== place, second: false };
}

/** In the second generation the message that is named stays. */
function stagedAt(units: readonly Unit[], place: number): Target | string {
  const message = units[place - 1]?.key;
  return message === undefined ? 'OpenCode’s second interface keeps the message it goes back to: there is none before the first.' : { message, hidden: units.length - place, moved: false, second: true };
}
