import type { SessionToWrite } from '../../store';
import { nameOf } from '../entry';
import { drop, editLine, type MemberChange, type ShortMembers } from './line-edit';

/** What is changed in the lines of a fork, besides that they get another session. */
export interface CopyRules {
  from: string;
  to: string;
  /** Names of saved outputs that were carried over: their paths lead to the copies. */
  outputs: ReadonlySet<string>;
  /** The fork works in another folder than the original: recorded working folders below the first go below the second. */
  moved: Moved | null;
}

/** A working folder, and the one that stands in its place. */
export interface Moved {
  from: string;
  to: string;
}

/** A path below the one folder as a path below the other; any other path stays. */
export function movedPath(path: string, { from, to }: Moved): string {
  if (path === from) return to;
  const rest = path.startsWith(from) ? path.slice(from.length) : '';
  return /^[/\\]/.test(rest) ? to + rest : path;
}

/**
 * The line of a record as the program's own fork writes it (FORMAT.md, "Writing"): under the new session, marked with
 * where it came from, all else byte for byte. Null for a record that holds no object.
 */
export function copiedLine(session: SessionToWrite, index: number, rules: CopyRules): Buffer | null {
  const key = session.spine.records[index]?.key ?? null;
  if (key === null) return null;
  const mark = JSON.stringify({ sessionId: rules.from, messageUuid: key });
  const changes = new Map<string, MemberChange>([
    ['sessionId', () => JSON.stringify(rules.to)],
    ['forkedFrom', () => mark],
    // A fork of a background session runs in no background: with the mark the program's list says it does.
    ['sessionKind', () => drop],
  ]);
  const { moved } = rules;
  if (moved) changes.set('cwd', (value) => movedFolder(value, moved));
  const line = editLine(session.record(index), changes, (members) => additions(members, mark, rules));
  return line && withOutputs(line, rules);
}

/** `requestSessionId` says which session asked for an answer; one that was copied before keeps its own. */
function additions(members: ShortMembers, mark: string, { from, to }: CopyRules): Map<string, string> {
  const added = new Map<string, string>();
  if (!members.has('sessionId')) added.set('sessionId', JSON.stringify(to));
  if (members.get('type') === '"assistant"' && !members.has('requestSessionId')) added.set('requestSessionId', JSON.stringify(nameOf(valueIn(members.get('sessionId'))) ?? from));
  added.set('forkedFrom', mark);
  return added;
}

/** A short value of a line; undefined for none. */
function valueIn(json: string | undefined): unknown {
  if (json === undefined) return undefined;
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

function movedFolder(value: string, moved: Moved): string | null {
  const folder = valueIn(value);
  return typeof folder === 'string' ? JSON.stringify(movedPath(folder, moved)) : null;
}

/** The folder of saved outputs in a path, as it stands in JSON text. */
const outputFolders = (session: string): string[] => [`${session}/tool-results/`, `${session}\\\\tool-results\\\\`];

const nameEnds = /[^A-Za-z0-9._-]/;

/** Names of the session's saved outputs that a line speaks of. */
export function outputsIn(line: Uint8Array, session: string): string[] {
  const text = Buffer.from(line.buffer, line.byteOffset, line.byteLength);
  const names: string[] = [];
  for (const folder of outputFolders(session)) {
    for (let at = text.indexOf(folder); at >= 0; at = text.indexOf(folder, at + folder.length)) names.push(nameAt(text, at + folder.length));
  }
  return names.filter((name) => name !== '' && !name.startsWith('.'));
}

function nameAt(text: Buffer, from: number): string {
  const beginning = text.toString('latin1', from, from + 256);
  const end = beginning.search(nameEnds);
  return end < 0 ? beginning : beginning.slice(0, end);
}

function withOutputs(line: Buffer, { from, to, outputs }: CopyRules): Buffer {
  if (outputs.size === 0) return line;
  const places: number[] = [];
  for (const folder of outputFolders(from)) {
    for (let at = line.indexOf(folder); at >= 0; at = line.indexOf(folder, at + folder.length)) if (outputs.has(nameAt(line, at + folder.length))) places.push(at);
  }
  const pieces: Uint8Array[] = [];
  let copied = 0;
  for (const at of places.toSorted((a, b) => a - b)) {
    pieces.push(line.subarray(copied, at), Buffer.from(to));
    copied = at + Buffer.byteLength(from);
  }
  return copied === 0 ? line : Buffer.concat([...pieces, line.subarray(copied)]);
}
