import { randomBytes } from 'node:crypto';
import { type JsonObject, PerformError } from '../../store';
import { openWithoutTrace } from '../../foreign/database';
import { asNumber, asObject, asText, type Fields } from '../../foreign/fields';
import type { Call } from './calls';
import { NewIds } from './new-ids';
import type { OpenCodeServer } from './server';

type Where = Pick<Call, 'session' | 'directory' | 'database'>;

/**
 * Hides messages as a revert does, and nothing else. The program's own revert also takes files back, and deletes those
 * it has no snapshot of; so the revert is told to the server as an event of the session, which touches no file, and
 * without a snapshot, so that neither its undoing nor a later one by the person has a tree to put back (FORMAT.md, "Writing").
 */
export async function hide(server: OpenCodeServer, call: Where & { message: string }): Promise<JsonObject> {
  const session = asObject(await server.ask('GET', `/session/${call.session}`, call.directory)) ?? {};
  const before = asObject(session['revert']);
  if (asText(before?.['snapshot']) !== null) throw new PerformError('OpenCode has a revert with files pending in this session: take it back there, or go on, first.');
  await tell(server, call, { ...session, revert: { messageID: call.message } });
  const after = asObject(asObject(await server.ask('GET', `/session/${call.session}`, call.directory))?.['revert']);
  if (asText(after?.['messageID']) !== call.message) throw new PerformError('OpenCode took the event and did not hide the messages: this version does it another way.', true);
  await announce(server, call, session);
  return { message: call.message, before: before ? (before as JsonObject) : null };
}

/** Shows the hidden messages again, while the revert is still the one that was made and brings no files. */
export async function show(server: OpenCodeServer, call: Where & { message: string }, given: JsonObject | null): Promise<JsonObject> {
  const session = asObject(await server.ask('GET', `/session/${call.session}`, call.directory)) ?? {};
  const revert = asObject(session['revert']);
  if (asText(revert?.['messageID']) !== call.message) throw new PerformError('The revert is not pending any more: with the next prompt OpenCode deleted what it hid, or it was taken back.');
  if (asText(revert?.['snapshot']) !== null) throw new PerformError('The pending revert is another one now, with files: only OpenCode can undo that.');
  const before = asObject(given?.['before']);
  if (before) {
    await tell(server, call, { ...session, revert: before });
    await announce(server, call, session);
  } else await server.ask('POST', `/session/${call.session}/unrevert`, call.directory, {});
  const after = asText(asObject(asObject(await server.ask('GET', `/session/${call.session}`, call.directory))?.['revert'])?.['messageID']);
  if (after !== asText(before?.['messageID'])) throw new PerformError('OpenCode answered, but the revert is still pending.', true);
  return {};
}

const noEvents = 'This version of OpenCode has no way to take back a conversation without touching files.';

/** The next event of a session: what `/sync/replay` takes only when nothing came between. */
async function tell(server: OpenCodeServer, { database, directory, session }: Where, info: Fields): Promise<void> {
  const id = new NewIds(Date.now(), (bytes) => randomBytes(bytes), 1).ascending('evt');
  const event = { id, aggregateID: session, seq: lastSequence(database, session) + 1, type: 'session.updated.1', data: { sessionID: session, info: { ...info, time: { ...asObject(info['time']), updated: Date.now() } } } };
  const answer = asObject(await server.ask('POST', '/sync/replay', directory, { directory, events: [event] }));
  if (answer?.['sessionID'] !== session) throw new PerformError(noEvents);
}

/** The server’s list of events holds those of all sessions; the number is read from the database instead. */
function lastSequence(database: string, session: string): number {
  const { opened, refusal } = openWithoutTrace(database);
  if (!opened) throw new PerformError(`${database} cannot be read: ${refusal.reason}.`);
  try {
    if (opened.db.prepare("SELECT 1 FROM sqlite_master WHERE name = 'event_sequence'").get() === undefined) throw new PerformError(noEvents);
    return asNumber(opened.db.prepare('SELECT seq FROM event_sequence WHERE aggregate_id = ?').pluck().get(session)) ?? -1;
  } finally {
    opened.close();
  }
}

/** A replayed event is not told to open clients; setting the title it has is, and tells them all. */
const announce = async (server: OpenCodeServer, { session, directory }: Where, { title }: Fields): Promise<void> => {
  if (typeof title === 'string') await server.ask('PATCH', `/session/${session}`, directory, { title });
};
