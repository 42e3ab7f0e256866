import { deflateSync } from 'node:zlib';

/** A PNG of one bright square on a dark ground: where it stands tells two pictures apart. */
export function pngOf(width: number, height: number, square: { x: number; y: number; size: number; colour: [number, number, number] }): Buffer {
  const rows = Buffer.alloc(height * (1 + width * 3), 40);
  for (let y = 0; y < height; y++) {
    rows[y * (1 + width * 3)] = 0;
    for (let x = 0; x < width; x++) {
      const inside = x >= square.x && x < square.x + square.size && y >= square.y && y < square.y + square.size;
      if (inside) rows.set(square.colour, y * (1 + width * 3) + 1 + x * 3);
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), chunk('IHDR', header), chunk('IDAT', deflateSync(rows)), chunk('IEND', Buffer.alloc(0))]);
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const whole = Buffer.alloc(named.length + 8);
  whole.writeUInt32BE(data.length, 0);
  whole.set(named, 4);
  whole.writeUInt32BE(crcOf(named), named.length + 4);
  return whole;
}

function crcOf(bytes: Buffer): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return ~crc >>> 0;
}
