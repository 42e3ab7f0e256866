import type { JsonObject } from '../store';
import { asJsonObject, asObject, asText } from '../foreign/fields';

/** What Retrace writes into the metadata of a fork it makes (FORMAT.md, "Writing"). */
export interface ForkMark {
  /** The session it was made of. */
  session: string;
  /** The last message that was copied, by its id there; null: none was. */
  message: string | null;
  /** The fork itself: OpenCode copies metadata into later forks, in which the mark says nothing. */
  self: string;
}

/** Metadata of a new fork: that of its source, as OpenCode copies it, and the mark. */
export function markedMetadata(metadata: unknown, mark: ForkMark): JsonObject {
  const copied = (asJsonObject(metadata) ?? {}) as JsonObject;
  return { ...copied, retrace: { forkOf: { session: mark.session, message: mark.message, self: mark.self } } };
}

/** The mark of a session's own metadata; null where there is none, or it came along from another session. */
export function forkMark(metadata: unknown, session: string | null): ForkMark | null {
  const mark = asObject(asObject(asJsonObject(metadata)?.['retrace'])?.['forkOf']);
  const source = asText(mark?.['session']);
  const self = asText(mark?.['self']);
  if (source === null || self === null || self !== session || source === self) return null;
  return { session: source, message: asText(mark?.['message']), self };
}
