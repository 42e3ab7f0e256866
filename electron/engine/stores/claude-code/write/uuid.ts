import type { Making } from '../../store';

/** A random id in the form the program gives its sessions (uuid, version 4). */
export function uuidFrom(making: Making): string {
  const bytes = Buffer.from(making.random(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-');
}
