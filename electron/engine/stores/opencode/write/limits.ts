import type { Kept } from './kept';

/** What a fork does not take along, in sentences. */
export function leftOut({ unfinished, hidden, damaged, cleared }: Kept): string[] {
  return [
    ...(unfinished ? ['The last reply has no end and is left out.'] : []),
    ...(hidden ? ['A revert is pending: what it hides is left out. (A fork that OpenCode makes would copy it.)'] : []),
    ...(cleared.size > 0 ? [`OpenCode cleared ${cleared.size === 1 ? 'one output' : `${cleared.size} outputs`} for the model after this point: in the fork ${cleared.size === 1 ? 'it is' : 'they are'} whole, as then.`] : []),
    ...(damaged > 0 ? [`${damaged === 1 ? 'One message or part' : `${damaged} messages and parts`} cannot be read and ${damaged === 1 ? 'is' : 'are'} left out.`] : []),
  ];
}
