import { Check, CircleHelp, TriangleAlert, type LucideIcon } from 'lucide-react';
import type { ChangeCertainty } from '@shared/model';
import { certaintySentences } from './words';

const signs: Record<ChangeCertainty, LucideIcon> = { recorded: Check, inferred: CircleHelp, unknown: TriangleAlert };

/** How sure a change is: a sign and its word. `brief` leaves the word of what is recorded to screen readers. */
export function Certainty({ certainty, brief = false }: { certainty: ChangeCertainty; brief?: boolean }) {
  const Sign = signs[certainty];
  return (
    <span className="certainty" data-certainty={certainty} data-hint={certaintySentences[certainty]}>
      <Sign size={12} aria-hidden />
      <span className={brief && certainty === 'recorded' ? 'unseen' : undefined}>{certainty}</span>
    </span>
  );
}
