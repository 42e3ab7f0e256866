import { expect, test } from 'vitest';
import { pngOf } from '../../../e2e/pictures';
import { pictureIn } from './picture';

const bytes = (text: string, ...more: number[]): Buffer => Buffer.concat([Buffer.from(text, 'latin1'), Buffer.from(more)]);
const filled = (start: Buffer): Buffer => Buffer.concat([start, Buffer.alloc(40)]);

test('pictures are told by their own first bytes, with their size', () => {
  expect(pictureIn(pngOf(64, 32, { x: 0, y: 0, size: 4, colour: [255, 0, 0] }))).toEqual({ type: 'image/png', width: 64, height: 32 });
  expect(pictureIn(filled(bytes('GIF89a', 0x40, 0x01, 0xf0, 0x00)))).toEqual({ type: 'image/gif', width: 320, height: 240 });
  expect(pictureIn(filled(bytes('RIFF\0\0\0\0WEBPVP8X\n\0\0\0\0\0\0\0', 0x3f, 0x01, 0x00, 0xef, 0x00, 0x00)))).toEqual({ type: 'image/webp', width: 320, height: 240 });
  expect(pictureIn(filled(bytes('RIFF\0\0\0\0WEBPVP8 \0\0\0\0\0\0\0\x9d\x01\x2a', 0x40, 0x01, 0xf0, 0x00)))).toEqual({ type: 'image/webp', width: 320, height: 240 });
  expect(pictureIn(filled(bytes('RIFF\0\0\0\0WEBPVP8L\0\0\0\0\x2f', 0x3f, 0xc1, 0x3b, 0x00)))).toEqual({ type: 'image/webp', width: 320, height: 240 });
  // A segment of four bytes stands before the one that tells the size.
  expect(pictureIn(filled(Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 2, 0xff, 0xc2, 0, 17, 8, 0x00, 0xf0, 0x01, 0x40])))).toEqual({ type: 'image/jpeg', width: 320, height: 240 });
  const bmp = filled(bytes('BM'));
  bmp.writeUInt32LE(40, 14);
  bmp.writeInt32LE(320, 18);
  bmp.writeInt32LE(-240, 22);
  expect(pictureIn(bmp)).toEqual({ type: 'image/bmp', width: 320, height: 240 });
});

test('what is no picture of these types is none: texts, SVG, cut and empty ones', () => {
  expect([
    Buffer.alloc(0), bytes('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'), bytes('BMW is no picture, whatever it begins with'), bytes('\x89PNG\r\n\x1a\n'),
    bytes('GIF89a'), filled(bytes('GIF89a', 0, 0, 0, 0)), bytes('\xff\xd8\xff\xe0', 0, 0), bytes('\xff\xd8\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff'), bytes('%PDF-1.7 is no picture here'),
  ].map(pictureIn)).toEqual([null, null, null, null, null, null, null, null, null]);
});
