import { ChevronRight } from 'lucide-react';
import type { ContextSize, PartView } from '@shared/model';
import { formatBytes, formatShort } from '../../../ui/format';
import { visibleControls } from '../../../ui/controls';
import { useLens } from '../../lens/lens';
import { foldPart } from '../acts';
import { Prose } from './Prose';

const sentence = (words: string): string => words.slice(0, 1).toUpperCase() + words.slice(1);

const sizeWords = (size: ContextSize | null): string => (size === null ? '?' : `${size.estimated ? '~' : ''}${formatShort(size.tokens)}`);

/** The border between two epochs, and the summary that stands for what is above it. */
export function Compaction({ part, open }: { part: PartView; open: boolean }) {
  const hasText = part.text !== null && part.text.text.trim() !== '';
  const words = part.kind === 'summary' ? 'Summary' : sentence(visibleControls(part.title ?? 'compacted'));
  const compaction = useLens(({ history }) => history?.epochs.find((epoch) => epoch.compaction?.part === part.id)?.compaction ?? null);
  return (
    <div className="compaction" data-kind={part.kind}>
      <div className="compaction-line">
        {hasText ? (
          <button type="button" className="fold-line" aria-expanded={open} tabIndex={-1} onClick={() => foldPart(part.id, !open)} data-open={open || undefined}>
            <ChevronRight className="fold-twisty" size={13} aria-hidden />
            <span>{words}</span>
            {part.text && <span className="soft number">{formatBytes(part.text.total)}</span>}
          </button>
        ) : (
          <span className="compaction-words">{words}</span>
        )}
        {compaction && (
          <span className="compaction-sizes number">
            {/* Where the agent's own words tell the sizes they are not told twice. */}
            {!/\d tokens/.test(words) && `${sizeWords(compaction.before)} → ${sizeWords(compaction.after)}`}
            <button type="button" className="text-button" tabIndex={-1} data-hint="The summary beside what it replaced  c" onClick={() => useLens.setState({ compared: part.id })}>
              compare
            </button>
          </span>
        )}
      </div>
      {open && part.text && hasText && (
        <div className="fold-body">
          <Prose part={part.id} clipped={part.text} />
        </div>
      )}
    </div>
  );
}
