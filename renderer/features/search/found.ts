/** Marks found words where they stand in the page, without touching the page's elements. */

const most = 200;

function rangesOf(root: Element, words: string[]): Range[] {
  const ranges: Range[] = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node && ranges.length < most; node = walker.nextNode()) {
    const text = (node.nodeValue ?? '').toLowerCase();
    for (const word of words) {
      for (let at = text.indexOf(word); at >= 0 && ranges.length < most; at = text.indexOf(word, at + word.length)) {
        const range = new Range();
        range.setStart(node, at);
        range.setEnd(node, at + word.length);
        ranges.push(range);
      }
    }
  }
  return ranges;
}

/** Marks words inside an element, in place of what was marked before. Browsers without highlights go without. */
export function markFound(root: Element | null, words: string[]): void {
  if (typeof Highlight === 'undefined') return;
  const wanted = words.filter((word) => word.trim() !== '');
  if (!root || wanted.length === 0) CSS.highlights.delete('found');
  else CSS.highlights.set('found', new Highlight(...rangesOf(root, wanted)));
}
