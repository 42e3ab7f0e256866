import { useMemo, useState } from 'react';
import type { FileEdit } from '@shared/model';
import { visibleControls } from '../../../ui/controls';
import { drawDiff, sizeOf } from '../text/diff';
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
      {edit.patch === null ? <p className="diff-note soft">The agent kept no patch of this change.</p> : <Patch patch={edit.patch} />}
    </figure>
  );
}

function Patch({ patch }: { patch: string }) {
  const [anyway, setAnyway] = useState(false);
  const size = useMemo(() => sizeOf(patch), [patch]);
  if (!size.ok && !anyway) {
    return (
      <p className="diff-note">
        This change is not drawn at once. {size.why}{' '}
        {size.drawable ? (
          <button type="button" className="text-button" onClick={() => setAnyway(true)}>
            Show it anyway
          </button>
        ) : (
          'It is too large to draw; its record can be read with r.'
        )}
      </p>
    );
  }
  return <Drawn patch={patch} />;
}

function Drawn({ patch }: { patch: string }) {
  const diff = useMemo(() => drawDiff(patch), [patch]);
  switch (diff.kind) {
    case 'drawn':
      return <div className="diff-lines" tabIndex={0} role="region" aria-label="Changed lines" dangerouslySetInnerHTML={{ __html: diff.html }} />;
    case 'nothing':
      return <p className="diff-note soft">No line changed.</p>;
    case 'unreadable':
      return (
        <>
          <p className="diff-note" data-tone="attention">
            This patch is not in a form Retrace can draw; it is shown as it was recorded.
          </p>
          <pre className="plain" tabIndex={0}>
            {visibleControls(patch)}
          </pre>
        </>
      );
  }
}
