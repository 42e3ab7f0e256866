import type { RevertFileView, RevertText } from '@shared/model';
import type { Content } from '../diff/content';
import { drawnHunk } from '../diff/hunks';
import { writePatch } from '../diff/patch-writer';
import { mergeBack } from './merge';
import { diskContent, type LookedFile } from './planned-files';

/** Characters of a patch, and of each of the three texts, that go over the link. */
const limits = { patch: 1_000_000, text: 200_000 };

/** One file with its lines. */
export function fileView({ file, planned, now, hunks, result }: LookedFile): RevertFileView {
  const disk = diskContent(now);
  const isConflict = file.state === 'conflict' || file.state === 'left alone';
  const before = planned.kept.content.state === 'unknown' ? result : planned.kept.content;
  const drawn = hunks?.map(drawnHunk) ?? null;
  const path = file.relative ?? file.path.replaceAll('\\', '/').replace(/^(?:[a-z]:)?\/+/i, '');
  const isDrawable = drawn !== null && file.kind !== 'none' && file.kind !== 'binary';
  const patch = isDrawable ? writePatch({ path, oldPath: null, kind: file.kind as 'edit', mode: null, hunks: drawn }) : null;
  const isLarge = patch !== null && patch.length > limits.patch;
  return {
    file, hunks: isLarge ? null : drawn, patch: isLarge ? null : patch, large: isLarge ? { chars: patch.length } : null,
    texts: isConflict ? { before: textOf(before), left: textOf(planned.left), now: textOf(disk) } : null,
    merge: file.state === 'conflict' ? mergeBack(before, planned.left, disk) : null,
  };
}

function textOf(content: Content): RevertText {
  const { state } = content;
  if (state !== 'text') return { state, text: null, size: 'bytes' in content ? content.bytes : null, cut: false };
  return { state, text: content.text.slice(0, limits.text), size: content.text.length, cut: content.text.length > limits.text };
}
