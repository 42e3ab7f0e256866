import { ChevronDown, ChevronUp, X } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { create } from 'zustand';
import { useLink } from '../../rpc';
import { formatCount } from '../../ui/format';
import { markFound } from '../search/found';
import { revealHit } from '../search/open';
import { makeSearch, waitingForLink } from '../search/results';
import { foundWords } from '../search/snippet';
import { readingAt, showPart } from './session';
import { useSession } from './state';

/** The contract's most for one answer: a find walks through all hits it has. */
const findPage = 200;
const find = makeSearch(() => useSession.getState().id, findPage);
/** `from`: the part one was reading when the bar was opened, or the hit gone to last; what is typed on is looked for from there. */
const useFind = create<{ open: boolean; asked: number; from: number }>(() => ({ open: false, asked: 0, from: 0 }));

/** Opens the bar, or puts the cursor back into it. */
export function openFind(): void {
  if (useSession.getState().id) useFind.setState(({ asked }) => ({ open: true, asked: asked + 1, from: readingAt() }));
}

export function closeFind(): void {
  if (!useFind.getState().open) return;
  useFind.setState({ open: false });
  find.type('');
  markFound(null, []);
}

/** Hits in the order of the session, not by rank: one walks through it. `0` takes the first at or after where one reads. */
function goToHit(direction: 1 | 0 | -1): void {
  const hits = ordered();
  if (hits.length === 0) return;
  const from = direction === 0 ? useFind.getState().from : readingAt();
  const next = direction === 0 ? hits.find((hit) => hit.index >= from) : direction > 0 ? hits.find((hit) => hit.index > from) : hits.findLast((hit) => hit.index < from);
  const goal = next ?? (direction < 0 ? hits.at(-1) : hits[0]);
  if (!goal) return;
  if (direction !== 0) useFind.setState({ from: goal.index });
  const words = [...new Set(find.use.getState().hits.flatMap((hit) => foundWords(hit.snippet)))];
  void showPart(goal.index).then(() => revealHit(goal, words));
}

/** One for each part: input and output of a step are hits of their own, but one walks through parts. */
const ordered = () => [...new Map(find.use.getState().hits.toReversed().map((hit) => [hit.index, hit])).values()].sort((a, b) => a.index - b.index);

/** Find in session: the same search, held to one session, walked in its order. */
export function FindBar() {
  const { open, asked } = useFind();
  const { id, current } = useSession();
  const { query, answer, busy, hits } = find.use();
  const linked = useLink((link) => link.state === 'open');
  const input = useRef<HTMLInputElement>(null);

  useEffect(() => {
    if (!open) return;
    input.current?.focus();
    input.current?.select();
  }, [open, asked]);
  useEffect(() => closeFind, [id]);
  // Only a new answer moves: walking through the hits does not.
  useEffect(
    () =>
      find.use.subscribe((now, before) => {
        if (now.answer !== before.answer && now.hits.length > 0) goToHit(0);
      }),
    [],
  );

  if (!open) return null;
  const walked = ordered();
  const at = walked.findIndex((hit) => hit.index === current);
  const status = query.trim() === '' ? '' : busy ? (linked ? 'Searching' : waitingForLink) : answer === null ? '' : hits.length === 0 ? 'Not in this session' : `${at < 0 ? '' : `${formatCount(at + 1)} of `}${formatCount(walked.length)}${answer.total > hits.length ? '+' : ''}`;
  return (
    <div className="find-bar" role="search" aria-label="Find in session">
      <input
        ref={input}
        type="text"
        aria-label="Find in this session"
        placeholder="Find in this session"
        autoComplete="off"
        spellCheck={false}
        value={query}
        onChange={(event) => find.type(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' || event.key === 'ArrowDown' || event.key === 'ArrowUp') {
            event.preventDefault();
            goToHit(event.key === 'ArrowUp' || event.shiftKey ? -1 : 1);
          } else if (event.key === 'Escape') {
            event.stopPropagation();
            closeFind();
          }
        }}
      />
      <span className="soft number" role="status">
        {status}
      </span>
      <button type="button" className="bare-icon" aria-label="Previous hit" onClick={() => goToHit(-1)}>
        <ChevronUp size={14} aria-hidden />
      </button>
      <button type="button" className="bare-icon" aria-label="Next hit" onClick={() => goToHit(1)}>
        <ChevronDown size={14} aria-hidden />
      </button>
      <button type="button" className="bare-icon" aria-label="Close" onClick={closeFind}>
        <X size={14} aria-hidden />
      </button>
    </div>
  );
}
