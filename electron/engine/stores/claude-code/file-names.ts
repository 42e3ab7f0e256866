import { isUtf8 } from 'node:buffer';
import { join } from 'node:path';

/** A path as the system spells it: a text, or, where a name in it is not UTF-8, the bytes. */
export type FilePath = string | Buffer;

/** The path of a name in a folder; what is not UTF-8 stays as it is, since another spelling would be another file. */
export function pathIn(folder: FilePath, name: Buffer): FilePath {
  if (typeof folder === 'string' && isUtf8(name)) return join(folder, name.toString('utf8'));
  return Buffer.concat([typeof folder === 'string' ? Buffer.from(folder) : folder, Buffer.from('/'), name]);
}

/** A name as a text: bytes that are not UTF-8 are written `%FF`, and in such a name `%` itself is `%25` (FORMAT.md, "Where things are"). */
export function toldName(name: Buffer): string {
  if (isUtf8(name)) return name.toString('utf8');
  let text = '';
  for (let at = 0; at < name.length; ) {
    const length = characterAt(name, at);
    const whole = length > 0 && name[at] !== 0x25;
    text += whole ? name.toString('utf8', at, at + length) : `%${(name[at] as number).toString(16).toUpperCase().padStart(2, '0')}`;
    at += whole ? length : 1;
  }
  return text;
}

/** Bytes of the UTF-8 character that begins here; 0 when none does. */
function characterAt(name: Buffer, at: number): number {
  for (let length = 1; length <= 4 && at + length <= name.length; length++) if (isUtf8(name.subarray(at, at + length))) return length;
  return 0;
}
