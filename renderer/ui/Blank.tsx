import type { ReactNode } from 'react';

/** A pane that has nothing to show: what is so, why, and the next step. */
export function Blank({ title, children, action }: { title: string; children?: ReactNode; action?: ReactNode }) {
  return (
    <div className="blank">
      <h2>{title}</h2>
      {children !== undefined && <div className="soft blank-words">{children}</div>}
      {action}
    </div>
  );
}
