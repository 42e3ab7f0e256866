const quote = 0x22;
const backslash = 0x5c;

/** Whether a line can be taken for one JSON value: strings in it are then what stands between quotes. */
export function isJson(text: string): boolean {
  const first = text.trimStart()[0];
  if (first !== '{' && first !== '[') return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * A JSON text with its strings changed, names of fields included. All else stays as it is written: numbers with their
 * digits, blanks, fields in their order, a field that stands there twice.
 */
export function mapStrings(json: string, change: (text: string) => string): string {
  const pieces: string[] = [];
  let kept = 0;
  for (const [start, end] of stringsOf(json)) {
    const text = decoded(json, start, end);
    const changed = change(text);
    if (changed === text) continue;
    pieces.push(json.slice(kept, start), JSON.stringify(changed));
    kept = end;
  }
  if (pieces.length === 0) return json;
  pieces.push(json.slice(kept));
  return pieces.join('');
}

/** The strings of a JSON text, decoded. */
export function* stringsIn(json: string): Iterable<string> {
  for (const [start, end] of stringsOf(json)) yield decoded(json, start, end);
}

/** Where strings stand, quotes included. Goes from quote to quote: a pattern would run out of stack in a long string. */
function* stringsOf(json: string): Iterable<[start: number, end: number]> {
  for (let start = json.indexOf('"'); start >= 0; ) {
    let end = json.indexOf('"', start + 1);
    while (end >= 0 && isEscaped(json, start, end)) end = json.indexOf('"', end + 1);
    if (end < 0) return;
    yield [start, end + 1];
    start = json.indexOf('"', end + 1);
  }
}

function isEscaped(json: string, start: number, at: number): boolean {
  let before = at - 1;
  while (before > start && json.charCodeAt(before) === backslash) before--;
  return (at - before) % 2 === 0 && json.charCodeAt(at) === quote;
}

function decoded(json: string, start: number, end: number): string {
  const inner = json.slice(start + 1, end - 1);
  return inner.includes('\\') ? (JSON.parse(json.slice(start, end)) as string) : inner;
}
