import { asObject } from '../foreign/fields';
import type { LineRules } from '../foreign/json-lines';

/** How a rollout's records are told in a damaged line (FORMAT.md, "Damage"). */
export const rolloutLines: LineRules = {
  heads: ['{"timestamp":"'],
  // Only a record has a payload.
  isRecord: (fields) => asObject(fields['payload']) !== null,
  twoOnOneLine: 'two records on one line; both are shown',
  second: null,
};
