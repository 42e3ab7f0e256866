import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import type { RevertFile, RevertPreview } from '@shared/model';
import { shortenMiddle } from '../../ui/format';
import { visibleName } from '../diff/scope';
import { EditCounts } from '../timeline/parts/Meta';
import { RevertFileDetail } from './RevertFileDetail';
import { stateWords } from './words';

/** The files of a preview, the ones to decide on first, and the chosen one. */
export function RevertFiles({ preview, before }: { preview: RevertPreview; before: string }) {
  const [at, setAt] = useState(0);
  const list = useRef<HTMLUListElement>(null);
  const { files, session } = preview;
  // The sheet opens before its files are known.
  useEffect(() => (list.current?.firstElementChild as HTMLElement | null)?.focus(), []);
  const chosen = files[at];
  if (!chosen) return <p className="soft revert-none">No file would change: the session changed none after this message, as far as is recorded.</p>;
  const move = (event: KeyboardEvent) => {
    const next = { ArrowDown: at + 1, j: at + 1, ArrowUp: at - 1, k: at - 1, Home: 0, End: files.length - 1 }[event.key];
    if (next === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const to = Math.max(0, Math.min(files.length - 1, next));
    setAt(to);
    (list.current?.children[to] as HTMLElement | undefined)?.focus();
  };
  return (
    <div className="revert-files">
      <ul ref={list} className="revert-list" role="listbox" aria-label="Files" onKeyDown={move}>
        {files.map((file, index) => (
          <FileRow key={file.path} file={file} chosen={index === at} choose={() => setAt(index)} />
        ))}
      </ul>
      <RevertFileDetail key={chosen.path} session={session} before={before} file={chosen} />
    </div>
  );
}

function FileRow({ file, chosen, choose }: { file: RevertFile; chosen: boolean; choose(): void }) {
  const { word, letter, tone } = stateWords[file.state];
  const path = file.relative ?? file.path;
  return (
    <li role="option" aria-selected={chosen} tabIndex={chosen ? 0 : -1} onClick={choose} onFocus={choose}>
      <span className="revert-letter" data-tone={tone} aria-hidden>
        {letter}
      </span>
      <span className="revert-name">
        <code className="one-line" title={visibleName(path)}>
          {shortenMiddle(visibleName(path), 44)}
        </code>
        <span className="soft one-line">{word}</span>
      </span>
      <EditCounts added={file.added ?? 0} removed={file.removed ?? 0} />
    </li>
  );
}
