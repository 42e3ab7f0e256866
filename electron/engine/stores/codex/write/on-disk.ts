import type { ExpectedFile } from '../../store';
import { openBytes } from '../bytes';
import { hashOfBeginning } from './line-scan';

/** A file as it lies on the disk, however large: what a step expects, and whether its last line has an end. */
export function onDisk(path: string): { state: Extract<ExpectedFile, { state: 'present' }>; endsLine: boolean } {
  const file = openBytes(path, false);
  try {
    const bytes = file.size ?? 0;
    const last = Buffer.alloc(1);
    const endsLine = bytes === 0 || (file.read(bytes - 1, last, 0, 1) === 1 && last[0] === 10);
    return { state: { state: 'present', sha256: hashOfBeginning(file, bytes) ?? '', bytes }, endsLine };
  } finally {
    file.close();
  }
}
