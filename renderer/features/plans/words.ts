import { assertNever, type JournalState, type PlanFileStep, type PlanKind, type PlanStep, type PlanView, type RevertTake } from '@shared/model';
import { countOf } from '../../ui/format';
import { visibleControls } from '../../ui/controls';

type Tone = 'ok' | 'attention' | 'danger' | 'info' | 'soft';

/** What becomes of a file, in a letter and in words: before the plan is applied, and after. */
export const fileActs: Record<PlanFileStep['act'], { letter: string; word: string; done: string; tone: Tone }> = {
  create: { letter: 'A', word: 'is made', done: 'made', tone: 'ok' },
  change: { letter: 'M', word: 'is changed', done: 'changed', tone: 'info' },
  append: { letter: '+', word: 'is added to', done: 'added to', tone: 'ok' },
  delete: { letter: 'D', word: 'goes', done: 'taken away', tone: 'attention' },
};

export const takeWords: Record<RevertTake, { name: string; says: string }> = {
  mine: { name: 'Keep mine', says: 'The file stays as it is.' },
  checkpoint: { name: 'Take the checkpoint', says: 'It is left as it was before the message; what others changed since goes.' },
  merge: { name: 'Merge', says: 'The session’s change is taken out, what others changed since stays.' },
};

/** What an entry of the journal did, where no more is kept of it. */
export const kindWords: Record<PlanKind, string> = {
  fork: 'Fork', revert: 'Taken back', rename: 'Rename', archive: 'Archive', unarchive: 'Out of the archive', trash: 'Trash', restore: 'Brought back', import: 'Import', continue: 'Continued', undo: 'Undo',
};

export const stateWords: Record<JournalState, { word: string; tone: Tone }> = {
  applying: { word: 'being applied', tone: 'info' },
  applied: { word: 'applied', tone: 'ok' },
  undone: { word: 'taken back', tone: 'soft' },
  failed: { word: 'not done', tone: 'soft' },
  interrupted: { word: 'interrupted', tone: 'danger' },
  unsettled: { word: 'unsettled', tone: 'danger' },
};

/** The name of a step in the list. */
export function stepName(step: PlanStep): string {
  switch (step.kind) {
    case 'file':
      return visibleControls(step.path);
    case 'rows':
      return visibleControls(step.database);
    case 'program':
      return visibleControls(step.shown);
    case 'library':
      return 'Retrace’s library';
    default:
      return assertNever(step, 'step');
  }
}

export function stepLetter(step: PlanStep): { letter: string; tone: Tone; word: string } {
  switch (step.kind) {
    case 'file': {
      const { letter, tone, word } = fileActs[step.act];
      return { letter, tone, word };
    }
    case 'rows': {
      const rows = countOf(step.tables.reduce((sum, each) => sum + each.rows, 0), 'row');
      return step.act === 'insert' ? { letter: '≡', tone: 'ok', word: `${rows} added` } : { letter: '≡', tone: 'attention', word: `${rows} taken out` };
    }
    case 'program':
      return { letter: '>', tone: 'info', word: step.program === 'git' ? 'git is asked' : `${step.program} is asked` };
    case 'library':
      return { letter: '·', tone: 'soft', word: 'a fact is kept' };
    default:
      return assertNever(step, 'step');
  }
}

/** What the one button does. */
export function actWords(plan: PlanView, scope: 'conversation' | 'files' | 'both', worktree: boolean): string {
  const files = plan.steps.filter(({ kind }) => kind === 'file').length + Math.max(0, plan.stepsTotal - plan.steps.length);
  switch (plan.kind) {
    case 'fork':
      return worktree ? 'Fork into the worktree' : 'Fork';
    case 'revert':
      if (scope === 'conversation') return 'Take the conversation back';
      if (scope === 'files') return `Take back ${countOf(files, 'file')}`;
      return 'Take back conversation and files';
    case 'rename':
      return 'Rename';
    case 'archive':
      return 'Archive';
    case 'unarchive':
      return 'Take out of the archive';
    case 'trash':
      return 'Move to the trash';
    case 'restore':
      return 'Bring back';
    case 'import':
      return 'Import';
    case 'continue':
      return 'Continue';
    case 'undo':
      return 'Undo';
    default:
      return assertNever(plan.kind, 'kind of plan');
  }
}
