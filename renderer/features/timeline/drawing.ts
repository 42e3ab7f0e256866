import { failedToolCode, kindCodes, promptCode, stateCodes, type Outline } from '@shared/contract';
import type { ClippedText, PartView } from '@shared/model';

/**
 * Rules of drawing that the estimate of a height must share with the drawing itself (timeline.css holds the same
 * figures): a wrong estimate makes the scroll bar lie, or draws too many rows at once.
 */

/** A step folded to its line: `.fold-line` with the padding of `.part`. */
export const foldedHeight = 28;
/** The second line of a step that failed. */
export const whyHeight = 20;
/** Line height of prose and of the person's words, 13 px × 1.45. */
const proseLine = 19;
/** Padding of a part of prose, and of the person's block with the space above it. */
const prosePadding = 14;
const promptPadding = 46;
const compactionHeight = 40;
/** A diagnosis below a part: two lines and its padding. */
const diagnosisHeight = 54;
const stepHeight = 4;
/** Average width of a character of the text face at 13 px. */
const characterWidth = 6.4;
/** Prose is at most this many characters wide. */
export const proseColumn = 78;
/** Lines of a prompt shown before "show all". */
export const promptLines = 24;
/** The engine sends head and tail of longer prose; the middle is one button. */
const proseSent = 16_000;

/** Put in by the agent or told to the model, not said by anyone: folded like a step. */
export function isFoldedText(part: PartView): boolean {
  return part.kind === 'text' && (part.injected || part.state === 'hidden' || part.message.role === 'system');
}

export function isLongPrompt(text: ClippedText): boolean {
  return text.gap === null && (text.lines > promptLines || text.total > promptLines * proseColumn);
}

const proseHeight = (characters: number, columns: number): number => {
  // Every paragraph's last line is partly empty, and there is a gap between paragraphs.
  const lines = Math.max(1, Math.ceil((characters / columns) * 1.15 + characters / 600));
  return lines * proseLine;
};

/** Height of a part before it is drawn, from what the outline knows of it. */
function estimateHeight(outline: Outline, index: number, columns: number): number {
  const kind = outline.kinds[index];
  const characters = 2 ** Math.max(0, outline.sizes.charCodeAt(index) - 48);
  switch (kind) {
    case kindCodes.text:
      return outline.states[index] === stateCodes.hidden ? foldedHeight : prosePadding + proseHeight(Math.min(characters, proseSent), columns);
    case promptCode:
      return promptPadding + Math.min(promptLines * proseLine + 24, proseHeight(characters, columns));
    case failedToolCode:
      return foldedHeight + whyHeight;
    case kindCodes.compaction:
    case kindCodes.summary:
      return compactionHeight;
    case kindCodes.step:
      return stepHeight;
    default:
      return foldedHeight;
  }
}

/** Heights of all parts before they are drawn, made once: the list asks for them again with every part it measures. `width` is that of the content column, px. */
export function estimateHeights(outline: Outline | null, width: number): Float32Array {
  const columns = Math.max(20, Math.min(proseColumn, Math.floor(width / characterWidth)));
  const heights = Float32Array.from({ length: outline?.total ?? 0 }, (_, index) => (outline ? estimateHeight(outline, index, columns) : foldedHeight));
  for (const index of outline?.diagnosed ?? []) heights[index] = (heights[index] ?? 0) + diagnosisHeight;
  return heights;
}
