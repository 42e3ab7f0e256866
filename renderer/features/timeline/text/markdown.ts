import MarkdownIt from 'markdown-it';
import { visibleControls } from '../../../ui/controls';

/**
 * Markdown of a transcript is written by strangers: no raw HTML (it is shown as text), no picture is fetched (a remote
 * one tells its sender who reads), links lead to the web or to mail only. What comes out is cleaned once more by an
 * allow list, so that a fault in one of the two does no harm.
 */

/** Above this many characters a text is shown as plain text, unless asked otherwise: drawing it could take seconds. */
export const markdownLimit = 200_000;

const linkable = /^(?:https?:\/\/|mailto:)/i;

const parser = new MarkdownIt({ html: false, linkify: true, breaks: false, typographer: false });
// The parser decides on the decoded address, as a browser would read it; relative addresses lead nowhere here.
parser.validateLink = (address) => linkable.test(address.trim());
// Only addresses written with their scheme: `a.b` in a sentence about code is no link.
parser.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });

const { escapeHtml } = parser.utils;

parser.renderer.rules['link_open'] = (tokens, at, options, _env, self) => {
  const token = tokens[at];
  const address = token?.attrGet('href');
  token?.attrSet('target', '_blank');
  token?.attrSet('rel', 'noreferrer');
  if (address) token?.attrSet('title', String(address));
  return self.renderToken(tokens, at, options);
};

parser.renderer.rules['image'] = (tokens, at) => {
  const token = tokens[at];
  const address = token?.attrGet('src') ?? '';
  return `<span class="blocked-image">picture not loaded: ${escapeHtml(token?.content ?? '')} <code>${escapeHtml(String(address))}</code></span>`;
};

const codeBlock = (text: string, info: string): string => {
  const language = /^[\w+#.-]{1,30}/.exec(info.trim())?.[0] ?? '';
  return `<pre${language ? ` data-language="${escapeHtml(language)}"` : ''}><code>${escapeHtml(text)}</code></pre>`;
};
parser.renderer.rules['fence'] = (tokens, at) => codeBlock(tokens[at]?.content ?? '', tokens[at]?.info ?? '');
parser.renderer.rules['code_block'] = (tokens, at) => codeBlock(tokens[at]?.content ?? '', '');

// A transcript's first heading is not the page's first heading.
const lowered = (tag: string): string => tag.replace(/^h([1-6])$/, (_whole, level: string) => `h${Math.min(6, Number(level) + 2)}`);
parser.core.ruler.push('lower_headings', (state) => {
  for (const token of state.tokens) token.tag = lowered(token.tag);
});

/** The parser leaves out what is nested deeper than it follows; such a text is shown as it is. */
const tooDeep = /^(?:[ \t]*>){40}/m;

/** Whether a text can be drawn as markdown at all. */
export const isPlain = (text: string): boolean => text.length > markdownLimit || tooDeep.test(text);

/** HTML of a text, not cleaned yet (see `prose.ts`): apart from it so that it can be tested without a document. */
export const parseMarkdown = (text: string): string => parser.render(visibleControls(text));
