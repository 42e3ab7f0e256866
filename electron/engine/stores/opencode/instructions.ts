import type { RecordedInstructions } from '../store';
import { asJsonObject, asObject, asObjects, asText, type Fields } from '../foreign/fields';

/** Instruction files of the second generation, as the epoch of a session keeps them beside its system text (FORMAT.md, "Instructions"). */
export function epochInstructions(row: Fields): RecordedInstructions['files'] {
  const told = asObject(asJsonObject(row['snapshot'])?.['core/instructions'])?.['value'];
  return asObjects(told).flatMap((file) => {
    const path = asText(file['path']);
    return path === null ? [] : [{ path, kind: path.split(/[\\/]/).at(-1) ?? path, characters: asText(file['content'])?.length ?? 0, inferred: false }];
  });
}
