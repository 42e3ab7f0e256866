import type { SearchHit } from '@shared/contract';
import { show } from '../../app/route';
import { foldPart } from '../timeline/acts';
import { useSession } from '../timeline/state';
import { markFound } from './found';
import { foundWords } from './snippet';

/** Kinds that are folded to a line until they are opened. */
const folded = new Set(['tool', 'reasoning', 'summary', 'compaction', 'command', 'notice', 'patch']);

/** Opens a hit at its part, unfolded, with the words marked. */
export function openHit(hit: SearchHit): void {
  show({ kind: 'session', session: hit.session, part: hit.part });
  revealHit(hit);
}

/** Frames to wait for the part to be drawn; a large session takes a few. */
const patience = 90;

/** Unfolds a hit's part and marks its words as soon as it is drawn; `everywhere` in all parts on the screen. */
export function revealHit(hit: SearchHit, everywhere?: string[]): void {
  const words = everywhere ?? foundWords(hit.snippet);
  let frames = 0;
  let opened = false;
  const look = () => {
    frames += 1;
    const part = document.querySelector(`.part[data-part="${CSS.escape(hit.part)}"]`);
    const { id, folds } = useSession.getState();
    if (part && id === hit.session) {
      if (!opened && (folded.has(hit.kind) || part.querySelector('.fold'))) {
        opened = true;
        if (!(folds.get(hit.part) ?? false)) foldPart(hit.part, true);
        requestAnimationFrame(look);
        return;
      }
      markFound(everywhere ? part.closest('.timeline-scroller') : part, words);
      return;
    }
    if (frames < patience) requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}
