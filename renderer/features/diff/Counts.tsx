import { countOf, formatCount } from '../../ui/format';

/** +12 −3: the sign tells, colour helps. Null: not known. */
export function Counts({ added, removed }: { added: number | null; removed: number | null }) {
  return (
    <span className="edit-counts number">
      <span data-kind="added">
        <span aria-hidden>+{added === null ? '?' : formatCount(added)}</span>
        <span className="unseen">{added === null ? 'lines added: not known' : `${countOf(added, 'line')} added`}, </span>
      </span>
      <span data-kind="removed">
        <span aria-hidden>−{removed === null ? '?' : formatCount(removed)}</span>
        <span className="unseen">{removed === null ? 'lines removed: not known' : `${countOf(removed, 'line')} removed`}</span>
      </span>
    </span>
  );
}
