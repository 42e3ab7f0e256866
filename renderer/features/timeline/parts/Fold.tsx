import { ChevronRight } from 'lucide-react';
import type { ReactNode } from 'react';
import type { PartId } from '@shared/model';
import { foldInView } from '../acts';

interface FoldProps {
  part: PartId;
  open: boolean;
  icon?: ReactNode;
  label: string;
  /** What the step is about; cut at the end of the line. */
  target?: ReactNode;
  meta?: ReactNode;
  tone?: 'danger' | 'soft';
  children: ReactNode;
}

/** One line that opens: the form of every step. */
export function Fold({ part, open, icon, label, target, meta, tone, children }: FoldProps) {
  return (
    <div className="fold" data-open={open || undefined} data-tone={tone}>
      <button type="button" className="fold-line" aria-expanded={open} tabIndex={-1} onClick={() => foldInView(part, !open)}>
        <ChevronRight className="fold-twisty" size={13} aria-hidden />
        {icon !== undefined && <span className="fold-icon" aria-hidden>{icon}</span>}
        <span className="fold-label">{label}</span>
        {target !== undefined && <span className="fold-target one-line">{target}</span>}
        {meta}
      </button>
      {open && <div className="fold-body">{children}</div>}
    </div>
  );
}
