import type { FileEdit } from '@shared/model';
import { visibleControls } from '../../../ui/controls';
import { SmallLines } from '../../diff/SmallLines';
import { EditCounts } from './Meta';

const verbs: Record<FileEdit['kind'], string> = { create: 'created', edit: 'edited', delete: 'deleted', rename: 'renamed' };

/** What one call did to one file; `verb` says it where it is something else. `onAll` leads to all changes around it. */
export function DiffView({ edit, verb = verbs[edit.kind], onAll }: { edit: FileEdit; verb?: string; onAll?: () => void }) {
  return (
    <figure className="diff" aria-label={`${verb} ${edit.path}`.trim()}>
      <figcaption className="diff-head">
        <code className="one-line" title={edit.path}>
          {visibleControls(edit.path)}
        </code>
        <span className="soft">{verb}</span>
        {onAll && (
          <button type="button" className="text-button diff-all" tabIndex={-1} aria-label="All changes of this turn" title="All changes of this turn" onClick={onAll}>
            this turn
          </button>
        )}
        <EditCounts added={edit.added} removed={edit.removed} />
      </figcaption>
      {edit.patch === null ? <p className="diff-note soft">The agent kept no patch of this change.</p> : <SmallLines path={edit.path} patch={edit.patch} />}
    </figure>
  );
}
