import { Tabs } from 'radix-ui';
import { useEffect, useState } from 'react';
import { assertNever, type MergePiece, type RevertFile, type RevertFileView, type RevertMerge, type RevertText } from '@shared/model';
import { call, isAbandoned, reasonOf } from '../../rpc';
import { visibleControls } from '../../ui/controls';
import { countOf, formatBytes, formatCount } from '../../ui/format';
import { BytesView } from '../diff/bytes/BytesView';
import { visibleName } from '../diff/scope';
import { DiffView } from '../timeline/parts/DiffView';
import { changeWords, originWords } from './words';

/** One file: why its state is what it is, what would change, and for a conflict its three versions and a merge. */
export function RevertFileDetail({ session, before, file }: { session: string; before: string; file: RevertFile }) {
  return (
    <div className="revert-detail" role="region" aria-label="The chosen file" tabIndex={0}>
      <Facts file={file} />
      <RevertFileVersions session={session} before={before} path={file.path} />
    </div>
  );
}

/** The lines of a file: its change, or for a conflict its three versions, the agent’s way, and a merge. */
export function RevertFileVersions({ session, before, path }: { session: string; before: string; path: string }) {
  const [found, setFound] = useState<RevertFileView | string | null>(null);
  useEffect(() => {
    const abort = new AbortController();
    call('revert.file', { session, before, path }, { signal: abort.signal })
      .then((answer) => !abort.signal.aborted && setFound(answer ?? 'The session changed while it was read. Close the preview and open it again.'))
      .catch((error: unknown) => {
        if (!abort.signal.aborted && !isAbandoned(error)) setFound(reasonOf(error));
      });
    return () => abort.abort();
  }, [session, before, path]);
  if (found === null) return <p className="soft" role="status">Reading the file.</p>;
  return typeof found === 'string' ? <p className="soft">{visibleControls(found)}</p> : <Versions session={session} before={before} view={found} />;
}

function Facts({ file }: { file: RevertFile }) {
  const { path, because, agent, keptUntil, origin, certainty, evidence, gaps, changedOutside } = file;
  return (
    <>
      <h3 className="break">
        <code>{visibleName(path)}</code>
      </h3>
      <ul className="revert-facts">
        <li>{because}</li>
        <li>
          {agent.restores ? 'The agent’s own revert takes it back. ' : 'The agent’s own revert leaves it. '}
          {agent.because}
        </li>
        {origin !== null && <li className="soft">What it held before is told by {originWords[origin]}.</li>}
        {keptUntil && (
          <li data-tone={keptUntil.state === 'later' ? undefined : 'attention'} className={keptUntil.state === 'later' ? 'soft' : undefined}>
            {keptUntil.state === 'passed' ? `Kept until ${keptUntil.day}, which has passed: it can go at any time.` : `Kept until ${keptUntil.day}.`} {keptUntil.from}
          </li>
        )}
        {changedOutside && <li data-tone="attention">Changed outside checkpoints: others changed it between changes of this session.</li>}
        {certainty !== 'recorded' && <li data-tone="attention">{certainty === 'inferred' ? 'Not all of this is recorded; some is inferred.' : 'Some of what lies between is not known.'}</li>}
        {[...evidence, ...gaps].map((sentence) => (
          <li key={sentence} className="soft">
            {visibleControls(sentence)}
          </li>
        ))}
      </ul>
    </>
  );
}

interface VersionsProps {
  session: string;
  before: string;
  view: RevertFileView;
}

function Versions({ session, before, view }: VersionsProps) {
  const { texts, merge, file } = view;
  if (file.now === 'binary' || file.before === 'binary' || (texts && file.left === 'binary')) return <RevertBytes session={session} before={before} file={file} hasThree={texts !== null} />;
  if (!texts) return <Change view={view} />;
  return (
    <Tabs.Root defaultValue="versions">
      <Tabs.List className="tab-list" aria-label="How the file is shown">
        <Tabs.Trigger value="versions" className="tab">
          Three versions
        </Tabs.Trigger>
        <Tabs.Trigger value="change" className="tab">
          Agent’s way
        </Tabs.Trigger>
        <Tabs.Trigger value="merge" className="tab">
          Merged
        </Tabs.Trigger>
      </Tabs.List>
      <Tabs.Content value="versions" className="revert-versions">
        <Version name="Before this message" text={texts.before} />
        <Version name="As the session left it" text={texts.left} />
        <Version name="On the disk now" text={texts.now} />
      </Tabs.Content>
      <Tabs.Content value="change">
        <p className="soft revert-say">Written back whole: what others changed since would be lost.</p>
        <Change view={view} />
      </Tabs.Content>
      <Tabs.Content value="merge">{merge ? <Merge merge={merge} /> : <p className="soft">It cannot be merged: not all three versions are texts, or they are too long.</p>}</Tabs.Content>
    </Tabs.Root>
  );
}

/** A file that is no text: what the revert would lead from and to, for a conflict with what the session left. */
function RevertBytes({ session, before, file, hasThree }: { session: string; before: string; file: RevertFile; hasThree: boolean }) {
  const side = (name: string, which: 'before' | 'left' | 'now') => ({ name, ask: (signal: AbortSignal) => call('revert.bytes', { session, before, path: file.path, side: which }, { signal }) });
  return (
    <BytesView
      asked={`${session} ${before} ${file.path}`} label="Bytes of the chosen file"
      sides={hasThree ? [side('Before this message', 'before'), side('As the session left it', 'left'), side('On the disk now', 'now')] : [side('On the disk now', 'now'), side('Before this message', 'before')]}
    />
  );
}

function Change({ view: { file, patch, large } }: { view: RevertFileView }) {
  if (file.kind === 'none') return null;
  if (file.kind === 'binary') return <p className="soft">It is no text: its bytes would change.</p>;
  if (large) return <p className="soft">Its patch has {formatCount(large.chars)} characters; retrace diff --revert-to --json has its counts.</p>;
  if (patch === null) return <p className="soft">Its lines are not known.</p>;
  return <DiffView edit={{ path: file.relative ?? file.path, kind: file.kind, added: file.added ?? 0, removed: file.removed ?? 0, patch }} verb={changeWords[file.kind]} />;
}

function Version({ name, text }: { name: string; text: RevertText }) {
  return (
    <section aria-label={name}>
      <h4>{name}</h4>
      {text.text === null ? (
        <p className="soft">{missing(text)}</p>
      ) : (
        <pre className="plain" tabIndex={0} aria-label={name}>
          {visibleControls(text.text)}
        </pre>
      )}
      {text.cut && <p className="soft">The first {formatCount(text.text?.length ?? 0)} of {formatCount(text.size ?? 0)} characters.</p>}
    </section>
  );
}

function missing({ state, size }: RevertText): string {
  switch (state) {
    case 'absent':
      return 'It is not there.';
    case 'binary':
      return `No text${size === null ? '' : `, ${formatBytes(size)}`}.`;
    case 'too large':
      return `Too large to be shown${size === null ? '' : `: ${formatBytes(size)}`}.`;
    case 'unknown':
    case 'text':
      return 'It is not recorded.';
    default:
      return assertNever(state, 'knowledge of a content');
  }
}

function Merge({ merge: { disputed, pieces } }: { merge: RevertMerge }) {
  return (
    <>
      <p className="soft revert-say">
        The session’s change taken out of the file as it is now, what others changed kept.{' '}
        {disputed === 0 ? 'Nothing is disputed.' : `${countOf(disputed, 'place')} ${disputed === 1 ? 'was' : 'were'} changed by both.`}
      </p>
      <div className="revert-merge" tabIndex={0} role="region" aria-label="Merged file">
        {pieces.map((piece, at) => (
          <Piece key={at} piece={piece} />
        ))}
      </div>
    </>
  );
}

function Piece({ piece }: { piece: MergePiece }) {
  if (piece.kind === 'settled') return <pre className="plain">{visibleControls(piece.lines.join(''))}</pre>;
  const sides = [
    ['on the disk now', piece.now],
    ['as the session left it', piece.left],
    ['before this message', piece.before],
  ] as const;
  return (
    <div className="revert-disputed" role="group" aria-label="Changed by both">
      {sides.map(([name, lines]) => (
        <div key={name}>
          <span className="soft">{name}</span>
          <pre className="plain">{lines.length === 0 ? '(nothing)' : visibleControls(lines.join(''))}</pre>
        </div>
      ))}
    </div>
  );
}
