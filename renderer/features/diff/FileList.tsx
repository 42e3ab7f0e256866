import { useVirtualizer } from '@tanstack/react-virtual';
import { ChevronDown, ChevronRight, FolderSync } from 'lucide-react';
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from 'react';
import { countOf } from '../../ui/format';
import { Certainty } from './Certainty';
import { Counts, FileCounts } from './Counts';
import type { Listing } from './listing';
import { nameOf, visibleName } from './scope';
import { type FileRow, treeOf } from './tree';
import { changeLetters, changeWords } from './words';

const rowHeight = 26;

interface FileListProps {
  listing: Listing;
  /** Path of the file that is open. */
  chosen: string | null;
  label: string;
  onOpen(path: string): void;
}

/** The tree of changed files; only the rows on the screen are drawn. */
export function FileList({ listing, chosen, label, onOpen }: FileListProps) {
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const [cursor, setCursor] = useState<number | null>(null);
  const rows = useMemo(() => treeOf(listing.files, closed), [listing.files, closed]);
  const scroller = useRef<HTMLDivElement>(null);
  const id = useId();
  const list = useVirtualizer({ count: rows.length, getScrollElement: () => scroller.current, estimateSize: () => rowHeight, overscan: 10 });
  const chosenRow = useMemo(() => rows.findIndex((row) => row.type === 'file' && row.file.path === chosen), [rows, chosen]);
  const active = cursor !== null && cursor < rows.length ? cursor : Math.max(0, chosenRow);

  const brought = useRef<string | null>(null);
  useEffect(() => {
    // Only when another file is opened: whoever scrolls the list, or folds it, is left alone.
    if (chosenRow < 0 || brought.current === chosen) return;
    brought.current = chosen;
    setCursor(chosenRow);
    list.scrollToIndex(chosenRow, { align: 'auto' });
  }, [chosen, chosenRow, list]);

  const toggle = (path: string, open: boolean) => {
    const next = new Set(closed);
    if (open) next.delete(path);
    else next.add(path);
    setClosed(next);
  };
  const go = (to: number) => {
    const at = Math.max(0, Math.min(rows.length - 1, to));
    setCursor(at);
    list.scrollToIndex(at, { align: 'auto' });
  };
  const act = (row: FileRow) => (row.type === 'file' ? onOpen(row.file.path) : toggle(row.path, !row.open));
  const onKey = (event: KeyboardEvent) => {
    const row = rows[active];
    if (!row || event.ctrlKey || event.metaKey || event.altKey) return;
    const steps: Record<string, () => void> = {
      ArrowDown: () => go(active + 1),
      ArrowUp: () => go(active - 1),
      Home: () => go(0),
      End: () => go(rows.length - 1),
      Enter: () => act(row),
      ArrowRight: () => (row.type === 'folder' && !row.open ? toggle(row.path, true) : go(active + 1)),
      ArrowLeft: () => (row.type === 'folder' && row.open ? toggle(row.path, false) : go(parentOf(rows, active))),
    };
    const step = steps[event.key];
    if (!step) return;
    event.preventDefault();
    step();
  };
  return (
    <div ref={scroller} className="files-list" role="tree" aria-label={label} tabIndex={0} aria-activedescendant={rows.length > 0 ? `${id}-${active}` : undefined} onKeyDown={onKey}>
      <div role="none" style={{ height: list.getTotalSize(), position: 'relative' }}>
        {list.getVirtualItems().map(({ index, start }) => {
          const row = rows[index];
          if (!row) return null;
          return (
            <div
              key={row.type === 'file' ? row.file.path : `/${row.path}`}
              id={`${id}-${index}`}
              className="files-row"
              role="treeitem"
              aria-level={row.depth + 1}
              aria-expanded={row.type === 'folder' ? row.open : undefined}
              aria-selected={index === chosenRow}
              data-active={index === active || undefined}
              style={{ transform: `translateY(${start}px)`, paddingLeft: 6 + row.depth * 12 }}
              onClick={() => {
                setCursor(index);
                act(row);
              }}
            >
              {row.type === 'folder' ? <FolderLine row={row} /> : <FileLine row={row} />}
            </div>
          );
        })}
      </div>
    </div>
  );
}

/** The folder a row lies in. */
function parentOf(rows: readonly FileRow[], at: number): number {
  const depth = rows[at]?.depth ?? 0;
  for (let above = at - 1; above >= 0; above--) if ((rows[above]?.depth ?? 0) < depth) return above;
  return at;
}

function FolderLine({ row }: { row: Extract<FileRow, { type: 'folder' }> }) {
  const Twisty = row.open ? ChevronDown : ChevronRight;
  return (
    <>
      <Twisty size={13} aria-hidden />
      <span className="files-name one-line soft" title={visibleName(row.path)}>
        {visibleName(row.name)}
      </span>
      {!row.open && (
        <>
          <span className="soft number">{countOf(row.files, 'file')}</span>
          <Counts added={row.added} removed={row.removed} />
        </>
      )}
    </>
  );
}

function FileLine({ row }: { row: Extract<FileRow, { type: 'file' }> }) {
  const { file } = row;
  return (
    <>
      <span className="files-kind" data-kind={file.kind} title={changeWords[file.kind]}>
        <span aria-hidden>{changeLetters[file.kind]}</span>
        <span className="unseen">{changeWords[file.kind]}</span>
      </span>
      <span className="files-name one-line" title={`${visibleName(nameOf(file))}${file.oldPath === null ? '' : `\nwas ${visibleName(file.oldRelative ?? file.oldPath)}`}`}>
        {visibleName(row.name)}
      </span>
      {file.outside.length > 0 && (
        <span className="files-outside" data-hint="Also changed outside checkpoints: by a shell command, the person, or another program.">
          <FolderSync size={12} aria-hidden />
          <span className="unseen">also changed outside checkpoints</span>
        </span>
      )}
      <Certainty certainty={file.certainty} brief />
      <FileCounts file={file} />
    </>
  );
}
