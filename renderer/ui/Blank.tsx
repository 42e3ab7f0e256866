import type { ReactNode } from 'react';

/** A pane that has nothing to show: what is so, why, and the next step. `within`: what it stands in has a heading of its own. */
export function Blank({ title, children, action, within = false }: { title: string; children?: ReactNode; action?: ReactNode; within?: boolean }) {
  const Heading = within ? 'h2' : 'h1';
  return (
    <div className="blank">
      <Heading>{title}</Heading>
      {children !== undefined && <div className="soft blank-words">{children}</div>}
      {action}
    </div>
  );
}
