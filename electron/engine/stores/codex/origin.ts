import { asFilledText, asNumber, asObject, type Fields } from '../foreign/fields';
import { rolloutName } from './names';

/** Where a rollout comes from, as its first line and its name tell. */
export interface Origin {
  thread: string;
  rollout: string;
  /** The rollout it continues, and how far: the lines of it before `ordinal`, its first `bytes` bytes (FORMAT.md, "Bases"). */
  base: Base | null;
}

export interface Base {
  /** A rollout id; the file whose name ends in it. */
  rollout: string;
  ordinal: number;
  bytes: number;
}

/** `history_base` of a session_meta; its `thread_id` is a rollout id, whatever it is called. */
export function baseOf(meta: Fields): Base | null {
  const base = asObject(meta['history_base']);
  const rollout = asFilledText(base?.['thread_id']);
  const ordinal = asNumber(base?.['end_ordinal_exclusive']);
  const bytes = asNumber(base?.['end_byte_offset']);
  return rollout === null || ordinal === null || bytes === null ? null : { rollout, ordinal, bytes };
}

/** From the first line of a file, parsed or missing; without either the name has to do. Null when nothing names a thread. */
export function originOf(key: string, first: Fields | null): Origin | null {
  const name = rolloutName(key);
  const meta = first && metaIn(first);
  const thread = asFilledText(meta?.['id']) ?? name?.thread ?? null;
  if (thread === null) return null;
  return { thread, rollout: name?.rollout ?? thread, base: meta && baseOf(meta) };
}

/** Envelope, bare line, or the oldest shape's `session`. Where the first line is broken another record is the first: its id is no thread's. */
function metaIn(first: Fields): Fields | null {
  if (typeof first['type'] === 'string') return first['type'] === 'session_meta' ? asObject(first['payload']) : null;
  return asObject(first['session']) ?? first;
}
