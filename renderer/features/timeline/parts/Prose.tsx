import { useEffect, useRef, useState } from 'react';
import type { ClippedText, PartId } from '@shared/model';
import { countOf, formatCount } from '../../../ui/format';
import { visibleControls } from '../../../ui/controls';
import { highlightLimit, highlightWhenSeen, languageOf } from '../text/highlight';
import { isPlain, markdownLimit } from '../text/markdown';
import { renderMarkdown } from '../text/prose';
import { showMore, textKey, useTexts } from '../texts';

/** Prose as markdown; what is too large or too deep for that as plain text. */
export function Prose({ part, clipped }: { part: PartId; clipped: ClippedText }) {
  const held = useTexts(({ texts }) => texts.get(textKey(part, 'text')));
  const { gap } = clipped;
  if (!gap) return <Piece text={clipped.text} />;
  const middle = held?.middle ?? '';
  const left = gap.chars - middle.length;
  if (left <= 0) return <Piece text={clipped.text.slice(0, gap.at) + middle + clipped.text.slice(gap.at)} />;
  const lines = Math.max(1, gap.lines - middle.split('\n').length + 1);
  return (
    <>
      <Piece text={clipped.text.slice(0, gap.at) + middle} />
      <button type="button" className="long-gap" onClick={() => void showMore(part, 'text', clipped)} disabled={held?.loading}>
        {held?.loading ? 'Loading' : lines > 1 ? `Show ${countOf(lines, 'line')}` : `Show ${formatCount(left)} characters`}
      </button>
      <Piece text={clipped.text.slice(gap.at)} />
    </>
  );
}

function Piece({ text }: { text: string }) {
  const [anyway, setAnyway] = useState(false);
  if (text.length <= markdownLimit && !isPlain(text)) return <Markdown text={text} />;
  if (anyway && !isPlain(text.slice(0, markdownLimit))) return <Markdown text={text} />;
  return (
    <>
      <pre className="plain">{visibleControls(text)}</pre>
      {text.length > markdownLimit && (
        <p className="soft plain-note">
          Shown as plain text, since it has {formatCount(text.length)} characters.{' '}
          <button type="button" className="text-button" onClick={() => setAnyway(true)}>
            Format it anyway
          </button>
        </p>
      )}
    </>
  );
}

function Markdown({ text }: { text: string }) {
  const root = useRef<HTMLDivElement>(null);
  const html = renderMarkdown(text);
  useEffect(() => {
    const stops: (() => void)[] = [];
    for (const block of root.current?.querySelectorAll('pre') ?? []) {
      // A block that scrolls must be reachable by keyboard.
      block.tabIndex = 0;
      const code = block.querySelector('code');
      const language = languageOf(block.dataset['language'] ?? '');
      if (code && language && (code.textContent?.length ?? 0) <= highlightLimit) stops.push(highlightWhenSeen(code, language));
    }
    return () => stops.forEach((stop) => stop());
  }, [html]);
  return <div ref={root} className="prose" dangerouslySetInnerHTML={{ __html: html }} />;
}
