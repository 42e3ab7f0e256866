import { X } from 'lucide-react';
import type { IndexProgress } from '@shared/contract';
import { assertNever } from '@shared/model';
import { formatBytes, formatCount } from '../ui/format';
import { cancelIndex, updateLibrary, useEngine } from './engine';
import { useLink } from '../rpc';

/** Share done, 0 to 1; by bytes where they are known, since one session may be as large as a thousand others. */
export function shareDone({ bytesDone, bytesTotal, sourcesDone, sourcesTotal }: IndexProgress): number {
  if (bytesTotal > 0) return Math.min(1, bytesDone / bytesTotal);
  return sourcesTotal > 0 ? Math.min(1, sourcesDone / sourcesTotal) : 0;
}

function wordsOf(progress: IndexProgress): string {
  switch (progress.phase) {
    case 'survey':
      return 'looking for sessions';
    case 'index':
      return 'indexing';
    case 'lineage':
      return 'tying sessions together';
    case 'idle':
      return 'index';
    default:
      return assertNever(progress.phase, 'phase');
  }
}

/** How far the index is while it runs, with cancel; what stopped it; else nothing. */
export function IndexStatus() {
  const progress = useEngine((engine) => engine.progress);
  const link = useLink((state) => state.state);
  const silent = useLink((state) => state.silent);
  // The notice below the header says more.
  if (silent) return null;
  if (link === 'lost') return <span className="index-status" data-tone="attention" role="status">The link to the engine is lost; connecting again</span>;
  if (!progress) return null;
  if (progress.running) return <Running progress={progress} />;
  if (progress.error !== null || progress.cancelled) {
    return (
      <span className="index-status" data-tone="attention" role="status" title={progress.error ?? undefined}>
        {progress.error !== null ? 'The index stopped with an error' : 'Indexing was cancelled'}
        <button type="button" className="text-button" onClick={() => void updateLibrary()}>
          {progress.error !== null ? 'Try again' : 'Go on'}
        </button>
      </span>
    );
  }
  return null;
}

function Running({ progress }: { progress: IndexProgress }) {
  const share = shareDone(progress);
  const percent = Math.floor(share * 100);
  const words = wordsOf(progress);
  return (
    <span className="index-status" title={`${formatCount(progress.sourcesDone)} of ${formatCount(progress.sourcesTotal)} files, ${formatBytes(progress.bytesDone)} of ${formatBytes(progress.bytesTotal)}`}>
      <span className="soft number">
        {words} {progress.phase === 'index' ? `${percent} %` : ''}
      </span>
      <span className="bar" role="progressbar" aria-label={words} aria-valuemin={0} aria-valuemax={100} aria-valuenow={percent}>
        <span style={{ width: `${percent}%` }} />
      </span>
      <button type="button" className="bare-icon" aria-label="Cancel indexing" title="Cancel indexing" onClick={() => void cancelIndex()}>
        <X size={13} aria-hidden />
      </button>
    </span>
  );
}
