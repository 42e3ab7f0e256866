/** Keeping something at its place in a scrolled list while rows are drawn and measured. Whoever scrolls meanwhile is left alone. */

/** Rows come and are measured one after another; so long after the last change, ms, all are taken to be there. */
const settling = 500;
/** A list that never comes to rest, an engine that does not answer: so long, ms, and no longer. */
const limit = 10_000;
/** What the person does to go elsewhere. */
const leaving = ['wheel', 'pointerdown', 'keydown'] as const;

/** Keeps a list at a place; null while that is not laid out. Gives what ends it. */
export function holdAt(element: HTMLElement, goal: () => number | null, arrived: (top: number) => void): () => void {
  const begun = performance.now();
  let changed = begun;
  let set: { top: number; goal: number } | null = null;
  let frame = 0;
  const listening = new AbortController();
  const end = () => {
    cancelAnimationFrame(frame);
    listening.abort();
  };
  const leave = () => {
    end();
    arrived(element.scrollTop);
  };
  const follow = () => {
    const now = performance.now();
    const to = goal();
    // The list itself scrolls only when a height, and with it the goal, has changed.
    const scrolled = set !== null && to !== null && Math.abs(element.scrollTop - set.top) > 1 && Math.abs(to - set.goal) <= 1;
    if (to !== set?.goal || element.querySelector('.part-ghost')) changed = now;
    if (scrolled || now > changed + settling || now > begun + limit) return leave();
    if (to !== null) {
      if (Math.abs(element.scrollTop - to) > 1) element.scrollTop = to;
      set = { top: element.scrollTop, goal: to };
    }
    frame = requestAnimationFrame(follow);
  };
  for (const kind of leaving) element.addEventListener(kind, leave, { passive: true, signal: listening.signal });
  follow();
  return end;
}

/** Scrolls so that a row that grows is seen to its end, or from its beginning when it is higher than the list. Gives what ends it. */
export function followGrowth(element: HTMLElement, row: HTMLElement, above: number): () => void {
  let frame = 0;
  const listening = new AbortController();
  const show = () => {
    const frameOf = element.getBoundingClientRect();
    const { top, bottom } = row.getBoundingClientRect();
    const hidden = Math.min(bottom - frameOf.bottom, top - frameOf.top - above);
    if (hidden > 0) element.scrollTop += hidden;
  };
  const end = () => {
    observer.disconnect();
    clearTimeout(over);
    cancelAnimationFrame(frame);
    listening.abort();
  };
  // The list makes room for it in the frame after.
  const observer = new ResizeObserver(() => {
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(show);
  });
  const over = setTimeout(end, limit);
  observer.observe(row);
  if (row.parentElement) observer.observe(row.parentElement);
  // The key or click that opened it is still on its way. One that ended meanwhile listens no more.
  requestAnimationFrame(() => {
    for (const kind of leaving) element.addEventListener(kind, end, { passive: true, signal: listening.signal });
  });
  return end;
}
