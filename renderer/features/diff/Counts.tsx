import type { FileChange } from '@shared/model';
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

/** The counts of a file; none of one that is no text, which has no lines to be counted. */
export function FileCounts({ file: { added, removed, before, after } }: { file: FileChange }) {
  const isBytes = added === null && removed === null && (before === 'binary' || after === 'binary');
  return isBytes ? null : <Counts added={added} removed={removed} />;
}
