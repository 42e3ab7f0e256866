import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { asObject, asObjects, asText, type Fields } from '../../stores/foreign/fields';
import { exportedKey, exportedObject, messageLine, ownerOf, partLine, sessionLine } from '../../stores/opencode/export-lines';
import { fileBytes, placedBytes } from './file-bytes';
import { type JsonEnd, type JsonPiece, JsonPieces } from './json-pieces';
import { type NotTaken, notTaken, type TakenIn } from './taken-in';

/** Messages and parts of one session; an export with more is refused. */
const limits = { messages: 200_000, parts: 2_000_000 };
/** Bytes at which a pipe's buffer was seen to cut what `opencode export` writes. */
const pipeBytes = 65_536;

export interface OpenCodeFile {
  path: string;
  form: 'opencode export' | 'opencode share';
  /** Bytes of other text before the data. */
  skipped: number;
  /** Where it came from, when that is a share. */
  link: boolean;
}

/** What a first look through the file found. */
interface Found {
  info: Fields | null;
  messages: number;
  parts: number;
  nameless: number;
  /** Of a share: what parts need to know of their messages. */
  owners: Map<string, ReturnType<typeof ownerOf>>;
  /** Replies whose prompt is not in the file. */
  unanswered: number;
  masked: boolean;
  /** Messages that have the id of one before them: they become one message. */
  repeated: number;
  /** Whole exports that stand where items of a share should. */
  exports: number;
  end: JsonEnd;
}

/** Takes in what `opencode export` wrote, or the items of a share. The file is gone through twice, one message in memory at a time. */
export function takeOpenCode(file: OpenCodeFile, work: string, salvage: boolean): TakenIn | NotTaken {
  const found = lookThrough(file);
  if (typeof found === 'string') return notTaken(found);
  const { info, end } = found;
  if (end.state === 'broken') return notTaken(`This is no sound JSON: ${end.reason} (byte ${(end.at + file.skipped).toLocaleString('en')}).`);
  if (end.state === 'cut' && !salvage) return { refused: cutSaid(end.bytes + file.skipped, file), salvage: info !== null && found.messages > 0 ? { messages: found.messages } : null };
  if (end.state === 'followed' && !salvage) return { refused: followedSaid(end, file), salvage: info !== null && found.messages > 0 ? { messages: found.messages } : null };
  const session = asText(info?.['id']);
  if (info === null || session === null || !/^[\w-]{1,200}$/.test(session)) return notTaken(file.form === 'opencode share' ? noShareSaid(file, found) : 'The file holds no session of OpenCode: there is no info with an id.');
  const lines = join(work, 'lines');
  writeLines(file, session, info, found, lines);
  const title = asText(info['title']);
  return {
    kind: file.link ? 'share link' : 'opencode export', agent: 'opencode', root: session, title, sessions: [{ nativeId: session, title }],
    streams: [{ key: exportedKey(session), role: 'records', sessions: [session], content: () => placedBytes(lines) }], bundle: null, damage: [], notes: notesOf(file, found),
  };
}

function* piecesOf({ path, form, skipped }: OpenCodeFile, scanner: JsonPieces): Iterable<JsonPiece> {
  for (const chunk of fileBytes(path, skipped)) {
    for (const piece of scanner.push(chunk)) if (form === 'opencode share' ? piece.member === null : piece.member !== null) yield piece;
    if (scanner.fault) return;
  }
}

const scannerOf = (): JsonPieces => new JsonPieces(new Set(['messages']), new Set(['info']));

function lookThrough(file: OpenCodeFile): Found | string {
  const found: Found = { info: null, messages: 0, parts: 0, nameless: 0, owners: new Map(), unanswered: 0, masked: false, repeated: 0, exports: 0, end: { state: 'whole' } };
  const prompts = new Set<string>();
  const ids = new Set<string>();
  const replies: string[] = [];
  const message = (data: Fields) => {
    found.messages++;
    const [id, parent] = [asText(data['id']), asText(data['parentID'])];
    if (id === null) found.nameless++;
    else {
      if (ids.has(id)) found.repeated++;
      ids.add(id);
      if (file.form === 'opencode share') found.owners.set(id, ownerOf(data));
      if (data['role'] === 'user') prompts.add(id);
    }
    if (parent !== null && data['role'] === 'assistant') replies.push(parent);
  };
  const scanner = scannerOf();
  for (const piece of piecesOf(file, scanner)) {
    const value = exportedObject(piece.bytes);
    if (value === null) return `A value of the document is no JSON object (${piece.member ?? 'an item'}).`;
    if (file.form === 'opencode export' && piece.member === 'info') found.info = value;
    else if (file.form === 'opencode export') {
      const data = asObject(value['info']);
      if (data) message(data);
      else found.nameless++;
      found.parts += asObjects(value['parts']).length;
    } else takeItem(value, found, message);
    if (found.messages + found.nameless > limits.messages) return `There are more than ${limits.messages.toLocaleString('en')} messages: such a session is not taken in.`;
    if (found.parts > limits.parts) return `There are more than ${limits.parts.toLocaleString('en')} parts: such a session is not taken in.`;
  }
  found.end = scanner.end();
  found.unanswered = replies.filter((parent) => !prompts.has(parent)).length;
  found.masked = asText(found.info?.['title'])?.startsWith('[redacted:') === true;
  return found;
}

function takeItem(item: Fields, found: Found, message: (data: Fields) => void): void {
  const data = asObject(item['data']);
  if (item['type'] === 'session' && data) found.info = data;
  else if (item['type'] === 'message' && data) message(data);
  else if (item['type'] === 'part') found.parts++;
  else if (asObject(item['info']) && Array.isArray(item['messages'])) found.exports++;
}

function writeLines(file: OpenCodeFile, session: string, info: Fields, found: Found, target: string): void {
  const out = openSync(target, 'wx', 0o600);
  const write = (line: Buffer | null) => line !== null && writeSync(out, line);
  try {
    write(sessionLine(info));
    if (file.form === 'opencode export') {
      for (const piece of piecesOf(file, scannerOf())) if (piece.member === 'messages') writeMessage(session, exportedObject(piece.bytes), write);
      return;
    }
    // Items come in no order: messages first, so that every part finds its own.
    for (const type of ['message', 'part'] as const) {
      for (const piece of piecesOf(file, scannerOf())) {
        const item = exportedObject(piece.bytes);
        const data = asObject(item?.['data']);
        if (item?.['type'] !== type || !data) continue;
        write(type === 'message' ? messageLine(session, data) : partLine(session, data, found.owners.get(asText(data['messageID']) ?? '') ?? null));
      }
    }
  } finally {
    closeSync(out);
  }
}

function writeMessage(session: string, element: Fields | null, write: (line: Buffer | null) => void): void {
  const message = asObject(element?.['info']);
  if (!element || !message) return;
  write(messageLine(session, message));
  const owner = ownerOf(message);
  for (const part of asObjects(element['parts'])) write(partLine(session, { messageID: message['id'], ...part }, owner));
}

function cutSaid(bytes: number, { form }: OpenCodeFile): string {
  const why = bytes === pipeBytes && form === 'opencode export' ? ': this is a known effect of piping the export; export to a file instead' : '; export it once more';
  return `The ${form === 'opencode export' ? 'export' : 'share'} was cut off at ${bytes} bytes${why}.`;
}

function followedSaid({ at, byJson }: { at: number; byJson: boolean }, { form, skipped }: OpenCodeFile): string {
  const place = `byte ${(at + skipped).toLocaleString('en')}`;
  const what = form === 'opencode export' ? 'export' : 'share';
  return byJson ? `Another document follows the ${what} (${place}). Keep each in a file of its own.` : `Something follows the end of the ${what} (${place}).`;
}

function noShareSaid({ link }: OpenCodeFile, { exports }: Found): string {
  if (exports > 0) return `The list holds ${exports === 1 ? 'an export' : `${exports} exports`}. Keep each in a file of its own, without the list around it.`;
  return link ? 'The share holds no session.' : 'A list, as a share has it, but no session is in it.';
}

function notesOf(file: OpenCodeFile, { nameless, unanswered, masked, repeated, end, messages }: Found): string[] {
  const notes: string[] = [];
  if (file.skipped > 0) notes.push('The text before the JSON was skipped.');
  if (end.state === 'cut') notes.push(`The file was cut off at ${end.bytes + file.skipped} bytes: the ${messages} whole messages before that were taken in.`);
  if (end.state === 'followed') notes.push(`What follows the end of the data (byte ${(end.at + file.skipped).toLocaleString('en')}) was left out.`);
  if (masked) notes.push('It was exported with --sanitize: texts, paths and titles are masked.');
  if (nameless > 0) notes.push(`${nameless === 1 ? '1 message has' : `${nameless} messages have`} no id and could not be taken in.`);
  if (repeated > 0) notes.push(`${repeated === 1 ? '1 message has' : `${repeated} messages have`} the id of another one in the file: ${repeated === 1 ? 'the two are' : 'they are'} shown as one.`);
  if (unanswered > 0) notes.push(`${unanswered === 1 ? '1 reply names a prompt that is' : `${unanswered} replies name a prompt that is`} not in the file: OpenCode itself may not go on with it.`);
  return notes;
}
