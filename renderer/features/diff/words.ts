import type { ChangeCertainty, ChangeKind, ChangePlace, LineWriter } from '@shared/model';
import { formatCount } from '../../ui/format';

/** Words of the page for changes of files. */

export const changeWords: Record<ChangeKind, string> = { create: 'created', edit: 'edited', delete: 'deleted', rename: 'renamed', mode: 'permissions changed', binary: 'bytes changed' };
export const changeLetters: Record<ChangeKind, string> = { create: 'A', edit: 'M', delete: 'D', rename: 'R', mode: 'P', binary: 'B' };

export const certaintySentences: Record<ChangeCertainty, string> = {
  recorded: 'Every step is told by a result, a tree, a backup or a commit.',
  inferred: 'Some of it is only what the model asked for, or what trees show and no call tells.',
  unknown: 'The lines of two steps do not meet: what lies between them is not known.',
};

/** "turn 3", or where there is none yet. */
export const turnWords = ({ turn }: ChangePlace): string => (turn === 0 ? 'before the first prompt' : `turn ${formatCount(turn)}`);

/** Who wrote a line, or took it away, in one sentence. */
export function writerWords(writer: LineWriter, side: 'old' | 'new', line: number): string {
  const number = formatCount(line);
  switch (writer.state) {
    case 'written':
      return `Line ${number} was ${side === 'new' ? 'last written' : 'taken away'} in ${turnWords(writer.place)}${writer.place.current ? '' : ', on another branch'}.`;
    case 'outside':
      return `Line ${number} was ${side === 'new' ? 'written' : 'taken away'} outside checkpoints: it was first seen in ${turnWords(writer.place)}.`;
    case 'unchanged':
      return `Line ${number} stood there before the first change.`;
    case 'unknown':
      return `Which change ${side === 'new' ? 'wrote' : 'took away'} line ${number} is not recorded.`;
  }
}
