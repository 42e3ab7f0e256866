import { join } from 'node:path';
import type { FileStep, SessionToWrite } from '../../store';
import { contentOf, contentOfBytes, fileAt } from './on-disk';
import type { SessionPlace } from './session-place';

/** Saved outputs of the kept calls, and those that are gone. */
export interface CarriedOutputs {
  names: Set<string>;
  copies: FileStep[];
  missing: string[];
}

/** Copies the saved outputs that kept lines speak of: the program deletes the original's with the original. */
export function carryOutputs(session: SessionToWrite, place: SessionPlace, folder: string, names: ReadonlySet<string>): CarriedOutputs {
  const carried: CarriedOutputs = { names: new Set(), copies: [], missing: [] };
  for (const name of names) {
    const path = join(place.folder, 'tool-results', name);
    const stat = fileAt(path);
    const kept = stat ? null : session.file(`${place.projectKey}/${place.id}/tool-results/${name}`);
    if (!stat && !kept) {
      carried.missing.push(name);
      continue;
    }
    carried.names.add(name);
    carried.copies.push({
      kind: 'file', path: join(folder, 'tool-results', name), within: session.location.folder, before: { state: 'absent' },
      after: { content: stat ? contentOf(path, stat.size) : contentOfBytes(kept ?? new Uint8Array()) }, mode: 0o600,
      why: 'An output that is too long for the transcript.',
    });
  }
  return carried;
}
