import { assertNever } from '@shared/model';
import { type JsonObject, PerformError, type StoreLocation } from '../../store';
import { asNumber, asObject, asObjects, asText, type Fields } from '../../foreign/fields';
import { markedMetadata } from '../fork-mark';
import { forkTitle } from '../lineage';
import { type Call, type ExpectedSession, readCall } from './calls';
import { withOwnServer } from './own-server';
import { hide, show } from './hide';
import { restoreRows, savedRows } from './saved-rows';
import { OpenCodeServer } from './server';

/** Does a step of a plan through one of OpenCode's servers. What cannot be done is thrown as a `PerformError`. */
export async function perform(location: StoreLocation, json: JsonObject, given: JsonObject | null, progress: (says: string) => void, signal: AbortSignal): Promise<JsonObject> {
  const call = readCall(json);
  if (!call) throw new PerformError('This step is none that Retrace knows for OpenCode.');
  // Rows are read and put back without a server.
  if (call.do === 'save') return savedRows(call.database, call.sessions);
  if (call.do === 'restore') return restoreRows(call.database, given);
  if (call.do === 'deleted') return {};
  if (call.via.by === 'running') return done(new OpenCodeServer(call.via.url, null, signal), call, given);
  progress('Starts OpenCode as a server.');
  const { program } = call.via;
  return withOwnServer({ location, program, database: call.database, directory: call.directory, signal }, async (server) => {
    progress('OpenCode answers.');
    return done(server, call, given);
  });
}

async function done(server: OpenCodeServer, call: Exclude<Call, { do: 'save' | 'restore' | 'deleted' }>, given: JsonObject | null): Promise<JsonObject> {
  await assertIdle(server, call);
  switch (call.do) {
    case 'fork':
      return fork(server, call);
    case 'unfork':
      return unfork(server, call, given);
    case 'hide':
      await assertUnchanged(server, call);
      return hide(server, call);
    case 'show':
      return show(server, call, given);
    case 'stage':
      await assertUnchanged(server, call);
      return object(await server.ask('POST', `/api/session/${call.session}/revert/stage`, null, { messageID: call.message, files: false }), 'revert/stage');
    case 'unstage': {
      const revert = asObject((await sessionOf(server, call))['revert']);
      if (asText(revert?.['messageID']) !== call.message) throw new PerformError('The revert is not pending any more: it was made final, or taken back.');
      if (asObjects(revert?.['files']).length > 0) throw new PerformError('The revert took files back since; only OpenCode can undo that.');
      await server.ask('POST', `/api/session/${call.session}/revert/clear`, null, {});
      return {};
    }
    case 'rename': {
      const title = asText((await sessionOf(server, call))['title']);
      if (title !== call.from) throw new PerformError(`The session has another title meanwhile: “${title ?? ''}”.`);
      await change(server, call, { title: call.to }, (session) => session['title'] === call.to);
      return {};
    }
    case 'archive':
      await change(server, call, { time: { archived: call.at } }, (session) => asObject(session['time'])?.['archived'] === call.at);
      return {};
    case 'unarchive':
      // No interface takes the time away again; zero counts as not archived.
      await change(server, call, { time: { archived: 0 } }, (session) => !asObject(session['time'])?.['archived']);
      return {};
    case 'delete':
      await assertUnchanged(server, call);
      await server.ask('DELETE', `/session/${call.session}`, call.directory);
      return {};
    default:
      return assertNever(call, 'a call of OpenCode');
  }
}

type Of<Do extends Call['do']> = Extract<Call, { do: Do }>;
type Where = Pick<Call, 'session' | 'directory'>;

/** An object in an answer; anything else is no answer of OpenCode. */
function object(value: unknown, what: string): JsonObject {
  const found = asObject(value);
  if (!found) throw new PerformError(`OpenCode’s server gave no object for ${what}.`, true);
  return found as JsonObject;
}

const sessionOf = async (server: OpenCodeServer, { session, directory }: Where): Promise<JsonObject> => {
  const found = object(await server.ask('GET', `/session/${session}`, directory), 'the session');
  if (found['id'] !== session) throw new PerformError('This server does not know the session: it works on another store.');
  return found;
};

async function lastMessage(server: OpenCodeServer, { session, directory }: Where): Promise<{ id: string | null; time: number | null }> {
  const found = await server.ask('GET', `/session/${session}/message?limit=1`, directory);
  const info = asObject(asObjects(found).at(-1)?.['info']);
  return { id: asText(info?.['id']), time: asNumber(asObject(info?.['time'])?.['created']) };
}

async function assertIdle(server: OpenCodeServer, { session, directory }: Where): Promise<void> {
  const status = asObject(asObject(await server.ask('GET', '/session/status', directory))?.[session]);
  if (status && status['type'] !== 'idle') throw new PerformError('OpenCode is at work on this session.');
}

async function assertUnchanged(server: OpenCodeServer, call: Where & { expect: ExpectedSession }): Promise<void> {
  const session = await sessionOf(server, call);
  const updated = asNumber(asObject(session['time'])?.['updated']);
  const { id } = await lastMessage(server, call);
  const revert = asText(asObject(session['revert'])?.['messageID']);
  if (revert !== call.expect.revert || (call.expect.updated !== null && updated !== call.expect.updated) || (call.expect.last !== null && id !== call.expect.last)) {
    throw new PerformError('The session was changed since the plan was made.');
  }
}

async function change(server: OpenCodeServer, { session, directory }: Where, body: Fields, isDone: (session: Fields) => boolean): Promise<void> {
  const answer = object(await server.ask('PATCH', `/session/${session}`, directory, body), 'the change');
  if (!isDone(answer)) throw new PerformError('OpenCode answered, but did not change the session.');
}

/** The program's own fork, then the mark and a chosen title: since 1.15 metadata can be set (FORMAT.md, "Writing"). */
async function fork(server: OpenCodeServer, call: Of<'fork'>): Promise<JsonObject> {
  await assertUnchanged(server, call);
  const source = await sessionOf(server, call);
  const made = object(await server.ask('POST', `/session/${call.session}/fork`, call.directory, call.before === null ? {} : { messageID: call.before }), 'the fork');
  const session = asText(made['id']);
  if (session === null || session === call.session) throw new PerformError('OpenCode answered, but made no fork.', true);
  const its = { session, directory: asText(made['directory']) ?? call.directory };
  const last = await lastMessage(server, its);
  if ((call.last?.time ?? null) !== last.time) {
    await server.ask('DELETE', `/session/${session}`, its.directory);
    throw new PerformError('OpenCode’s fork did not end where the plan said; it was deleted again.');
  }
  const metadata = markedMetadata(source['metadata'], { session: call.session, message: call.last?.key ?? null, self: session });
  const body = { metadata, ...(call.title === null || call.title === forkTitle(asText(source['title']) ?? '') ? {} : { title: call.title }) };
  // A version that knows no metadata leaves the fork as it is: then only its messages tell where it comes from.
  const marked = await server.ask('PATCH', `/session/${session}`, its.directory, body).then((answer) => asObject(asObject(answer)?.['metadata']) !== null, () => false);
  const updated = asNumber(asObject((await sessionOf(server, its))['time'])?.['updated']);
  return { session, directory: its.directory, last: last.id, updated, marked };
}

/** A fork that was gone on with is the person's work and is not deleted. */
async function unfork(server: OpenCodeServer, call: Of<'unfork'>, given: JsonObject | null): Promise<JsonObject> {
  const session = asText(given?.['session']);
  if (session === null) throw new PerformError('It is not known which session was made.');
  const its = { session, directory: asText(given?.['directory']) ?? call.directory };
  await assertIdle(server, its);
  const updated = asNumber(asObject((await sessionOf(server, its))['time'])?.['updated']);
  const last = await lastMessage(server, its);
  if (last.id !== asText(given?.['last']) || updated !== asNumber(given?.['updated'])) throw new PerformError('The fork was changed since it was made: delete it in OpenCode if it is not wanted.');
  await server.ask('DELETE', `/session/${session}`, its.directory);
  return {};
}
