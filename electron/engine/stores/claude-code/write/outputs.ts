import { join } from 'node:path';
import type { SessionToWrite } from '../../store';
import { type CarriedFiles, carryFile, nothingCarried } from './carried-file';
import type { SessionPlace } from './session-place';

/** Saved outputs of the kept calls. */
export interface CarriedOutputs extends CarriedFiles {
  names: Set<string>;
}

/** Copies the saved outputs that kept lines speak of: the program deletes the original's with the original. */
export function carryOutputs(session: SessionToWrite, place: SessionPlace, folder: string, names: ReadonlySet<string>): CarriedOutputs {
  const carried: CarriedOutputs = { names: new Set(), ...nothingCarried() };
  for (const name of names) {
    const isThere = carryFile(session, carried, {
      from: join(place.folder, 'tool-results', name), to: join(folder, 'tool-results', name), key: `${place.projectKey}/${place.id}/tool-results/${name}`,
      why: 'An output that is too long for the transcript.', looks: () => ({ mode: 0o600 }),
    });
    if (isThere) carried.names.add(name);
    else carried.missing.push(name);
  }
  return carried;
}
