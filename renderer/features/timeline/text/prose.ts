import DOMPurify, { type Config } from 'dompurify';
import { parseMarkdown } from './markdown';

/** The second fence around markdown: what the parser may write, and nothing else. */
const allowed: Config = {
  ALLOWED_TAGS: [
    'p', 'br', 'hr', 'h3', 'h4', 'h5', 'h6', 'strong', 'em', 's', 'code', 'pre', 'blockquote', 'ul', 'ol', 'li', 'a', 'span', 'table', 'thead', 'tbody', 'tr', 'th', 'td',
  ],
  ALLOWED_ATTR: ['href', 'target', 'rel', 'title', 'start', 'class', 'data-language', 'style'],
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  ALLOWED_URI_REGEXP: /^(?:https?:\/\/|mailto:)/i,
  // The pattern above is applied to every attribute that is not named here.
  ADD_URI_SAFE_ATTR: ['target', 'rel', 'start', 'data-language'],
};

const purifier = DOMPurify(window);
purifier.addHook('uponSanitizeAttribute', (_node, data) => {
  // The alignment of a column is the one style the parser writes, the mark of a blocked picture the one class.
  if (data.attrName === 'style' && !/^text-align:(left|right|center)$/.test(data.attrValue)) data.keepAttr = false;
  if (data.attrName === 'class' && data.attrValue !== 'blocked-image') data.keepAttr = false;
});

/** Drawn texts kept, by text: rows of a virtual list are drawn again and again. */
const cacheLimit = 300;
const cache = new Map<string, string>();

/** Safe HTML of markdown. */
export function renderMarkdown(text: string): string {
  const kept = cache.get(text);
  if (kept !== undefined) return kept;
  const html = purifier.sanitize(parseMarkdown(text), allowed);
  cache.set(text, html);
  if (cache.size > cacheLimit) cache.delete(cache.keys().next().value ?? '');
  return html;
}
