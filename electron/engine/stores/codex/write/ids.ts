import { join } from 'node:path';
import type { Making } from '../../store';

/** A UUID of version 7, as Codex names threads: the time it is made at, then chance. */
export function threadId({ now, random }: Making): string {
  const bytes = Buffer.from(random(16));
  bytes.writeUIntBE(now, 0, 6);
  bytes[6] = 0x70 | ((bytes[6] ?? 0) & 0x0f);
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f);
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

const two = (number: number): string => String(number).padStart(2, '0');

/** Where Codex keeps a thread's first rollout: name and folders tell the local time it was made at (FORMAT.md, "Files"). */
export function rolloutPath(home: string, thread: string, now: number): string {
  const at = new Date(now);
  const [year, month, day] = [String(at.getFullYear()), two(at.getMonth() + 1), two(at.getDate())];
  const clock = [at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join('-');
  return join(home, 'sessions', year, month, day, `rollout-${year}-${month}-${day}T${clock}-${thread}.jsonl`);
}
