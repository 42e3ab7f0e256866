import { create } from 'zustand';

/** One short line that says what a key just did ("Copied 12 lines"); it goes by itself. */
export const useToast = create<{ text: string | null; shown: number }>(() => ({ text: null, shown: 0 }));

/** A line stays at least this long, and longer with its length, ms: a sentence that says why has to be read. */
const shortest = 2_500;
const perCharacter = 70;

let timer: ReturnType<typeof setTimeout> | undefined;

export function say(text: string): void {
  clearTimeout(timer);
  useToast.setState(({ shown }) => ({ text, shown: shown + 1 }));
  timer = setTimeout(() => useToast.setState({ text: null }), Math.max(shortest, text.length * perCharacter));
}
