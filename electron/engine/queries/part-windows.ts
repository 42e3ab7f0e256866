/** Characters of text that one window may bring, as far as the outline tells. */
const windowText = 2_000_000;
/** Parts of one window: pictures do not count as text and may be large. */
const windowParts = 64;
/** Characters that a part counts beside its text. */
const partOverhead = 500;

/** Parts that are read together: from, how many, and about how many characters they hold. */
export interface PartWindow {
  from: number;
  count: number;
  text: number;
}

/** Cuts a timeline into windows by the size classes of its outline: many small parts, or one large one. */
export function windowsOf(sizes: string): PartWindow[] {
  const windows: PartWindow[] = [];
  let open: PartWindow = { from: 0, count: 0, text: 0 };
  for (let at = 0; at < sizes.length; at++) {
    const text = 2 ** (sizes.charCodeAt(at) - 48) + partOverhead;
    if (open.count > 0 && (open.count >= windowParts || open.text + text > windowText)) {
      windows.push(open);
      open = { from: at, count: 0, text: 0 };
    }
    open.count++;
    open.text += text;
  }
  if (open.count > 0) windows.push(open);
  return windows;
}
