import { useEffect, useMemo, useRef } from 'react';
import type { ClippedText, PartId } from '@shared/model';
import { countOf, formatCount } from '../../../ui/format';
import { visibleControls } from '../../../ui/controls';
import { stripTerminal } from '../text/ansi';
import { foldText } from '../text/fold';
import { highlightLimit, highlightWhenSeen } from '../text/highlight';
import { showLess, showMore, textKey, useTexts, type Side } from '../texts';

interface LongTextProps {
  part: PartId;
  side: Side;
  clipped: ClippedText;
  /** Colours the code when it is short enough. */
  language?: string | null;
  /** The text came out of a terminal. */
  terminal?: boolean;
  label: string;
}

/** Text in a fixed face: head and tail of what is long, the middle on demand. */
export function LongText({ part, side, clipped, language = null, terminal = false, label }: LongTextProps) {
  const held = useTexts(({ texts }) => texts.get(textKey(part, side)));
  const shown = useMemo(() => {
    const folded = foldText({ clipped, middle: held?.middle ?? '', opened: held?.opened ?? false });
    const clean = (text: string) => visibleControls(terminal ? stripTerminal(text) : text);
    return { ...folded, head: clean(folded.head), tail: clean(folded.tail) };
  }, [clipped, held, terminal]);
  const { head, tail, hiddenLines, hiddenChars } = shown;

  return (
    <div className="long-text" data-opened={held?.opened || undefined}>
      <Code text={head} language={hiddenChars === 0 ? language : null} label={label} />
      {hiddenChars > 0 && (
        <button type="button" className="long-gap" onClick={() => void showMore(part, side, clipped)} disabled={held?.loading}>
          {held?.loading ? 'Loading' : hiddenLines > 1 ? `Show ${countOf(hiddenLines, 'line')}` : `Show ${formatCount(hiddenChars)} characters`}
        </button>
      )}
      {tail && <Code text={tail} language={null} label={`${label}, end`} />}
      {held?.opened && (
        <button type="button" className="long-gap" onClick={() => showLess(part, side)}>
          Show less
        </button>
      )}
    </div>
  );
}

function Code({ text, language, label }: { text: string; language: string | null; label: string }) {
  const code = useRef<HTMLElement>(null);
  useEffect(() => {
    const element = code.current;
    if (!element || language === null || text.length > highlightLimit) return undefined;
    return highlightWhenSeen(element, language);
  }, [text, language]);
  // A block that scrolls must be reachable by keyboard.
  return (
    <pre tabIndex={0} aria-label={label} role="region">
      {/* The key makes a fresh element for a fresh text: colouring replaces what React put into it. */}
      <code ref={code} key={`${text.length}:${text.slice(0, 200)}`}>
        {text}
      </code>
    </pre>
  );
}
