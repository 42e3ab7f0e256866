import type { LineRules } from '../foreign/json-lines';
import { nameOf } from './entry';

/** How a transcript's records are told in a damaged line (FORMAT.md, "Damage"). */
export const transcriptLines: LineRules = {
  heads: ['{"parentUuid"', '{"type"'],
  // Only a record names its session.
  isRecord: (fields) => nameOf(fields['sessionId']) !== null && nameOf(fields['type']) !== null,
  twoOnOneLine: 'two records on one line; both are shown, Claude Code itself reads neither',
  second: 'a second record on one line; it is shown, Claude Code itself would not read it',
};
