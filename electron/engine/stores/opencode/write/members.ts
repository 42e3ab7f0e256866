/**
 * Members of a JSON object as they stand in its text, so that what is copied stays byte for byte as it was: a parser
 * and a writer between would change numbers, escapes and the order of equal names. The text must be sound JSON.
 */

/** From the first character of a value to behind its last. */
type Range = [from: number, to: number];

/** Where the value of a member of the object that begins at `from` stands; of equal names the last, as parsers take it. */
export const memberRange = (json: string, name: string, from = 0): Range | null => memberOf(json, name, from)?.value ?? null;

/** The object without a member that lies in members of it: `['state', 'time', 'compacted']`. */
export function withoutMember(json: string, path: readonly string[]): string {
  const holder = path.slice(0, -1).reduce<number | null>((from, name) => (from === null ? null : (memberRange(json, name, from)?.[0] ?? null)), 0);
  const member = holder === null ? null : memberOf(json, path.at(-1) ?? '', holder);
  if (!member) return json;
  const next = behindSpace(json, member.value[1]);
  if (json[next] === ',') return json.slice(0, member.from) + json.slice(behindSpace(json, next + 1));
  return json.slice(0, member.from).replace(/,\s*$/, '') + json.slice(next);
}

interface Member {
  /** Where its name begins. */
  from: number;
  value: Range;
}

const memberOf = (json: string, name: string, from: number): Member | null => membersOf(json, new Set([name]), from).get(name) ?? null;

/** Some members of an object, in one walk: a part may be long, and hold a text of megabytes. */
function membersOf(json: string, names: ReadonlySet<string>, from: number): Map<string, Member> {
  const found = new Map<string, Member>();
  let at = behindSpace(json, from);
  if (json[at] !== '{') return found;
  at = behindSpace(json, at + 1);
  while (json[at] === '"') {
    const keyEnd = behindText(json, at);
    const name = JSON.parse(json.slice(at, keyEnd)) as string;
    const value = behindSpace(json, behindSpace(json, keyEnd) + 1);
    const end = behindValue(json, value);
    if (names.has(name)) found.set(name, { from: at, value: [value, end] });
    at = behindSpace(json, end);
    if (json[at] !== ',') break;
    at = behindSpace(json, at + 1);
  }
  return found;
}

/** The object with new texts for members that hold one; members that are not there, or hold anything else, stay so. */
export function withTexts(json: string, texts: Record<string, (text: string) => string>): string {
  const found = membersOf(json, new Set(Object.keys(texts)), 0);
  const changes = Object.entries(texts).flatMap(([name, change]) => {
    const range = found.get(name)?.value;
    if (!range || json[range[0]] !== '"') return [];
    const old = JSON.parse(json.slice(...range)) as string;
    const text = change(old);
    return text === old ? [] : [{ range, text: JSON.stringify(text) }];
  });
  return changes.toSorted((a, b) => b.range[0] - a.range[0]).reduce((done, { range, text }) => done.slice(0, range[0]) + text + done.slice(range[1]), json);
}

function behindSpace(json: string, from: number): number {
  let at = from;
  while (at < json.length && ' \t\n\r'.includes(json[at] as string)) at++;
  return at;
}

function behindText(json: string, from: number): number {
  for (let end = json.indexOf('"', from + 1); end >= 0; end = json.indexOf('"', end + 1)) {
    let slashes = 0;
    while (json[end - 1 - slashes] === '\\') slashes++;
    if (slashes % 2 === 0) return end + 1;
  }
  return json.length + 1;
}

function behindValue(json: string, from: number): number {
  const first = json[from];
  if (first === '"') return behindText(json, from);
  let at = from;
  let depth = 0;
  for (; at < json.length; at++) {
    const character = json[at] as string;
    if (character === '"') at = behindText(json, at) - 1;
    else if (character === '{' || character === '[') depth++;
    else if (character === '}' || character === ']') {
      if (depth === 0) return at;
      if (--depth === 0) return at + 1;
    } else if (depth === 0 && ', \t\n\r'.includes(character)) return at;
  }
  return at;
}
