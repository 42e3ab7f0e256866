import { join } from 'node:path';
import { createHash } from 'node:crypto';
import type { FileStep, Making } from '../../store';
import { nameList } from '../lists';
import { smallFile } from './texts';

/** A line in Codex's list of names; it is what names a thread of the older form that has no row yet (FORMAT.md, "Writing"). */
export function nameStep(home: string, thread: string, name: string, { now }: Making): FileStep {
  const path = join(home, nameList);
  const bytes = smallFile(path);
  const line = `${JSON.stringify({ id: thread, thread_name: name, updated_at: new Date(now).toISOString() })}\n`;
  const why = 'The name, in Codex’s list of names.';
  if (bytes === null) return { kind: 'file', path, within: home, before: { state: 'absent' }, after: { content: { size: Buffer.byteLength(line), pieces: () => [Buffer.from(line)] } }, why };
  const isTorn = bytes.length > 0 && bytes.at(-1) !== 10;
  return {
    kind: 'file', path, within: home, before: { state: 'present', sha256: createHash('sha256').update(bytes).digest('hex'), bytes: bytes.length },
    after: { append: Buffer.from(isTorn ? `\n${line}` : line) }, why,
  };
}
