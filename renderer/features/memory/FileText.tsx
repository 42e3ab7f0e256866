import { useState } from 'react';
import type { MemoryFile, MemoryPiece, MemoryText } from '@shared/model';
import { Failed } from '../../ui/Failed';
import { visibleControls } from '../../ui/controls';
import { countOf, formatCount } from '../../ui/format';
import { Ago } from '../../ui/marks';
import { useAnswer } from './answer';
import { CallLink, Marks } from './Calls';
import { actWords, stopWords } from './words';

/** Lines asked for at once: the contract's limit for one window. */
const windowLines = 500;

/** A file's text, each piece beside who wrote it. Windows of it are added at its end as one asks for them. */
export function FileText({ file }: { file: MemoryFile }) {
  const [windows, setWindows] = useState(1);
  const total = file.lines ?? 0;
  if (file.lines === null) return null;
  if (total === 0) return <p className="soft">It is empty.</p>;
  const shown = Math.min(total, windows * windowLines);
  return (
    <div className="memory-text">
      {Array.from({ length: windows }, (_, at) => (
        <TextWindow key={at} file={file} from={at * windowLines + 1} />
      ))}
      {shown < total && (
        <button type="button" className="button" onClick={() => setWindows(windows + 1)}>
          Show lines {formatCount(shown + 1)} to {formatCount(Math.min(total, shown + windowLines))} of {formatCount(total)}
        </button>
      )}
    </div>
  );
}

function TextWindow({ file, from }: { file: MemoryFile; from: number }) {
  const { answer, error, again } = useAnswer('memory.file', { file: file.id, from, count: windowLines });
  if (error !== null) {
    return (
      <Failed title="The text could not be read" again={again}>
        {error}
      </Failed>
    );
  }
  if (answer === undefined) return <p className="soft">Reading…</p>;
  if (answer === null) return <p className="soft">No text of it is in the library.</p>;
  return <Pieces text={answer} />;
}

/** Where a piece reaches over the end of what is loaded it is drawn in two. */
function Pieces({ text }: { text: MemoryText }) {
  const { loaded } = text.file;
  const stop = loaded !== null && loaded.limit !== null ? loaded.lines : null;
  const end = text.from + text.lines.length - 1;
  const pieces = text.pieces.flatMap((piece): MemoryPiece[] => {
    const from = Math.max(piece.from, text.from);
    const to = Math.min(piece.to, end);
    return stop !== null && from <= stop && to > stop ? [{ ...piece, from, to: stop }, { ...piece, from: stop + 1, to }] : [{ ...piece, from, to }];
  });
  const stopsBefore = (piece: MemoryPiece) => stop !== null && piece.from === stop + 1;
  return (
    <>
      {pieces.map((piece) => (
        <div key={piece.from} className="memory-stretch">
          {loaded !== null && stopsBefore(piece) && (
            <p className="memory-stop" role="note">
              {stopWords(loaded, text.total)}
            </p>
          )}
          <Piece piece={piece} lines={text.lines.slice(piece.from - text.from, piece.to - text.from + 1)} unloaded={stop !== null && piece.from > stop} />
        </div>
      ))}
    </>
  );
}

function Piece({ piece, lines, unloaded }: { piece: MemoryPiece; lines: string[]; unloaded: boolean }) {
  const { writer, from, to } = piece;
  const range = from === to ? `Line ${from}` : `Lines ${from} to ${to}`;
  return (
    <div className="memory-piece" role="group" aria-label={range} data-unloaded={unloaded || undefined} data-marked={(writer?.marks.length ?? 0) > 0 || undefined}>
      <div className="memory-lines">
        {lines.map((line, at) => (
          <div key={at} className="memory-line">
            <span className="memory-number number" aria-hidden>
              {from + at}
            </span>
            <code className="memory-words">{visibleControls(line) || '\u00a0'}</code>
          </div>
        ))}
      </div>
      <div className="memory-writer">
        <Writer piece={piece} />
      </div>
    </div>
  );
}

function Writer({ piece: { writer, certainty, scaffold } }: { piece: MemoryPiece }) {
  if (scaffold) {
    return (
      <span className="memory-call soft">
        <span>put there by the plugin</span>
        <span data-hint="The plugin itself heads each notepad so when work on its plan begins; no session wrote it. Nothing records that: it is told by the words." tabIndex={0}>
          inferred
        </span>
      </span>
    );
  }
  if (!writer) {
    return (
      <span className="soft" data-hint="No recorded call wrote this: a person may have, another program, or a shell command." tabIndex={0}>
        nobody recorded this
      </span>
    );
  }
  return (
    <>
      <CallLink call={writer} />
      <span className="memory-call soft">
        <span>{actWords[writer.act]}</span>
        <Ago time={writer.time} />
        {certainty === 'inferred' && (
          <span data-hint="The recorded edits could not be done again and this call holds the same line, or it wrote the file that this one was copied from." tabIndex={0}>
            inferred
          </span>
        )}
        <Marks marks={writer.marks} />
      </span>
    </>
  );
}

/** How the lines of a file are divided, in words. */
export function divisionWords({ lines, written, unrecorded, scaffold, marked }: MemoryFile): string {
  if (lines === null || lines === 0) return '';
  const who = scaffold > 0 ? withScaffold(written, unrecorded, scaffold) : unrecorded === 0 ? 'sessions wrote all of it' : written === 0 ? 'nobody recorded who wrote it' : `sessions wrote ${countOf(written, 'line')}, ${formatCount(unrecorded)} nobody recorded`;
  return marked > 0 ? `${who}; ${countOf(marked, 'line')} marked` : who;
}

function withScaffold(written: number, unrecorded: number, scaffold: number): string {
  if (written === 0 && unrecorded === 0) return 'nothing written yet but what the plugin put there';
  const parts = [...(written > 0 ? [`sessions wrote ${countOf(written, 'line')}`] : []), `the plugin put ${formatCount(scaffold)} there`, ...(unrecorded > 0 ? [`${formatCount(unrecorded)} nobody recorded`] : [])];
  return parts.join(', ');
}
