import { existsSync, unlinkSync } from 'node:fs';
import Database from 'better-sqlite3';
import { join, relative } from 'node:path';
import { assertNever } from '@shared/model';
import { asFilledText, asNumber, asObject, asObjects, type Fields } from '../../foreign/fields';
import { type JsonObject, PerformError, type StoreLocation } from '../../store';
import { namesIn, tableName, tablesFolder } from '../places';
import { AppServer, Refused } from './app-server';
import { heldLock, lockState } from './busy';
import { type CodexCall, readCall } from './call';
import { onDisk } from './on-disk';
import { codexProgram, noProgram } from './program';

/** Does what a step asks of Codex's own program, or takes it back. */
export async function perform(location: StoreLocation, call: JsonObject, given: JsonObject | null, progress: (says: string) => void, signal: AbortSignal): Promise<JsonObject> {
  const asked = readCall(call);
  if (!asked) throw new PerformError('This version of Retrace does not know what was asked of Codex.');
  if (asked.do === 'take back revert') return takeBackRevert(location, asked, given);
  const program = codexProgram();
  if (program === null) throw new PerformError(noProgram);
  if (asked.do === 'delete fork') whole(given);
  progress('Starting Codex');
  const server = await AppServer.start(program, location.folder, location.folder, signal);
  try {
    progress('Codex is at work');
    return await ask(server, asked, given);
  } catch (error) {
    throw error instanceof Refused ? new PerformError(`Codex refused: ${error.message}`) : error;
  } finally {
    await server.close();
  }
}

async function ask(server: AppServer, call: Exclude<CodexCall, { do: 'take back revert' }>, given: JsonObject | null): Promise<JsonObject> {
  switch (call.do) {
    case 'fork':
      return fork(server, call);
    case 'delete fork':
      await server.ask('thread/delete', { threadId: asFilledText(given?.['session']) ?? '' });
      return {};
    case 'revert':
      return revert(server, call);
    case 'name':
      await server.ask('thread/name/set', { threadId: call.thread, name: call.name });
      return { session: call.thread };
    case 'archive':
    case 'unarchive':
      await server.ask(`thread/${call.do}`, { threadId: call.thread });
      return { session: call.thread };
    default:
      return assertNever(call, 'a call of Codex');
  }
}

async function fork(server: AppServer, { thread, lastTurn, title, directory }: Extract<CodexCall, { do: 'fork' }>): Promise<JsonObject> {
  const answer = await server.ask('thread/fork', { threadId: thread, lastTurnId: lastTurn, ...(directory === null ? {} : { cwd: directory }) });
  const made = asObject(answer['thread']);
  const [session, path] = [asFilledText(made?.['id']), asFilledText(made?.['path'])];
  if (session === null || path === null) throw new PerformError('Codex did not say what it made.', true);
  const last = asObjects(made?.['turns']).at(-1);
  // A release that does not know the parameter forks everything.
  if (last && asFilledText(last['id']) !== lastTurn) {
    await server.ask('thread/delete', { threadId: session });
    throw new PerformError('This release of Codex cannot fork at a turn: it took more along, and was told to delete that again.');
  }
  if (title !== null) await server.ask('thread/name/set', { threadId: session, name: title });
  return { session, ...stateOf(path) };
}

async function revert(server: AppServer, { thread, beforeTurn, from }: Extract<CodexCall, { do: 'revert' }>): Promise<JsonObject> {
  await server.ask('thread/resume', { threadId: thread });
  const answer = await server.ask('thread/revert', { threadId: thread, beforeTurnId: beforeTurn });
  const path = asFilledText(asObject(answer['thread'])?.['path']);
  if (path === null || path === from) throw new PerformError('Codex did not say where the thread goes on.', true);
  return { session: thread, ...stateOf(path) };
}

/** A file as Codex left it: what takes it back asks whether it still is. */
function stateOf(path: string): { path: string; bytes: number; sha256: string } {
  const { bytes, sha256 } = onDisk(path).state;
  return { path, bytes, sha256 };
}

/** What was made, if nothing was added to it since. */
function whole(given: JsonObject | null): Fields & { path: string } {
  const path = asFilledText(given?.['path']);
  if (!given || path === null) throw new PerformError('What Codex made is not known: there is nothing that could be taken back.');
  if (!existsSync(path)) throw new PerformError(`${path} is not there any more.`);
  const now = stateOf(path);
  if (now.bytes !== asNumber(given['bytes']) || now.sha256 !== given['sha256']) throw new PerformError(`${path} was written to since: taking it back would lose that.`);
  return { ...given, path };
}

/** Points the thread's row at the file it had before, if it still names the new one, and deletes the new one. */
function takeBackRevert({ folder }: StoreLocation, { thread, from }: Extract<CodexCall, { do: 'take back revert' }>, given: JsonObject | null): JsonObject {
  const { path } = whole(given);
  if (relative(folder, path).startsWith('..')) throw new PerformError(`${path} does not lie in Codex’s folder.`);
  const lock = join(folder, 'thread-writer-locks', `${thread}.lock`);
  if (lockState(lock) === 'held') throw new PerformError(`${heldLock(lock)} Close it first.`);
  if (![from, `${from}.zst`, from.replace(/\.zst$/, '')].some((file) => existsSync(file))) throw new PerformError(`The file from before, ${from}, is not there any more.`);
  const tables = tablesFolder(folder);
  const [table] = namesIn(tables).filter((name) => tableName.test(name)).sort((a, b) => Number(tableName.exec(b)?.[1]) - Number(tableName.exec(a)?.[1]));
  if (table === undefined) throw new PerformError('Codex’s thread table is not there.');
  const db = new Database(join(tables, table), { fileMustExist: true, timeout: 5_000 });
  try {
    const changed = db.prepare('UPDATE threads SET rollout_path = ? WHERE id = ? AND rollout_path = ?').run(from, thread, path).changes;
    if (changed !== 1) throw new PerformError('Codex’s table does not name the new file any more: the thread went on elsewhere.');
  } catch (error) {
    throw error instanceof PerformError ? error : new PerformError(`Codex’s thread table could not be changed: ${error instanceof Error ? error.message : String(error)}`);
  } finally {
    db.close();
  }
  unlinkSync(path);
  return { session: thread };
}
