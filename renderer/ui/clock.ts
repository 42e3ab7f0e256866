import { create } from 'zustand';

/** The time that relative times are told from: one clock for all rows, so that a minute costs one render of what is on the screen. */
export const useNow = create<{ now: number }>(() => ({ now: Date.now() }));

/** Keeps the clock going; called once. A hidden page catches up when it is shown. */
export function startClock(): void {
  const tick = () => useNow.setState({ now: Date.now() });
  setInterval(() => {
    if (!document.hidden) tick();
  }, 30_000);
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) tick();
  });
}
