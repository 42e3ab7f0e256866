import { type CSSProperties, useEffect, useRef, useState } from 'react';
import { assertNever, type FileBytes } from '@shared/model';
import { isAbandoned, reasonOf } from '../../../rpc';
import { visibleControls } from '../../../ui/controls';
import { formatBytes, formatCount } from '../../../ui/format';
import { Drawn, PicturePair } from './PicturePair';

/** A file at one moment: how the moment is called, and who can be asked for its bytes. */
export interface BytesSide {
  name: string;
  ask(signal: AbortSignal): Promise<FileBytes | null>;
}

interface BytesViewProps {
  /** The file, and the moments of it, from the earliest on. Another key: other moments are asked for. */
  asked: string;
  label: string;
  sides: readonly BytesSide[];
}

/** A file that is no text, at two moments or three: pictures are drawn, of all others sizes and hashes are told. */
export function BytesView({ asked, label, sides }: BytesViewProps) {
  const found = useBytes(asked, sides);
  if (typeof found === 'string') return <p className="diff-note" data-tone="danger">The bytes could not be read: {visibleControls(found)}</p>;
  if (found === null) return <div className="bytes" aria-busy="true"><p className="soft">Reading the bytes…</p></div>;
  const same = found.length > 1 && found.every((bytes) => bytes.hash !== null && bytes.hash === found[0]?.hash);
  const [first, second, ...more] = found;
  const pair = more.length === 0 && first?.picture?.data && second?.picture?.data && !same ? ([first.picture, second.picture] as const) : null;
  return (
    <div className="bytes" role="region" aria-label={label} tabIndex={0}>
      {pair && <PicturePair names={[sides[0]?.name ?? '', sides[1]?.name ?? '']} pictures={pair}>{(side) => <Facts bytes={found[side] as FileBytes} />}</PicturePair>}
      {!pair && (
        <div className="bytes-sides" style={{ '--sides': found.length } as CSSProperties}>
          {found.map((bytes, at) => (
            <section key={sides[at]?.name} aria-label={sides[at]?.name}>
              <h3>{sides[at]?.name}</h3>
              {bytes.picture?.data ? <Drawn picture={bytes.picture} name={sides[at]?.name ?? ''} /> : <p className="bytes-blank soft">{stateWords(bytes)}</p>}
              <Facts bytes={bytes} />
            </section>
          ))}
        </div>
      )}
      {same && <p className="soft">The same bytes.</p>}
    </div>
  );
}

/** Null while they are asked for; a sentence where they could not be had. */
function useBytes(asked: string, sides: readonly BytesSide[]): FileBytes[] | string | null {
  const [found, setFound] = useState<{ asked: string; answer: FileBytes[] | string } | null>(null);
  const held = useRef(sides);
  held.current = sides;
  useEffect(() => {
    const abort = new AbortController();
    Promise.all(held.current.map(({ ask }) => ask(abort.signal)))
      .then((all) => {
        const bytes = all.filter((each) => each !== null);
        if (!abort.signal.aborted) setFound({ asked, answer: bytes.length === all.length ? bytes : 'this file is not among the changes any more.' });
      })
      .catch((error: unknown) => {
        if (!abort.signal.aborted && !isAbandoned(error)) setFound({ asked, answer: reasonOf(error) });
      });
    return () => abort.abort();
  }, [asked]);
  return found?.asked === asked ? found.answer : null;
}

function stateWords({ state, picture, why }: FileBytes): string {
  if (why !== null) return why;
  switch (state) {
    case 'absent':
      return 'It is not there.';
    case 'unknown':
      return 'It is not recorded, or may not be looked at.';
    case 'text':
      return 'A text.';
    case 'binary':
    case 'too large':
      return picture ? 'A picture.' : 'Bytes that are neither text nor a picture that is drawn.';
    default:
      return assertNever(state, 'state of a file');
  }
}

/** Size in pixels and bytes, type and hash, as far as they are known. */
function Facts({ bytes: { size, hash, picture } }: { bytes: FileBytes }) {
  if (size === null && hash === null) return null;
  return (
    <dl className="bytes-facts number">
      {picture && (
        <>
          <dt>Picture</dt>
          <dd>
            {formatCount(picture.width)} × {formatCount(picture.height)} px, {picture.type.slice('image/'.length).toUpperCase()}
          </dd>
        </>
      )}
      {size !== null && (
        <>
          <dt>Size</dt>
          <dd title={`${formatCount(size)} bytes`}>
            {formatBytes(size)}
            {size >= 1_000 && <span className="soft"> ({formatCount(size)} bytes)</span>}
          </dd>
        </>
      )}
      {hash !== null && (
        <>
          <dt title="As git names these bytes">Hash</dt>
          <dd>
            <code title={hash}>{hash.slice(0, 12)}</code>
          </dd>
        </>
      )}
    </dl>
  );
}
