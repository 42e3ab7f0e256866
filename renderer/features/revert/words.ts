import type { RevertAction, RevertFileState, RevertOrigin } from '@shared/model';

/** A state of a file in a word, and how it is toned. */
export const stateWords: Record<RevertFileState, { word: string; letter: string; tone: 'attention' | 'danger' | 'ok' | 'info' | 'soft' }> = {
  conflict: { word: 'conflict', letter: '!', tone: 'danger' },
  restorable: { word: 'restorable', letter: 'M', tone: 'ok' },
  deleted: { word: 'would be deleted', letter: 'D', tone: 'attention' },
  recreated: { word: 'would come back', letter: 'A', tone: 'ok' },
  memory: { word: 'memory, stays', letter: '~', tone: 'info' },
  cannot: { word: 'cannot be taken back', letter: '?', tone: 'attention' },
  'left alone': { word: 'left alone', letter: '=', tone: 'info' },
  unchanged: { word: 'as it was', letter: '·', tone: 'soft' },
};

export const originWords: Record<RevertOrigin, string> = {
  checkpoint: 'the agent’s checkpoint', 'snapshot tree': 'the agent’s snapshot', commit: 'a commit', records: 'the recorded edits', patch: 'the lines of the recorded edits',
};

export const actionWords: Record<RevertAction['kind'], string> = {
  'code and conversation': 'Restore code and conversation', conversation: 'Restore conversation', code: 'Restore code', 'summarise from here': 'Summarise from here',
  'conversation and files': 'Revert conversation and files', 'undo commits': 'Undo commits', 'history file': 'Cut the history file', files: 'Revert file by file',
};

/** What a revert would do to a file, for the head of its diff. */
export const changeWords: Record<'create' | 'edit' | 'delete', string> = { create: 'would come back', edit: 'would change', delete: 'would go' };
