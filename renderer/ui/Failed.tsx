import type { ReactNode } from 'react';
import { Blank } from './Blank';

/** A pane whose answer did not come: what failed, why, and the way to ask again. */
export function Failed({ title, again, within = false, children }: { title: string; again(): void; within?: boolean; children: ReactNode }) {
  return (
    <Blank
      title={title}
      within={within}
      action={
        <button type="button" className="button" onClick={again}>
          Try again
        </button>
      }
    >
      {children}
    </Blank>
  );
}
