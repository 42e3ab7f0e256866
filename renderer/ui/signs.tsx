import { Circle, CircleDashed, CornerDownRight, Dot, Download, Ellipsis, Forward, GitFork, RotateCw, Undo2, type LucideIcon } from 'lucide-react';
import type { ContextState, EdgeKind } from '@shared/model';
import type { PartSign } from './words';

/**
 * The marks of the page as drawings: many fonts lack their characters (⑂ ◌ ⤷), or draw them in other sizes.
 * Always hidden from screen readers; a word stands beside each.
 */

/** ◐: a circle of which one half is filled. */
export function HalfCircle({ size = 12, className }: { size?: number | string; className?: string; 'aria-hidden'?: boolean }) {
  return (
    <svg className={className} width={size} height={size} viewBox="0 0 24 24" fill="none" stroke="currentColor" strokeWidth={2} aria-hidden>
      <circle cx={12} cy={12} r={9} />
      <path d="M12 3a9 9 0 0 0 0 18z" fill="currentColor" />
    </svg>
  );
}

const states: Record<ContextState, LucideIcon | typeof HalfCircle> = {
  live: Circle, summary: HalfCircle, compacted: CircleDashed, cleared: CircleDashed, reverted: Undo2, 'off-branch': GitFork, pending: Ellipsis, hidden: Dot,
};
const edges: Record<EdgeKind, LucideIcon> = { fork: GitFork, subagent: CornerDownRight, resume: RotateCw, import: Download, handoff: Forward };

export function StateSign({ state }: { state: PartSign }) {
  if (state === 'not sent') return <Circle className="sign" size={8} strokeWidth={3} aria-hidden />;
  if (state === 'live') return <Circle className="sign" size={8} fill="currentColor" aria-hidden />;
  const Sign = states[state];
  return <Sign className="sign" size={12} aria-hidden />;
}

export function EdgeSign({ kind }: { kind: EdgeKind }) {
  const Sign = edges[kind];
  return <Sign className="sign" size={12} aria-hidden />;
}
