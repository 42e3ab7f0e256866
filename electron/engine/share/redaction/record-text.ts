import { isUtf8 } from 'node:buffer';
import { isJson } from './json-strings';

/** Characters that windows of a long text have in common: no token is longer. */
const overlap = 16_384;
/** A run of so many characters of base64 is a picture or a file, and no token. */
const blobLength = 4_096;
/** Stands between texts that are looked at together: no rule reaches over it. */
const apart = '\n\u0000\n';

export const isBlob = (text: string): boolean => text.length >= blobLength && /^(?:data:[\w/+.-]+;base64,)?[A-Za-z0-9+/_-]+=*$/.test(text);

/** Bytes as text that becomes the same bytes again: what is not UTF-8 is taken byte for byte. */
export function textOf(bytes: Uint8Array): { text: string; encoding: 'utf8' | 'latin1' } {
  const encoding = isUtf8(bytes) ? 'utf8' : 'latin1';
  return { text: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString(encoding), encoding };
}

/** A text in pieces: each line that is JSON by itself, and what lies between such lines in one. */
export function segmentsOf(text: string): { text: string; json: boolean }[] {
  const segments: { text: string; json: boolean }[] = [];
  let plain = 0;
  for (let start = 0; start < text.length; ) {
    const found = text.indexOf('\n', start);
    const end = found < 0 ? text.length : found + 1;
    const line = text.slice(start, end);
    if (isJson(line)) {
      if (start > plain) segments.push({ text: text.slice(plain, start), json: false });
      segments.push({ text: line, json: true });
      plain = end;
    }
    start = end;
  }
  if (plain < text.length) segments.push({ text: text.slice(plain), json: false });
  return segments;
}

/** Texts that are looked at together. */
export interface TextWindow {
  text: string;
  /** Number of the first text, and where each begins in the window. */
  first: number;
  starts: number[];
}

/** Texts joined to windows of bounded size; a longer text is a window by itself. */
export function* windowsOf(texts: readonly string[], size: number): Iterable<TextWindow> {
  let open: string[] = [];
  let starts: number[] = [];
  let length = 0;
  for (const [at, text] of texts.entries()) {
    if (open.length > 0 && length + text.length > size) {
      yield { text: open.join(apart), first: at - open.length, starts };
      open = [];
      starts = [];
      length = 0;
    }
    open.push(text);
    starts.push(length);
    length += text.length + apart.length;
  }
  if (open.length > 0) yield { text: open.join(apart), first: texts.length - open.length, starts };
}

/** A long text in stretches that overlap. */
export function* stretchesOf(text: string, size: number): Iterable<string> {
  if (text.length <= size) yield text;
  else for (let from = 0; from < text.length; from += size - overlap) yield text.slice(from, from + size);
}
