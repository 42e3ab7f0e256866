import { existsSync } from 'node:fs';
import { type SessionToWrite, type StoreLocation, type WritePoint } from '../../store';
import { databaseFiles, holdersOf, sayOpenFiles } from '../../foreign/open-files';
import { heldOpen, programsHolding } from '../../foreign/processes';
import { unitsOf } from '../order';
import type { ExpectedSession, Via } from './calls';
import { databaseOf } from './database';
import { findProgram, serveArguments } from './own-server';
import { healthAt, usualAddress } from './server';

/** A server that may be asked, and how that is told. */
export interface OpenServer {
  via: Via;
  way: string;
  /** Before the request, in the line that is shown. */
  shown: string;
  limits: string[];
}

/** What every way through a server needs; a text says why none is open. */
export function servable(session: SessionToWrite): { database: string; directory: string } | string {
  const database = databaseOf(session);
  if (database === null || !session.isLive) return 'OpenCode’s server forks only what its own database has, and this session is not in it.';
  const { folder: directory } = session;
  if (directory === null || !existsSync(directory)) return `OpenCode does this only in the session’s folder, and ${directory === null ? 'none is recorded' : `${directory} is not there`}.`;
  return { database, directory };
}

/** The person's running server, when it works on this very database. */
export async function runningServer(database: string): Promise<OpenServer | string> {
  const health = await healthAt(usualAddress);
  if (health === null) return `No server of OpenCode answers at ${usualAddress} (start one with: opencode serve, or opencode --port 4096).`;
  if (typeof health === 'string') return health;
  if (heldOpen(database) === 'no') return `The server at ${usualAddress} works on another database than ${database}.`;
  return { via: { by: 'running', url: usualAddress }, way: `OpenCode’s own server does it: version ${health.version} runs at ${usualAddress}.`, shown: '', limits: [] };
}

/**
 * The person's own program, started for it. It may bring the database to its version, so nobody may have that open but
 * the same program.
 */
export function ownServer(location: StoreLocation, database: string): OpenServer | string {
  const program = findProgram(location);
  if (program === null) return 'There is no program called opencode on the path.';
  const isOpen = heldOpen(database) === 'yes';
  const isSame = !isOpen || programsHolding(database)?.every((holder) => installOf(holder) === installOf(program)) === true;
  if (!isSame) return `${sayOpenFiles(database, holdersOf(databaseFiles(database)))} It is not seen to be the OpenCode on the path: another one is not started beside it.`;
  return {
    via: { by: 'own', program }, way: `${program} is started as a server for it, reachable from this machine only and with a password of its own, and stopped again.`,
    shown: `opencode ${serveArguments.join(' ')}; `,
    limits: [
      'A newer OpenCode than the one that wrote the database brings the database to its version when it starts; that stays.',
      ...(isOpen ? ['OpenCode is open: it shows the change when the session is opened again.'] : []),
    ],
  };
}

/** An installation by npm is a script and, beside it, the program. */
const installOf = (program: string): string => program.split(/[\\/]node_modules[\\/]/)[0] ?? program;

/** By the name of the way; what is not known to be there is asked. */
export async function serverOf(way: 'server' | 'start', session: SessionToWrite, database: string): Promise<OpenServer | string> {
  return way === 'server' ? runningServer(database) : ownServer(session.location, database);
}

/** What the plan was made from, as a server can tell it. */
export function expectedOf({ spine, settled, facts }: SessionToWrite): ExpectedSession {
  const there = new Set(settled.branches.flatMap(({ path }) => path));
  const last = unitsOf(spine.records.filter(({ index }) => there.has(index))).findLast(({ generation, message }) => generation === 1 && message !== null);
  return { last: last?.key ?? null, updated: facts.updated, revert: facts.revert?.message ?? null };
}

/** The message a point lies before. */
export function messageAt({ spine }: SessionToWrite, { before }: WritePoint): string | null {
  const record = before === null ? undefined : spine.records[before];
  return record ? (record.messageKey ?? record.key) : null;
}
