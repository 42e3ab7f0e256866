import { readFileSync } from 'node:fs';
import { type KnownSource, type RawBatch, recordLimit } from '../store';
import { Batches } from './batches';
import { helperOf, isFinished, messagesAtEnd, messagesBefore, starts } from './calls';
import { sessionCursor, emptySession, readSessionCursor, type SessionCursor } from './cursors';
import { allFiles, fits, type MessageFiles, newsSince, remember, stampOfListed } from './file-sets';
import { timeOfId } from './ids';
import { type JsonLayout, lastMade, type ListedFile, listedFile } from './json-layouts';
import { jsonText, type Owner, shortHash, writeLine } from './lines';
import type { Look } from './look';
import { asJsonObject, asList, asObject, asText, type Fields, parsed } from '../foreign/fields';
import { asTime } from './records';
import { undoneWork } from './singles';
import { stampOf } from '../foreign/stamps';

/** A session of a JSON layout with something new, as the survey found it. */
export interface FilesHandle {
  look: Look;
  layout: JsonLayout;
  session: string;
  /** Its own file. */
  file: string;
  /** A database is there too, and OpenCode reads only that. */
  hidden: boolean;
}

/** Milliseconds a file may stay half written before that is worth telling: the program writes it a moment later. */
const tornPatience = 10_000;

/** State of what changes when a session gets a message or is touched at all. */
export const filesStamp = (layout: JsonLayout, session: string, file: string): string => `${stampOf(file)} | ${stampOf(layout.messageFolder(session))}`;

/** Reads the files of a session that are new or changed since the cursor: each message, then its parts. */
export function* readSessionFiles(key: string, handle: FilesHandle, known: KnownSource | undefined): Iterable<RawBatch> {
  yield* new FilesReader(key, handle, known).read();
}

class FilesReader {
  readonly #out: Batches;
  readonly #begun: SessionCursor;
  readonly #next: SessionCursor;
  /** All is read, as for the first time. */
  #again = false;
  /** What the library holds, when the files there and those remembered do not fit. */
  #held: Set<string> | null = null;
  #copied = 0;
  #begins: number | null = null;

  constructor(
    readonly key: string,
    readonly handle: FilesHandle,
    readonly known: KnownSource | undefined,
  ) {
    const cursor = known && readSessionCursor(known.cursor);
    this.#begun = cursor ?? emptySession();
    this.#next = { ...emptySession(), single: { ...this.#begun.single } };
    this.#out = new Batches(key, cursor ? known.length : 0, known !== undefined && !cursor);
    this.#again = !cursor;
  }

  *read(): Iterable<RawBatch> {
    const { layout, session, file } = this.handle;
    this.#next.files = filesStamp(layout, session, file);
    const own = listedFile(session, file);
    layout.refused.clear();
    const messages = this.#messages();
    if (layout.refused.size > 0) return yield this.#refused(own);
    const fitting = this.#again || fits(this.#begun, messages);
    if (!fitting && this.known?.keys) this.#held = new Set(this.known.keys());
    if (!this.#again && ((!fitting && !this.#held) || this.#isMended(own ? [own, ...allFiles(messages)] : allFiles(messages)))) this.#startAgain();
    else this.#writeGone(messages);
    const info = own && asJsonObject(this.#text(own));
    this.#writeSingles(info);
    yield* this.#readMessages(messages, asTime(asObject(info?.['time'])?.['created']));
    if (this.#again) this.#writeSingle('copied', writeLine('copied', JSON.stringify({ messages: this.#copied, begins: this.#begins })));
    this.handle.look.unread.delete(this.key);
    if (!this.#out.isEmpty || JSON.stringify(this.#begun) !== JSON.stringify(this.#next)) yield this.#out.take(sessionCursor(this.#next));
  }

  /** A folder that may not be looked into hides messages, and does not take away those that are known: the cursor stays, so that it is tried again. */
  #refused(own: ListedFile | null): RawBatch {
    const { layout } = this.handle;
    this.handle.look.unread.delete(this.key);
    const info = own && asJsonObject(this.#text(own));
    if (info) this.#writeSingle('info', writeLine('info', JSON.stringify(info)));
    for (const [folder, reason] of layout.refused) this.#out.report({ place: layout.told(folder), line: null, bytes: null, reason: `cannot be looked into: ${reason}` });
    return this.#out.take(this.#again ? {} : sessionCursor({ ...this.#begun, single: this.#next.single }));
  }

  #messages(): MessageFiles[] {
    const { layout, session } = this.handle;
    const files = new Map(layout.messages(session).map((file): [string, ListedFile | null] => [file.id, file]));
    for (const id of layout.messagesOfParts(session)) if (!files.has(id)) files.set(id, null);
    return [...files].map(([id, file]) => ({ id, file, parts: layout.parts(session, id) })).sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  #writeGone(messages: MessageFiles[]): void {
    const here = new Set(messages.flatMap(({ id, file, parts }) => [...(file ? [id] : []), ...parts.map((part) => part.id)]));
    for (const id of this.#held ?? []) if (!here.has(id)) this.#out.add(writeLine('gone', JSON.stringify({ id })));
  }

  /** A file that was torn is another now: its damage goes with what was read before. */
  #isMended(files: ListedFile[]): boolean {
    const stamps = new Map(files.map((file) => [file.path, stampOfListed(file)]));
    return Object.entries(this.#begun.torn).some(([path, torn]) => torn !== stamps.get(path) && torn !== told(stamps.get(path)));
  }

  #startAgain(): void {
    this.#again = true;
    this.#held = null;
    this.#next.single = {};
    this.#begun.message = emptySession().message;
    this.#begun.part = emptySession().part;
    this.#begun.torn = {};
    this.#out.at = 0;
    this.#out.restarts = this.known !== undefined;
  }

  #writeSingles(info: Fields | null): void {
    const { layout, session, hidden, look } = this.handle;
    if (info) this.#writeSingle('info', writeLine('info', JSON.stringify(info)));
    this.#writeSingle('place', writeLine('place', JSON.stringify({ layout: layout.place.layout, name: layout.place.name, hidden })));
    const projectFile = layout.projectFile(asText(info?.['projectID']) ?? '');
    const project = projectFile === null ? null : asObject(jsonOf(projectFile));
    if (project) {
      const { id, worktree, vcs, name, sandboxes } = project;
      this.#writeSingle('project', writeLine('project', JSON.stringify({ id, worktree, vcs, name, sandboxes })));
    }
    const todoFile = layout.todoFile(session);
    if (todoFile !== null) this.#writeSingle('todo', writeLine('todo', JSON.stringify({ rows: asList(jsonOf(todoFile)) })));
    const share = asObject(jsonOf(layout.shareFile(session)));
    this.#writeSingle('share', writeLine('share', JSON.stringify({ url: asText(share?.['url']), known: true })));
    const undone = info && undoneWork(look.folder, session, info);
    if (undone) this.#writeSingle(undone.slot, undone.line);
    this.#writeCalls(info);
  }

  #writeCalls(info: Fields | null): void {
    const { layout, session } = this.handle;
    const created = asTime(asObject(info?.['time'])?.['created']) ?? 0;
    const parent = asText(info?.['parentID']);
    if (parent !== null && /^[\w-]+$/.test(parent) && !('caller' in this.#next.single)) {
      const before = layout.messages(parent).filter(({ id }) => (timeOfId(id, created) ?? 0) <= created);
      for (const message of lastMade(before, messagesBefore, created)) {
        for (const file of layout.parts(parent, message.id)) {
          const part = asObject(jsonOf(file.path));
          if (!starts(part, session)) continue;
          const caller = { parent, message: message.id, part: file.id, call: asText(part?.['callID']) };
          return this.#writeSingle('caller', writeLine('caller', JSON.stringify(caller)));
        }
      }
    }
    for (const message of lastMade(layout.messages(session), messagesAtEnd, created)) {
      for (const file of layout.parts(session, message.id)) {
        const id = helperOf(asObject(jsonOf(file.path)));
        if (id !== null && /^[\w-]+$/.test(id)) this.#writeSingle(`helper ${id}`, writeLine('helper', JSON.stringify({ id, finished: this.#hasFinished(id, created) })));
      }
    }
  }

  #hasFinished(session: string, near: number): boolean {
    const [last] = lastMade(this.handle.layout.messages(session), 1, near);
    return last !== undefined && isFinished(asObject(jsonOf(last.path)));
  }

  *#readMessages(messages: MessageFiles[], created: number | null): Iterable<RawBatch> {
    const files = { message: messages.flatMap(({ file }) => file ?? []), part: messages.flatMap(({ parts }) => parts) };
    const isTorn = (file: ListedFile) => file.path in this.#begun.torn;
    const [isNewMessage, isNewPart] = [newsSince(this.#begun.message, this.#held), newsSince(this.#begun.part, this.#held)];
    for (const slot of ['message', 'part'] as const) this.#next[slot] = remember(files[slot], created);
    for (const message of messages) {
      const fresh = message.parts.filter((file) => isNewPart(file) || isTorn(file));
      const changed = message.file !== null && (isNewMessage(message.file) || isTorn(message.file));
      if (fresh.length === 0 && !changed && !this.#again) continue;
      this.#writeMessage(message, fresh, changed, created);
      // The cursor stays as it was until all is read: a reading that is broken off begins again.
      if (this.#out.isFull) yield this.#out.take(sessionCursor(this.#begun));
    }
  }

  #writeMessage({ id, file }: MessageFiles, fresh: ListedFile[], changed: boolean, created: number | null): void {
    const { session } = this.handle;
    const text = file && this.#text(file);
    const data = asJsonObject(text);
    const owner: Owner = { role: asText(data?.['role']), time: asTime(asObject(data?.['time'])?.['created']), summary: data?.['summary'] === true };
    if (text !== null && changed) this.#out.add(writeLine('message', filed({ id, session_id: session }, text)));
    this.#countCopied(owner.time, created);
    for (const part of fresh) {
      const content = this.#text(part);
      if (content !== null) this.#out.add(writeLine('part', filed({ id: part.id, message_id: id, session_id: session }, content), data ? owner : null));
    }
  }

  /** A message older than its session is a copy: the session is a fork. */
  #countCopied(time: number | null, created: number | null): void {
    if (time === null) return;
    this.#begins = Math.min(this.#begins ?? time, time);
    if (created !== null && time < created) this.#copied++;
  }

  #writeSingle(slot: string, line: Buffer): void {
    const hash = shortHash(line);
    if (this.#next.single[slot] === hash) return;
    this.#next.single[slot] = hash;
    this.#out.add(line);
  }

  /** A file's text when it is whole. A torn one is read again at each look; it is told of once, when it has been so for a while. */
  #text(file: ListedFile): string | null {
    if (file.bytes > recordLimit) {
      this.#report(file, 'the file is too large to be taken in');
      return null;
    }
    const text = textOf(file.path);
    if (text !== null && asJsonObject(text)) return text;
    const stamp = stampOfListed(file);
    const isTold = this.#begun.torn[file.path] === told(stamp);
    const isOld = Date.now() - file.at > tornPatience;
    this.#next.torn[file.path] = isOld ? told(stamp) : stamp;
    if (isOld && !isTold) this.#report(file, text === null ? 'the file could not be read' : 'the file holds no whole JSON object');
    return null;
  }

  #report(file: ListedFile, reason: string): void {
    this.#out.report({ place: this.handle.layout.told(file.path), line: null, bytes: file.bytes, reason });
  }
}

/** What a small file beside the messages holds; that there is none is usual. */
function jsonOf(path: string): unknown {
  const text = textOf(path);
  return text === null ? undefined : parsed(text);
}

/** State of a torn file that was told of. */
const told = (stamp: string | undefined): string => `${stamp} told`;

/** A row made of what the path says and of the file as it stands. */
const filed = (path: Fields, text: string): string => `${JSON.stringify(path).slice(0, -1)},"data":${jsonText(text)}}`;

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
