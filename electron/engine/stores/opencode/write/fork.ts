import type { Draft, ForkChoices, Making, SessionToWrite, WritePoint, WriteRefusal, WriteWay } from '../../store';
import { callJson } from './calls';
import { forkByFiles, layoutOf } from './fork-files';
import { forkByRows, rowsRefused } from './fork-rows';
import { keptOf, secondGeneration } from './kept';
import { leftOut } from './limits';
import { ownServer, expectedOf, servable, serverOf } from './ways';

/** Ways to fork, the first that is open first: new rows, a running server, the person's program started for it; new files where the session lies in files. */
export function forkWays(session: SessionToWrite, point: WritePoint): WriteWay[] {
  const files = layoutOf(session);
  if (files) return [{ id: 'files', name: 'New files', says: `Adds files beside those of the session in ${files.place.name}.`, refused: null }];
  return [
    { id: 'rows', name: 'New rows', says: 'Adds rows to OpenCode’s database, in one transaction, while no program has it open.', refused: rowsRefused(session, point) },
    { id: 'server', name: 'Running server', says: 'Lets the OpenCode server that runs on this machine (port 4096) make the fork.', refused: serverRefused(session, point) },
    { id: 'start', name: 'Start OpenCode', says: 'Starts your OpenCode as a server, lets it make the fork, and stops it.', refused: serverRefused(session, point) ?? startRefused(session) },
  ];
}

/** What is open is done; that OpenCode is started is only ever chosen. */
export async function planFork(session: SessionToWrite, point: WritePoint, choices: ForkChoices, making: Making): Promise<Draft | WriteRefusal> {
  const second = secondGeneration(session, point);
  if (second !== null) return { refused: second, instead: point.before === null ? [] : [{ way: 'revert', says: 'Take the session back to before this message.' }] };
  if (choices.way === 'files' || layoutOf(session)) return forkByFiles(session, point, choices, making);
  if (choices.way === 'rows') return forkByRows(session, point, choices, making);
  if (choices.way === 'server' || choices.way === 'start') return forkByServer(session, point, choices, choices.way);
  const rows = forkByRows(session, point, choices, making);
  if (!('refused' in rows)) return rows;
  const server = await forkByServer(session, point, choices, 'server');
  if (!('refused' in server)) return server;
  const start = serverRefused(session, point) ?? startRefused(session);
  return { refused: rows.refused === server.refused ? rows.refused : `${rows.refused} ${server.refused}`, instead: start === null ? [{ way: 'start', says: 'Start your OpenCode as a server for it.' }] : [] };
}

function serverRefused(session: SessionToWrite, point: WritePoint): string | null {
  const place = servable(session);
  return secondGeneration(session, point) ?? (typeof place === 'string' ? place : null);
}

function startRefused(session: SessionToWrite): string | null {
  const place = servable(session);
  const own = typeof place === 'string' ? place : ownServer(session.location, place.database);
  return typeof own === 'string' ? own : null;
}

async function forkByServer(session: SessionToWrite, point: WritePoint, choices: ForkChoices, way: 'server' | 'start'): Promise<Draft | WriteRefusal> {
  const place = servable(session);
  if (typeof place === 'string') return { refused: place };
  const server = await serverOf(way, session, place.database);
  if (typeof server === 'string') return { refused: server };
  const kept = keptOf(session, point);
  if (!kept.isPrefix) return { refused: 'OpenCode’s own fork copies everything before a message, and here something in between is left out.', instead: [{ way: 'rows', says: 'Close OpenCode, and let Retrace add the rows.' }] };
  const last = kept.messages.at(-1);
  const where = { via: server.via, database: place.database, session: session.native, directory: choices.directory ?? place.directory };
  const request = `POST /session/${session.native}/fork ${JSON.stringify(kept.before === null ? {} : { messageID: kept.before })}`;
  const undo = callJson({ ...where, do: 'unfork' });
  return {
    way: server.way, session: null, limits: [...server.limits, ...leftOut({ ...kept, cleared: new Set() }), ...(kept.cleared.size > 0 ? ['Outputs that OpenCode cleared after this point stay cleared in a fork it makes.'] : []), 'OpenCode’s own fork does not take the list of todos along.'],
    steps: [{
      kind: 'program', program: 'opencode', shown: `${server.shown}${request}`,
      call: callJson({
        ...where, do: 'fork', expect: expectedOf(session), before: kept.before, title: choices.title ?? null, last: last ? { key: last.key, time: last.record.order ?? last.record.time } : null,
      }),
      does: 'OpenCode copies the messages into a new session; then its metadata gets a mark that names where it comes from.',
      remains: ['Nothing: undo deletes the fork, unless it was gone on with.'],
      inverse: { call: undo, shown: `${server.shown}DELETE /session/(the fork)`, does: 'OpenCode deletes the fork, unless it was changed since.' },
    }, {
      kind: 'library', fact: { type: 'lineage', child: null, parent: session.native, after: last?.key ?? null }, does: `Remembers that the fork comes from ${session.native}.`,
    }],
  };
}
