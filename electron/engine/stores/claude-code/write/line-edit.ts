const [quote, backslash, open, close, list, endList, comma, colon] = [0x22, 0x5c, 0x7b, 0x7d, 0x5b, 0x5d, 0x2c, 0x3a];

/** A member of a JSON object by its places in the bytes. */
interface Member {
  key: string;
  /** Where its name begins. */
  start: number;
  /** Of its value. */
  from: number;
  to: number;
}

/** The outermost object in some bytes: from its brace to behind the closing one, and its own members. */
interface Outline {
  from: number;
  to: number;
  members: Member[];
}

/** What becomes of a member: its new value as JSON text; null: it stays; `drop`: it goes. Asked with the value's JSON text. */
export type MemberChange = (value: string) => string | null | typeof drop;
export const drop = Symbol('drop');

/**
 * A line with some members of its object replaced or added, and every other byte as it was: numbers, order, spacing and
 * bytes that are not UTF-8 go into the copy as they stand. Null when there is no whole object in it.
 */
export function editLine(line: Uint8Array, changes: ReadonlyMap<string, MemberChange>, additionsFor: (members: ShortMembers) => ReadonlyMap<string, string>): Buffer | null {
  const bytes = Buffer.from(line.buffer, line.byteOffset, line.byteLength);
  const outline = outlineOf(bytes);
  if (!outline) return null;
  const additions = additionsFor(shortMembers(bytes, outline));
  const pieces: Uint8Array[] = [];
  let at = outline.from;
  let last = -1;
  outline.members.forEach(({ key, start, from, to }, place) => {
    // A long value (a message) is never one that is changed.
    const changed = changes.get(key)?.(textOf(bytes, from, to)) ?? null;
    if (changed === drop) {
      // With the comma before it, or, when nothing before it stays, with the one behind.
      pieces.push(bytes.subarray(at, last < 0 ? start : (outline.members[place - 1]?.to ?? start)));
      at = last < 0 ? (outline.members[place + 1]?.start ?? outline.to - 1) : to;
      return;
    }
    last = place;
    if (changed === null) return;
    pieces.push(bytes.subarray(at, from), Buffer.from(changed));
    at = to;
  });
  pieces.push(bytes.subarray(at, outline.to - 1));
  let isFirst = last < 0;
  for (const [key, value] of additions) {
    if (outline.members.some((member) => member.key === key)) continue;
    pieces.push(Buffer.from(`${isFirst ? '' : ','}${JSON.stringify(key)}:${value}`));
    isFirst = false;
  }
  pieces.push(bytes.subarray(outline.to - 1, outline.to));
  return Buffer.concat(pieces);
}

/** Bytes of a value that is handed to a change: ids and paths are short. */
const longestValue = 64 * 1024;

const textOf = (bytes: Buffer, from: number, to: number): string => (to - from > longestValue ? '' : bytes.toString('utf8', from, to));

/** Members of a line by their names, with their values as JSON text (empty for a long one); of equal names the last, as parsers take it. */
export interface ShortMembers {
  has(key: string): boolean;
  get(key: string): string | undefined;
}

function shortMembers(bytes: Buffer, { members }: Outline): ShortMembers {
  const find = (wanted: string) => members.findLast(({ key }) => key === wanted);
  return {
    has: (key) => find(key) !== undefined,
    get: (key) => {
      const member = find(key);
      return member && textOf(bytes, member.from, member.to);
    },
  };
}

function outlineOf(bytes: Buffer): Outline | null {
  const first = bytes.indexOf(open);
  if (first < 0) return null;
  const members: Member[] = [];
  let depth = 0;
  let key: string | null = null;
  let start = -1;
  let valueFrom = -1;
  const endMember = (to: number) => {
    if (key !== null && valueFrom >= 0) members.push({ key, start, from: valueFrom, to: lastOf(bytes, to) });
    key = null;
    valueFrom = -1;
  };
  for (let at = first; at < bytes.length; at++) {
    switch (bytes[at]) {
      case quote: {
        const end = endOfText(bytes, at);
        if (end < 0) return null;
        if (depth === 1 && key === null) {
          key = bytes.toString('utf8', at + 1, end);
          start = at;
        }
        at = end;
        break;
      }
      case open:
      case list:
        depth++;
        break;
      case close:
      case endList:
        if (--depth > 0) break;
        endMember(at);
        return { from: first, to: at + 1, members };
      case colon:
        if (depth === 1 && valueFrom < 0) valueFrom = firstOf(bytes, at + 1);
        break;
      case comma:
        if (depth === 1) endMember(at);
        break;
    }
  }
  return null;
}

/** Place of the quote that ends the text which begins here; -1 when none does. */
function endOfText(bytes: Buffer, from: number): number {
  for (let end = bytes.indexOf(quote, from + 1); end >= 0; end = bytes.indexOf(quote, end + 1)) {
    let slashes = 0;
    while (bytes[end - 1 - slashes] === backslash) slashes++;
    if (slashes % 2 === 0) return end;
  }
  return -1;
}

const isSpace = (byte: number | undefined): boolean => byte === 0x20 || byte === 0x09 || byte === 0x0d || byte === 0x0a;

function firstOf(bytes: Buffer, from: number): number {
  let at = from;
  while (isSpace(bytes[at])) at++;
  return at;
}

function lastOf(bytes: Buffer, to: number): number {
  let at = to;
  while (isSpace(bytes[at - 1])) at--;
  return at;
}
