import type { PartId } from './ids';

/**
 * What can be wrong with a session so that its next request fails, or so that a reply is not what it seems. The first
 * seven are errors of a provider; the names are those under which Oh-My-OpenCode looked for them.
 */
export const diagnosisClasses = [
  'assistant_prefill_unsupported', 'thinking_block_modified', 'thinking_block_order', 'thinking_disabled_violation', 'tool_result_missing', 'unavailable_tool', 'empty_content',
  'context_limit', 'empty_reply', 'interrupted_tool', 'interrupted_message', 'aborted',
] as const;
export type DiagnosisClass = (typeof diagnosisClasses)[number];

export interface Diagnosis {
  class: DiagnosisClass;
  /** One sentence: what is wrong. */
  text: string;
  /** One sentence: what in the store shows it. */
  evidence: string;
  /** One sentence: what would help. */
  help: string;
}

/** A diagnosis in the list of its session, with the part it stands on. */
export interface PlacedDiagnosis extends Diagnosis {
  part: PartId;
  /** Place of the part in the timeline, from 0. */
  index: number;
}
