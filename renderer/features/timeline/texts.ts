import { create } from 'zustand';
import type { ClippedText, PartId } from '@shared/model';
import { call, isAbandoned, reasonOf } from '../../rpc';
import { say } from '../../ui/toast';

export type Side = 'text' | 'input' | 'output' | 'raw';

interface Opened {
  /** What was asked for of the middle that did not come with the part. */
  middle: string;
  opened: boolean;
  loading: boolean;
}

/** Long texts that were opened by hand: kept here because a row that scrolls away is taken out of the page. */
export const useTexts = create<{ texts: Map<string, Opened> }>(() => ({ texts: new Map() }));

/** Characters asked for at once. */
const stretch = 200_000;
/** Opened texts kept; the oldest folds again. */
const openLimit = 40;

export const textKey = (part: PartId, side: Side): string => `${side}:${part}`;
const closed: Opened = { middle: '', opened: false, loading: false };

function set(key: string, change: Partial<Opened>): void {
  const texts = new Map(useTexts.getState().texts);
  const now = { ...(texts.get(key) ?? closed), ...change };
  texts.delete(key);
  texts.set(key, now);
  if (texts.size > openLimit) texts.delete(texts.keys().next().value ?? '');
  useTexts.setState({ texts });
}

/** Shows more of a text: all that came with the part, then the middle piece by piece. */
export async function showMore(part: PartId, side: Side, clipped: ClippedText): Promise<void> {
  const key = textKey(part, side);
  const { middle, loading } = useTexts.getState().texts.get(key) ?? closed;
  const { gap } = clipped;
  const left = gap ? gap.chars - middle.length : 0;
  if (!gap || left <= 0) {
    set(key, { opened: true });
    return;
  }
  if (loading) return;
  set(key, { loading: true });
  try {
    const window = await call('part.text', { part, side, from: gap.at + middle.length, count: Math.min(stretch, left) });
    set(key, { loading: false, opened: true, middle: middle + (window?.text ?? '') });
    if (!window?.text) say('The rest of this text is no longer there.');
  } catch (error) {
    set(key, { loading: false });
    if (!isAbandoned(error)) say(`The text could not be read: ${reasonOf(error)}`);
  }
}

/** Folds a text to head and tail again. */
export function showLess(part: PartId, side: Side): void {
  set(textKey(part, side), { opened: false, middle: '' });
}

/** A whole text, up to a bound, for the clipboard. */
export async function wholeText(part: PartId, side: Side): Promise<string | null> {
  const window = await call('part.text', { part, side, from: 0, count: 1_000_000 });
  return window?.text ?? null;
}
