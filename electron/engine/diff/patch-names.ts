/** Characters that move the cursor, change colours or turn text around: git has no need of them, a terminal should not get them. */
const unsafe = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff"\\]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

const escapes: Record<string, string> = { '\t': '\\t', '\n': '\\n', '\r': '\\r', '"': '\\"', '\\': '\\\\', '\u0007': '\\a', '\b': '\\b', '\v': '\\v', '\f': '\\f' };

/** A name as git writes it in a patch: quoted as C does, byte by byte, where it has characters that could do harm. */
export function quoted(name: string): string {
  if (!unsafe.test(name)) return name;
  const body = [...name].map((character) => escapes[character] ?? (/^[ -~]$/.test(character) ? character : octal(character)));
  return `"${body.join('')}"`;
}

const octal = (character: string): string => [...new TextEncoder().encode(character)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');

const plain: Record<string, number> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13 };

/** The name that quotes stand for; a name without quotes is itself. */
export function unquoted(name: string): string {
  if (name.length < 2 || !name.startsWith('"') || !name.endsWith('"')) return name;
  const bytes: number[] = [];
  const text = name.slice(1, -1);
  for (let i = 0; i < text.length; i++) {
    const code = text[i] === '\\' ? /^[0-3][0-7]{2}/.exec(text.slice(i + 1, i + 4)) : null;
    if (code) {
      bytes.push(Number.parseInt(code[0], 8));
      i += 3;
    } else if (text[i] === '\\') {
      const escaped = text[++i] ?? '';
      bytes.push(...(plain[escaped] === undefined ? new TextEncoder().encode(escaped) : [plain[escaped]]));
    } else {
      const character = String.fromCodePoint(text.codePointAt(i) ?? 0);
      bytes.push(...new TextEncoder().encode(character));
      i += character.length - 1;
    }
  }
  return new TextDecoder().decode(new Uint8Array(bytes));
}
