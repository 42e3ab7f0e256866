import { type RevertFile, revertFileStates } from '@shared/model';

/** What is to be decided first, then what would change, then what would not; by path. */
export const sortFiles = (files: readonly RevertFile[]): RevertFile[] =>
  [...files].sort((a, b) => revertFileStates.indexOf(a.state) - revertFileStates.indexOf(b.state) || (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
