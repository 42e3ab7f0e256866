import type { ChangePlace } from './changes';

/** Who last wrote a line of a file's change, or took it away. */
export type LineWriter =
  /** A change of the session. */
  | { state: 'written'; place: ChangePlace }
  /** Somebody else, before `place`, where it was seen. */
  | { state: 'outside'; place: ChangePlace }
  /** It stood there before the first change and stands there still. */
  | { state: 'unchanged' }
  /** The records do not say which lines a change touched. */
  | { state: 'unknown' };
