import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import type { ExpectedFile, FileContent } from '../../stores/store';
import { fileBytes } from './file-bytes';

/** A file of ours as the content of a step of a plan. */
export const contentOf = (path: string): FileContent => ({ size: statSync(path).size, pieces: () => fileBytes(path) });

/** What lies at a path now, as the condition of a step. */
export function expectedOf(path: string): ExpectedFile {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) return { state: 'absent' };
  const hash = createHash('sha256');
  for (const bytes of fileBytes(path)) hash.update(bytes);
  return { state: 'present', sha256: hash.digest('hex'), bytes: stat.size };
}
