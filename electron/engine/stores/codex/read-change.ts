import { assertNever } from '@shared/model';
import type { KnownSource, RawBatch, SourceChange } from '../store';
import { readRollout } from './read';
import { readBase } from './read-base';
import { inBatches, readJson } from './read-json';
import type { Handle } from './survey';

/** Reads what is new in one source, as the survey that found it said. */
export function* readChange(change: SourceChange, known: KnownSource | undefined): Iterable<RawBatch> {
  // Made by our own survey a moment ago, and never stored.
  const handle = change.handle as Handle;
  switch (handle.kind) {
    case 'rollout':
      return yield* readRollout(handle.file, known);
    case 'json':
      return yield* readJson(handle.file, known);
    case 'base':
      return yield* readBase(handle.source, known);
    case 'lines':
      return yield* appended(change.key, handle, known);
    default:
      return assertNever(handle, 'change');
  }
}

/** Lines that the survey made: behind what the stream holds, or in its place. */
function appended(key: string, { bytes, restarts, cursor }: Handle & { kind: 'lines' }, known: KnownSource | undefined): Iterable<RawBatch> {
  return inBatches(key, bytes, restarts ? 0 : (known?.length ?? 0), restarts, cursor);
}
