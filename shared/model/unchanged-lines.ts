/** A window of the lines a file had before its change; those between hunks are the same after it. */
export type UnchangedLines =
  /** Without their line ends, from line `from` on (from 1). `cut`: characters left out of the last line, which alone is over the limit. */
  | { state: 'known'; from: number; lines: string[]; cut: number }
  /** The file is not known whole: only the lines of its changes are recorded. */
  | { state: 'not recorded' };
