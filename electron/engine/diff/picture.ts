import type { PictureFacts } from '@shared/model';

/** What picture these bytes are, told by their own header and never by a name; null for all others. */
export function pictureIn(bytes: Buffer): PictureFacts | null {
  const found = png(bytes) ?? jpeg(bytes) ?? gif(bytes) ?? webp(bytes) ?? bmp(bytes);
  return found && found.width > 0 && found.height > 0 ? found : null;
}

const begins = (bytes: Buffer, text: string, at = 0): boolean => bytes.length >= at + text.length && bytes.toString('latin1', at, at + text.length) === text;

function png(bytes: Buffer): PictureFacts | null {
  if (bytes.length < 24 || !begins(bytes, '\x89PNG\r\n\x1a\n') || !begins(bytes, 'IHDR', 12)) return null;
  return { type: 'image/png', width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

function gif(bytes: Buffer): PictureFacts | null {
  if (bytes.length < 10 || !(begins(bytes, 'GIF87a') || begins(bytes, 'GIF89a'))) return null;
  return { type: 'image/gif', width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
}

/** Sizes of the header that follows `BM`, by its releases: two letters alone are no sign of a picture. */
const bmpHeaders = new Set([12, 40, 52, 56, 64, 108, 124]);

function bmp(bytes: Buffer): PictureFacts | null {
  if (bytes.length < 26 || !begins(bytes, 'BM') || !bmpHeaders.has(bytes.readUInt32LE(14))) return null;
  if (bytes.readUInt32LE(14) === 12) return { type: 'image/bmp', width: bytes.readUInt16LE(18), height: bytes.readUInt16LE(20) };
  // A negative height is one that is written from above.
  return { type: 'image/bmp', width: bytes.readInt32LE(18), height: Math.abs(bytes.readInt32LE(22)) };
}

function webp(bytes: Buffer): PictureFacts | null {
  if (bytes.length < 30 || !begins(bytes, 'RIFF') || !begins(bytes, 'WEBP', 8)) return null;
  const size = (width: number, height: number): PictureFacts => ({ type: 'image/webp', width, height });
  if (begins(bytes, 'VP8X', 12)) return size(bytes.readUIntLE(24, 3) + 1, bytes.readUIntLE(27, 3) + 1);
  if (begins(bytes, 'VP8 ', 12)) return size(bytes.readUInt16LE(26) & 0x3fff, bytes.readUInt16LE(28) & 0x3fff);
  if (!begins(bytes, 'VP8L', 12) || bytes[20] !== 0x2f) return null;
  const bits = bytes.readUInt32LE(21);
  return size((bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1);
}

/** Walks the segments up to the one that tells the size of the frame. */
function jpeg(bytes: Buffer): PictureFacts | null {
  if (bytes.length < 4 || bytes.readUIntBE(0, 3) !== 0xffd8ff) return null;
  for (let at = 2; at + 9 <= bytes.length && bytes[at] === 0xff; ) {
    const marker = bytes[at + 1] as number;
    if (marker === 0xff) at++;
    else if (marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc) return { type: 'image/jpeg', width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    else at += 2 + bytes.readUInt16BE(at + 2);
  }
  return null;
}
