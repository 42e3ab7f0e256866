import { Clipboard, Download, FolderSync } from 'lucide-react';
import { useEffect, useState } from 'react';
import { assertNever, type ChangePlace, type ContentKnowledge, type DiffScope, type FileChange, type FileDiff, type SessionId } from '@shared/model';
import { show } from '../../app/route';
import { call, isAbandoned, reasonOf } from '../../rpc';
import { visibleControls } from '../../ui/controls';
import { countOf } from '../../ui/format';
import { BytesView } from './bytes/BytesView';
import { Certainty } from './Certainty';
import { Counts, FileCounts } from './Counts';
import { DiffLines } from './DiffLines';
import { canSave, copyPatch, savePatch } from './patch-file';
import { nameOf, parseScope, scopeText, visibleName } from './scope';
import { sizeOfDiff } from './size';
import { certaintySentences, changeWords, turnWords } from './words';

interface FileDiffViewProps {
  session: SessionId;
  scope: DiffScope;
  /** Null: the first one, which is asked for while the list is still put together. */
  path: string | null;
  /** Grows when the session changed. */
  version: number;
}

/** One file's difference: what is known of it, and its lines. */
export function FileDiffView({ session, scope, path, version }: FileDiffViewProps) {
  const { diff, problem } = useFileDiff(session, scope, path, version);
  if (problem !== null) return <p className="diff-note" data-tone="danger">This change could not be read: {problem}</p>;
  if (diff === undefined) return <div className="file-diff" aria-busy="true" />;
  if (diff === null) return path === null ? null : <p className="diff-note soft">This file is not among the changes any more.</p>;
  return (
    <section className="file-diff" aria-label={`Change of ${visibleName(nameOf(diff.file))}`}>
      <Head session={session} scope={scope} diff={diff} />
      <Body key={diff.file.path} session={session} scope={scope} diff={diff} />
    </section>
  );
}

/** Undefined while it is asked for, null when there is none. */
function useFileDiff(session: SessionId, scope: DiffScope, path: string | null, version: number): { diff: FileDiff | null | undefined; problem: string | null } {
  const [found, setFound] = useState<{ key: string; diff: FileDiff | null } | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const text = scopeText(scope);
  const key = `${session} ${text} ${path ?? ''}`;
  useEffect(() => {
    const abort = new AbortController();
    setProblem(null);
    call('diff.file', { session, scope: parseScope(text), ...(path !== null && { path }) }, { signal: abort.signal })
      .then((diff) => {
        // A session at work is asked again and again: the same answer is not drawn anew.
        setFound((before) => (before?.key === key && before.diff?.patch != null && before.diff.patch === diff?.patch ? before : { key, diff }));
      })
      .catch((error: unknown) => {
        if (!abort.signal.aborted && !isAbandoned(error)) setProblem(reasonOf(error));
      });
    return () => abort.abort();
  }, [session, text, path, key, version]);
  return { diff: found?.key === key ? found.diff : undefined, problem };
}

function Head({ session, scope, diff }: { session: SessionId; scope: DiffScope; diff: FileDiff }) {
  const { file } = diff;
  const [open, setOpen] = useState(false);
  const hasPatch = diff.patch !== null || diff.large !== null;
  const hint = diff.applies ? 'git apply takes it as it is.' : 'git apply does not take it as it is: it lacks context, line numbers, or a path inside the folder.';
  return (
    <header className="file-head">
      <div className="change-line">
        <h2 className="one-line" title={visibleName(file.path)}>
          {visibleName(nameOf(file))}
        </h2>
        <span className="soft">
          {changeWords[file.kind]}
          {file.oldPath !== null && ` from ${visibleName(file.oldRelative ?? file.oldPath)}`}
          {file.mode && ` · permissions ${file.mode.before} → ${file.mode.after}`}
        </span>
        <FileCounts file={file} />
        <Certainty certainty={file.certainty} />
        <button type="button" className="text-button file-more" aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? 'Less' : 'How this is known'}
        </button>
        <span className="file-acts">
          <button type="button" className="button bare square" aria-label="Copy as patch" disabled={!hasPatch} data-hint={hasPatch ? `Copy as patch. ${hint}` : 'There are no lines to copy.'} onClick={() => void copyPatch(session, scope, diff)}>
            <Clipboard size={14} aria-hidden />
          </button>
          <button
            type="button" className="button bare square" aria-label="Save as .patch" disabled={!hasPatch || !canSave}
            data-hint={canSave ? (hasPatch ? `Save as .patch. ${hint}` : 'There are no lines to save.') : 'The desktop window lets no page save files: copy the patch, or use retrace diff --patch.'}
            onClick={() => void savePatch(session, scope, diff)}
          >
            <Download size={14} aria-hidden />
          </button>
        </span>
      </div>
      {file.gaps.map((gap) => (
        <p key={gap} className="file-gap">
          {visibleControls(gap)}
        </p>
      ))}
      {file.outside.length > 0 && !open && (
        <p className="file-gap">
          <FolderSync size={12} aria-hidden /> Also changed outside checkpoints, {countOf(file.outside.length, 'time')}.
        </p>
      )}
      {open && <Known session={session} file={file} />}
    </header>
  );
}

/** Where a change was recorded, why it is as sure as it is, and what others changed in between. */
function Known({ session, file }: { session: SessionId; file: FileChange }) {
  return (
    <div className="file-known">
      <p>
        <b>{file.certainty}</b>: {certaintySentences[file.certainty]} Told by: {file.sources.join(', ')}.
      </p>
      {file.evidence.map((sentence) => (
        <p key={sentence}>{visibleControls(sentence)}</p>
      ))}
      <p>
        {countOf(file.steps, 'recorded change')}:{' '}
        {file.places.slice(0, 20).map((place) => (
          <PlaceButton key={place.part} session={session} place={place} />
        ))}
        {file.steps > 20 && 'and more'}
      </p>
      {file.outside.map((outside, at) => (
        <p key={at} className="file-outside">
          <FolderSync size={12} aria-hidden />
          <span>
            <b>{outside.restored ? 'Went back' : 'Changed outside checkpoints'}</b> <Counts added={outside.added} removed={outside.removed} />{' '}
            {outside.after ? <>after <PlaceButton session={session} place={outside.after} /> </> : 'before any change of this session '}
            and before <PlaceButton session={session} place={outside.before} />. {visibleControls(outside.evidence)}
          </span>
        </p>
      ))}
    </div>
  );
}

function PlaceButton({ session, place }: { session: SessionId; place: ChangePlace }) {
  return (
    <>
      <button type="button" className="text-button" onClick={() => show({ kind: 'session', session, part: place.part })}>
        {turnWords(place)}
        {place.current ? '' : ' (another branch)'}
      </button>{' '}
    </>
  );
}

function Body({ session, scope, diff }: { session: SessionId; scope: DiffScope; diff: FileDiff }) {
  const [anyway, setAnyway] = useState(false);
  if (isBytes(diff)) return <FileBytesView session={session} scope={scope} file={diff.file} />;
  if (diff.patch === null && diff.large === null) return <NoLines file={diff.file} />;
  const { why, drawable } = sizeOfDiff(diff);
  if (why !== null && !anyway) {
    return (
      <div className="diff-note">
        <p>This change is not drawn at once: {why}.</p>
        {drawable ? (
          <button type="button" className="button" onClick={() => setAnyway(true)}>
            Show it anyway
          </button>
        ) : (
          <p className="soft">It is too large to be drawn at all. Its patch can be had with retrace diff --patch.</p>
        )}
      </div>
    );
  }
  if (diff.file.added === 0 && diff.file.removed === 0) return <NoLines file={diff.file} />;
  return <DiffLines session={session} scope={scope} diff={diff} />;
}

/** No lines are known, and one end at least is bytes. */
const isBytes = ({ patch, large, file: { before, after, added } }: FileDiff): boolean =>
  large === null && ((patch === null && (before === 'too large' || after === 'too large')) || before === 'binary' || after === 'binary') && (added === null || added === 0);

function FileBytesView({ session, scope, file: { path, relative, steps } }: { session: SessionId; scope: DiffScope; file: FileChange }) {
  const ask = (side: 'before' | 'after') => (signal: AbortSignal) => call('diff.bytes', { session, scope, path, side }, { signal });
  return (
    <BytesView
      asked={`${session} ${scopeText(scope)} ${path} ${steps}`} label={`Bytes of ${visibleName(nameOf({ path, relative }))}`}
      sides={[{ name: 'Before', ask: ask('before') }, { name: 'After', ask: ask('after') }]}
    />
  );
}

const endWords = (state: ContentKnowledge): string => {
  switch (state) {
    case 'text':
      return 'text';
    case 'absent':
      return 'not there';
    case 'binary':
      return 'bytes that are no text';
    case 'too large':
      return 'too large to be compared';
    case 'unknown':
      return 'not recorded';
    default:
      return assertNever(state, 'state of a file');
  }
};

/** A change without lines: what is known instead. */
function NoLines({ file }: { file: FileChange }) {
  return (
    <div className="diff-note">
      <p>{file.kind === 'rename' ? 'Renamed; no line changed.' : file.kind === 'mode' ? 'Only its permissions changed.' : file.added === 0 && file.removed === 0 ? 'An empty file: there are no lines.' : 'There are no lines to show.'}</p>
      <dl className="file-ends">
        <dt>Before</dt>
        <dd>{endWords(file.before)}</dd>
        <dt>After</dt>
        <dd>{endWords(file.after)}</dd>
      </dl>
    </div>
  );
}
