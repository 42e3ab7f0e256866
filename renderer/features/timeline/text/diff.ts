import { html, parse } from 'diff2html';
import type { DiffFile } from 'diff2html/lib/types';
import DOMPurify from 'dompurify';
import { visibleControls } from '../../../ui/controls';

/**
 * Limits of one file's diff, beyond which drawing holds up the page for seconds: it is explained, and drawn when asked.
 * `hard` limits are those beyond which the page could die; there the raw record is the way.
 */
const softLines = 3_000;
const softChars = 256 * 1024;
const softLineChars = 5_000;
const hardLines = 40_000;
const hardChars = 4 * 1024 * 1024;

export type DiffSize = { ok: true } | { ok: false; why: string; drawable: boolean };

/** Whether a patch is drawn at once. */
export function sizeOf(patch: string): DiffSize {
  let lines = 0;
  let longest = 0;
  for (let at = 0; at < patch.length; lines += 1) {
    const end = patch.indexOf('\n', at);
    longest = Math.max(longest, (end < 0 ? patch.length : end) - at);
    if (end < 0) break;
    at = end + 1;
  }
  const drawable = lines <= hardLines && patch.length <= hardChars && longest <= hardChars / 40;
  if (lines > softLines) return { ok: false, why: `It has ${lines.toLocaleString('en-US')} lines.`, drawable };
  if (patch.length > softChars) return { ok: false, why: `It has ${Math.round(patch.length / 1024).toLocaleString('en-US')} kB.`, drawable };
  if (longest > softLineChars) return { ok: false, why: `It has a line of ${longest.toLocaleString('en-US')} characters.`, drawable };
  return { ok: true };
}

export type Diff = { kind: 'drawn'; html: string } | { kind: 'unreadable' } | { kind: 'nothing' };

/** True when the parser found lines; it draws "file without changes" for what it does not understand. */
export function hasLines(files: DiffFile[]): boolean {
  return files.some((file) => file.blocks.some((block) => block.lines.length > 0));
}

export const parsePatch = (patch: string): DiffFile[] => parse(patch, { diffMaxChanges: hardLines, diffMaxLineLength: hardChars });

/** HTML of a diff, line by line with changed words marked. A patch with text but no lines in it is an error, not an empty diff. */
export function drawDiff(patch: string): Diff {
  if (patch.trim() === '') return { kind: 'nothing' };
  const files = parsePatch(visibleControls(patch));
  if (!hasLines(files)) return { kind: 'unreadable' };
  const drawn = html(files, {
    drawFileList: false,
    outputFormat: 'line-by-line',
    matching: 'words',
    diffStyle: 'word',
    // Bounds on pairing of words: their cost grows with the square.
    matchingMaxComparisons: 1_000,
    maxLineSizeInBlockForComparison: 200,
    maxLineLengthHighlight: 2_000,
  });
  return { kind: 'drawn', html: DOMPurify.sanitize(drawn, { ALLOWED_TAGS: ['div', 'span', 'table', 'tbody', 'tr', 'td', 'ins', 'del', 'br'], ALLOWED_ATTR: ['class'], ALLOW_DATA_ATTR: false, ALLOW_ARIA_ATTR: false }) };
}
