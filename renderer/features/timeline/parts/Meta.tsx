import type { ClippedText, ToolView } from '@shared/model';
import { countOf, formatBytes, formatDuration } from '../../../ui/format';
import { statusWords } from '../../../ui/words';

/** +12 −3: the sign tells, colour helps. */
export function EditCounts({ added, removed }: { added: number; removed: number }) {
  if (added === 0 && removed === 0) return null;
  return (
    <span className="edit-counts number">
      {added > 0 && (
        <span data-kind="added">
          <span aria-hidden>+{added}</span>
          <span className="unseen">{countOf(added, 'line')} added</span>
        </span>
      )}
      {removed > 0 && (
        <span data-kind="removed">
          <span aria-hidden>−{removed}</span>
          <span className="unseen">{countOf(removed, 'line')} removed</span>
        </span>
      )}
    </span>
  );
}

const sizeText = (text: ClippedText): string => (text.lines > 1 ? countOf(text.lines, 'line') : formatBytes(text.total));

export const isFailed = (tool: ToolView): boolean => tool.status === 'error' || tool.status === 'denied' || tool.status === 'interrupted';

/** Outcome, size and duration of a step, at the end of its line. */
export function ToolMeta({ tool }: { tool: ToolView }) {
  const added = tool.edits.reduce((sum, edit) => sum + edit.added, 0);
  const removed = tool.edits.reduce((sum, edit) => sum + edit.removed, 0);
  return (
    <span className="step-meta soft number">
      <EditCounts added={added} removed={removed} />
      {tool.status !== 'completed' && (
        <span className="step-status" data-status={tool.status}>
          {statusWords[tool.status]}
        </span>
      )}
      {tool.exitCode !== null && tool.exitCode !== 0 && <span className="step-status" data-status="error">exit {tool.exitCode}</span>}
      {/* "The file was updated" says less than the lines it added. */}
      {tool.output !== null && tool.output.total > 0 && added + removed === 0 && tool.family !== 'todo' && <span>{sizeText(tool.output)}</span>}
      {tool.durationMs !== null && <span>{formatDuration(tool.durationMs)}</span>}
    </span>
  );
}
