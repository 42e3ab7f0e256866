/** Marks found words where they stand in the page, without touching the page's elements. */

/** Marks kept at once; what one reads has fewer. */
const most = 1_000;
/** Words do not go on from one of these to the next. */
const blocks = 'pre, p, li, td, th, div, h1, h2, h3, h4, h5, h6, button, article';

/** A text node, and where it begins in the text of all of them. */
interface Stretch {
  node: Text;
  begins: number;
}

/** The text under an element in lower case: coloured code cuts words into several nodes. */
function textUnder(root: Element): { text: string; stretches: Stretch[] } {
  const stretches: Stretch[] = [];
  let text = '';
  let block: Element | null = null;
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (!(node instanceof Text)) continue;
    const lower = node.data.toLowerCase();
    const around = node.parentElement?.closest(blocks) ?? null;
    if (around !== block) text += '\n';
    block = around;
    stretches.push({ node, begins: text.length });
    // A letter whose lower case is longer would shift what follows.
    text += lower.length === node.data.length ? lower : node.data;
  }
  return { text, stretches };
}

function rangesOf(root: Element, words: string[]): Range[] {
  const { text, stretches } = textUnder(root);
  const ranges: Range[] = [];
  for (const word of words) {
    let stretch = 0;
    const placeAt = (at: number, ends: boolean): [Text, number] | null => {
      while (stretch + 1 < stretches.length && (stretches[stretch + 1]?.begins ?? 0) + (ends ? 0 : -1) < at) stretch += 1;
      const found = stretches[stretch];
      return found && at - found.begins <= found.node.length ? [found.node, at - found.begins] : null;
    };
    for (let at = text.indexOf(word); at >= 0 && ranges.length < most; at = text.indexOf(word, at + word.length)) {
      const start = placeAt(at, false);
      const end = placeAt(at + word.length, true);
      if (!start || !end) continue;
      const range = new Range();
      range.setStart(...start);
      range.setEnd(...end);
      ranges.push(range);
    }
  }
  return ranges;
}

let watching: MutationObserver | undefined;

/**
 * Marks words inside an element, in place of what was marked before, and again whenever what is in it is drawn anew:
 * code is coloured late, and rows come and go. Browsers without highlights go without.
 */
export function markFound(root: Element | null, words: string[]): void {
  if (typeof Highlight === 'undefined') return;
  watching?.disconnect();
  const wanted = words.map((word) => word.toLowerCase()).filter((word) => word.trim() !== '');
  if (!root || wanted.length === 0) {
    CSS.highlights.delete('found');
    return;
  }
  const mark = () => CSS.highlights.set('found', new Highlight(...rangesOf(root, wanted)));
  let waits = false;
  watching = new MutationObserver(() => {
    if (waits) return;
    waits = true;
    const mine = watching;
    requestAnimationFrame(() => {
      waits = false;
      if (mine === watching) mark();
    });
  });
  watching.observe(root, { childList: true, subtree: true, characterData: true });
  mark();
}
