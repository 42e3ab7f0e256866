import { ArrowLeft, Columns2, Download, PanelLeft, Rows2, Space } from 'lucide-react';
import { useEffect } from 'react';
import type { DiffScope, SessionId } from '@shared/model';
import { Blank } from '../../ui/Blank';
import { titleOf } from '../library/TreeRow';
import { useSession } from '../timeline/state';
import { leaveFiles, showFiles, toggleBlanks, toggleFileList, toggleSplit } from './acts';
import { FileDiffView } from './FileDiffView';
import { FileList } from './FileList';
import { ListingWords } from './FilesTab';
import { awaitDrawing } from './lines/drawing-link';
import { useListing, useListings } from './listing';
import { canSave, savePatchOfAll } from './patch-file';
import { ScopeChoice } from './ScopeChoice';
import { scopeWords } from './scope';
import { useFilesLook } from './state';

interface FilesViewProps {
  session: SessionId;
  scope: DiffScope;
  /** Null: the first one. */
  file: string | null;
}

/** What happened to files, as a view of its own: the files of a scope, and one of them line by line. */
export function FilesView({ session, scope, file }: FilesViewProps) {
  const listing = useListing(session, scope);
  const version = useListings((state) => state.version);
  const look = useFilesLook();
  const detail = useSession((open) => (open.id === session ? open.detail : null));
  const title = detail ? titleOf(detail.summary) : null;
  useEffect(() => {
    document.title = title === null ? 'Files · Retrace' : `Files of ${title} · Retrace`;
    return () => {
      document.title = 'Retrace';
    };
  }, [title]);
  // While the list is put together.
  useEffect(awaitDrawing, []);
  const path = file ?? listing?.files[0]?.path ?? null;
  const isEmpty = path === null && listing !== null && listing.phase !== 'loading';
  return (
    <section className="files-view" aria-label="Files">
      <header className="files-head">
        <button type="button" className="button bare" onClick={leaveFiles} title="Back to the timeline (Esc)">
          <ArrowLeft size={14} aria-hidden /> Timeline
        </button>
        <h1 className="one-line">
          <span className="soft">{title === null ? 'Files' : 'Files of'}</span> {title}
        </h1>
        <span className="files-looks">
          <Toggle label="List of files" keys="b" on={look.listOpen} Icon={PanelLeft} onToggle={toggleFileList} />
          <Toggle label="Side by side" keys="s" on={look.split} Icon={look.split ? Columns2 : Rows2} onToggle={toggleSplit} />
          <Toggle label="Hide changes of blanks" keys="w" on={look.blanks === 'hidden'} Icon={Space} onToggle={toggleBlanks} />
          <button
            type="button" className="button bare square" aria-label="Save all files as one .patch" disabled={!canSave || !listing || listing.files.length === 0}
            data-hint={canSave ? 'Save all files as one .patch, those that git apply takes' : 'The desktop window lets no page save files: use retrace diff --patch.'}
            onClick={() => void savePatchOfAll(session, scope)}
          >
            <Download size={14} aria-hidden />
          </button>
        </span>
        <ScopeChoice session={session} scope={scope} onChoose={(next) => showFiles(session, next)} />
      </header>
      <div className="files-panes">
        {look.listOpen && listing && (
          <div className="files-side">
            <ListingWords listing={listing} scope={scope} />
            {listing.files.length > 0 && <FileList listing={listing} chosen={path} label={`Files changed ${scopeWords(scope)}`} onOpen={(chosen) => showFiles(session, scope, chosen)} />}
          </div>
        )}
        <div className="files-diff">
          {!isEmpty && <FileDiffView session={session} scope={scope} path={file} version={version} />}
          {isEmpty && listing?.phase === 'ready' && (
            <Blank title={`No file is known to have changed ${scopeWords(scope)}`}>What a shell command changed is in no record, unless something later shows it.</Blank>
          )}
        </div>
      </div>
    </section>
  );
}

function Toggle({ label, keys, on, Icon, onToggle }: { label: string; keys: string; on: boolean; Icon: typeof PanelLeft; onToggle(): void }) {
  return (
    <button type="button" className="button bare square" aria-label={label} aria-pressed={on} data-hint={`${label}  ${keys}`} onClick={onToggle}>
      <Icon size={14} aria-hidden />
    </button>
  );
}
