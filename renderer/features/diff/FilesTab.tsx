import { useState } from 'react';
import type { DiffScope, SessionDetail } from '@shared/model';
import { useRoute } from '../../app/route';
import { visibleControls } from '../../ui/controls';
import { countOf } from '../../ui/format';
import { showFiles } from './acts';
import { Counts } from './Counts';
import { FileList } from './FileList';
import { type Listing, useListing } from './listing';
import { ScopeChoice } from './ScopeChoice';
import { scopeWords } from './scope';
import { lookAtFiles, useFilesLook } from './state';

/** The inspector's answer to "what happened to files?". */
export function FilesTab({ detail }: { detail: SessionDetail }) {
  const { id } = detail.summary;
  const view = useRoute((route) => route.view);
  const [own, setOwn] = useState<DiffScope>({ kind: 'session' });
  const shown = view.kind === 'files' && view.session === id ? view : null;
  const listOpen = useFilesLook((look) => look.listOpen);
  const scope = shown?.scope ?? own;
  const listing = useListing(id, scope);
  const choose = (next: DiffScope) => {
    setOwn(next);
    if (shown) showFiles(id, next);
  };
  return (
    <div className="files-tab">
      <ScopeChoice session={id} scope={scope} onChoose={choose} />
      {listing && <ListingWords listing={listing} scope={scope} />}
      {listing && listing.files.length > 0 && shown && listOpen && (
        <p className="files-elsewhere soft">
          The list stands beside the diff.{' '}
          <button type="button" className="text-button" onClick={() => lookAtFiles({ listOpen: false })}>
            Show it here
          </button>
        </p>
      )}
      {listing && listing.files.length > 0 && !(shown && listOpen) && <FileList listing={listing} chosen={shown?.file ?? null} label={`Files changed ${scopeWords(scope)}`} onOpen={(path) => showFiles(id, scope, path)} />}
    </div>
  );
}

/** Totals of a list, or why there is none, and what it cannot tell. */
export function ListingWords({ listing, scope }: { listing: Listing; scope: DiffScope }) {
  const { phase, total, files, added, removed, notes, error } = listing;
  const uncounted = added === null ? 0 : files.filter((file) => file.added === null && file.before !== 'binary' && file.after !== 'binary').length;
  return (
    <div className="files-words" aria-busy={phase === 'loading'}>
      {phase === 'failed' && <p data-tone="danger">The changes could not be read: {error}</p>}
      {phase === 'none' && <p className="soft">{scope.kind === 'against' ? 'One of the two sessions is not in the library.' : 'There is no such turn, branch or part any more.'}</p>}
      {phase === 'loading' && files.length === 0 && <p className="soft">Putting together what changed…</p>}
      {phase === 'ready' && total === 0 && <p className="soft">No file is known to have changed {scopeWords(scope)}.</p>}
      {total > 0 && (
        <p>
          {added !== null && removed !== null && <Counts added={added} removed={removed} />} <span className="soft number">{added === null ? countOf(total, 'file') : `in ${countOf(total, 'file')}`}</span>
          {uncounted > 0 && <span className="soft" data-hint="What they held before or after is not recorded, or too large to be compared."> · lines of {countOf(uncounted, 'file')} not known</span>}
          {phase === 'ready' && files.length < total && <span className="soft"> · the first {countOf(files.length, 'file')} are listed</span>}
        </p>
      )}
      {notes.map((note) => (
        <p key={note} className="files-note soft">
          {visibleControls(note)}
        </p>
      ))}
    </div>
  );
}
