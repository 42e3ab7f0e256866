import { join } from 'node:path';
import type { NativeId } from '@shared/model';
import type { BusyReport, Draft, StoreLocation } from '../../store';
import { isSqliteError, openWithoutTrace } from '../../foreign/database';
import { asJsonObject, asNumber, asObject, asText, type Fields } from '../../foreign/fields';
import { databaseFiles, holdersOf, sayOpenFiles } from '../../foreign/open-files';
import { jsonLayouts, lastMade } from '../json-layouts';
import { databasesOf } from '../places';
import { isMarked } from '../records';
import { readCall } from './calls';
import { databaseOfDraft } from './draft-database';
import { ownServer } from './ways';

/** Milliseconds after the last write for which an unfinished reply is taken to go on. */
const atWorkFor = 30 * 60_000;
/** The same for a file of the JSON layouts. */
const fileAtWorkFor = 10_000;

/** Whether OpenCode is at work on a session, as far as its store tells; a server is asked once more when it does its step. */
export function busy(location: StoreLocation, native: NativeId, draft: Draft): BusyReport {
  const checked: string[] = [];
  const database = databaseOfDraft(draft) ?? databaseWith(location, native);
  if (database === null) return { busy: filesBusy(location, native), checked: ['Whether a message of the session was written in the last ten seconds; the OpenCode that keeps its sessions in files leaves no other sign of being open.'] };
  const open = holdersOf(databaseFiles(database));
  const isHeld = open.holders.length > 0;
  const calls = draft.steps.flatMap((step) => (step.kind === 'program' ? [readCall(step.call)] : []));
  const isByHand = draft.steps.some(({ kind }) => kind === 'rows') || calls.some((call) => call?.do === 'restore');
  if (isHeld && isByHand) return { busy: sayOpenFiles(database, open), checked };
  const own = !isByHand && calls.some((call) => call?.via.by === 'own') ? ownServer(location, database) : null;
  if (typeof own === 'string') return { busy: own, checked };
  // In the words of the plans, which look at a database they write into themselves: told once.
  checked.push(`${sayOpenFiles(database, open)}${isHeld && calls.length > 0 ? ' What is done is done by OpenCode itself.' : ''}`);
  const written = unfinished(database, native);
  if (written !== null && written > Date.now() - atWorkFor) return { busy: 'The last reply has no end, and something was written less than half an hour ago: OpenCode may still be at work on it.', checked };
  checked.push(written === null ? 'The last reply of the session has ended.' : 'The last reply has no end, but nothing was written for half an hour.');
  return { busy: null, checked };
}

/** The database a session is in, for a draft that writes into none: files of its project. */
function databaseWith({ folder }: StoreLocation, session: string): string | null {
  return databasesOf(folder).map((name) => join(folder, name)).find((file) => hasSession(file, session)) ?? null;
}

function hasSession(file: string, session: string): boolean {
  const { opened } = openWithoutTrace(file);
  if (!opened) return false;
  try {
    return opened.db.prepare('SELECT 1 FROM session WHERE id = ?').get(session) !== undefined;
  } catch (error) {
    if (!isSqliteError(error)) throw error;
    return false;
  } finally {
    opened.close();
  }
}

/** When the last reply was last written, if it has no end. */
function unfinished(database: string, session: string): number | null {
  const { opened } = openWithoutTrace(database);
  if (!opened) return null;
  try {
    const row = opened.db.prepare('SELECT id, data, time_updated FROM message WHERE session_id = ? ORDER BY time_created DESC, id DESC LIMIT 1').get(session) as Fields | undefined;
    const data = asJsonObject(row?.['data']);
    if (data?.['role'] !== 'assistant' || isMarked(asObject(data['time'])?.['completed']) || data['error'] !== undefined) return null;
    const parts = asNumber(opened.db.prepare('SELECT max(time_updated) FROM part WHERE message_id = ?').pluck().get(asText(row?.['id'])));
    return Math.max(asNumber(row?.['time_updated']) ?? 0, parts ?? 0);
  } catch (error) {
    if (!isSqliteError(error)) throw error;
    return null;
  } finally {
    opened.close();
  }
}

/** Whether a file of the last messages was written a moment ago: these versions leave no other sign. */
function filesBusy({ folder }: StoreLocation, native: NativeId): string | null {
  const newest = jsonLayouts(folder).flatMap((layout) => {
    const messages = layout.messages(native);
    const [last] = lastMade(messages, 1, Date.now());
    return [...messages, ...(last ? layout.parts(native, last.id) : [])].map(({ at }) => at);
  });
  return newest.some((at) => at > Date.now() - fileAtWorkFor) ? 'A message of the session was written a moment ago: OpenCode may still be at work on it.' : null;
}
