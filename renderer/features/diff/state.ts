import { create } from 'zustand';
import { recall, remember } from '../../ui/remembered';

interface FilesLook {
  split: boolean;
  blanks: 'shown' | 'hidden';
  /** The list of files beside the diff. */
  listOpen: boolean;
}

const isLook = (value: unknown): Partial<FilesLook> | null => {
  if (typeof value !== 'object' || value === null) return null;
  const { split, blanks, listOpen } = value as Record<string, unknown>;
  return {
    ...(typeof split === 'boolean' && { split }),
    ...((blanks === 'shown' || blanks === 'hidden') && { blanks }),
    ...(typeof listOpen === 'boolean' && { listOpen }),
  };
};

/** How diffs are looked at; remembered. */
export const useFilesLook = create<FilesLook>(() => ({ split: false, blanks: 'shown', listOpen: true, ...recall('diff', isLook) }));

export function lookAtFiles(change: Partial<FilesLook>): void {
  useFilesLook.setState(change);
  remember('diff', useFilesLook.getState());
}

/** What the diff on the screen can be asked; null while none is drawn. */
export interface DiffOnScreen {
  /** Goes to the next or previous change. */
  goToChange(direction: 1 | -1): void;
  askWriter(): void;
  /** Shows unchanged lines at the fold nearest to the chosen line. */
  showMore(all: boolean): void;
}
let shown: DiffOnScreen | null = null;

export function attachDiff(diff: DiffOnScreen | null): void {
  shown = diff;
}
export const diffOnScreen = (): DiffOnScreen | null => shown;
