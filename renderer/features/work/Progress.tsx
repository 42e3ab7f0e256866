import type { WorkProgress } from '@shared/model';
import { formatCount } from '../../ui/format';

/** How far a plan is: a bar and its figures. */
export function Progress({ progress }: { progress: WorkProgress | null }) {
  if (progress === null) return <span className="work-figure soft">not read</span>;
  const { done, total } = progress;
  return (
    <>
      <span className="work-bar" aria-hidden data-complete={progress.complete || undefined}>
        <span style={{ width: `${total === 0 ? 0 : (done / total) * 100}%` }} />
      </span>
      <span className="work-figure number">
        <span aria-hidden>
          {formatCount(done)}/{formatCount(total)}
        </span>
        <span className="unseen">
          {formatCount(done)} of {formatCount(total)} done
        </span>
      </span>
    </>
  );
}
