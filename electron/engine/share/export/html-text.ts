import hljs from 'highlight.js/lib/common';
import MarkdownIt from 'markdown-it';
import { visibleControls } from '@shared/visible-controls';

/** HTML of texts: whatever they hold becomes text, and links lead to the web or to mail only. The file's policy forbids all else once more. */

const readable = 200_000;
const tooDeep = /^(?:[ \t]*>){40}/m;
/** Code above this many characters is not coloured. */
const coloured = 50_000;
const linkable = /^(?:https?:\/\/|mailto:)/i;

const parser = new MarkdownIt({ html: false, linkify: true, breaks: false, typographer: false });
parser.validateLink = (address) => linkable.test(address.trim());
parser.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
const { escapeHtml } = parser.utils;

parser.renderer.rules['link_open'] = (tokens, at, options, _env, self) => {
  tokens[at]?.attrSet('rel', 'noreferrer noopener');
  return self.renderToken(tokens, at, options);
};
parser.renderer.rules['image'] = (tokens, at) => {
  const token = tokens[at];
  return `<span class="blocked">picture not loaded: ${escapeHtml(token?.content ?? '')} <code>${escapeHtml(String(token?.attrGet('src') ?? ''))}</code></span>`;
};
parser.renderer.rules['fence'] = (tokens, at) => codeBlock(tokens[at]?.content ?? '', tokens[at]?.info ?? '');
parser.renderer.rules['code_block'] = (tokens, at) => codeBlock(tokens[at]?.content ?? '', '');
parser.core.ruler.push('lower_headings', (state) => {
  for (const token of state.tokens) token.tag = token.tag.replace(/^h([1-6])$/, (_whole, level: string) => `h${Math.min(6, Number(level) + 2)}`);
});

/** Text as text. */
export const text = (value: string): string => escapeHtml(visibleControls(value.toWellFormed()));

export function proseHtml(value: string): string {
  if (value.length > readable || tooDeep.test(value)) return `<pre class="plain">${text(value)}</pre>\n`;
  return `<div class="prose">${parser.render(visibleControls(value.toWellFormed()))}</div>\n`;
}

/** A block of code; its tab stop lets it be scrolled by keyboard. */
export function codeBlock(value: string, info: string): string {
  const language = /^[\w+#.-]{1,30}/.exec(info.trim())?.[0] ?? '';
  return `<pre tabindex="0"><code>${colouredCode(visibleControls(value.toWellFormed()), language)}</code></pre>\n`;
}

function colouredCode(value: string, language: string): string {
  if (language === '' || value.length > coloured || !hljs.getLanguage(language)) return escapeHtml(value);
  return hljs.highlight(value, { language, ignoreIllegals: true }).value;
}

/** Lines of a difference: the sign stays, the shade helps. */
export function diffHtml(patch: string): string {
  const lines = visibleControls(patch.toWellFormed()).split('\n').map((line) => {
    const sign = /^(?:\+\+\+|---|@@|diff |index )/.test(line) ? 'meta' : line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : null;
    return sign === null ? escapeHtml(line) : `<span class="${sign}">${escapeHtml(line)}</span>`;
  });
  return `<pre class="diff" tabindex="0"><code>${lines.join('\n')}</code></pre>\n`;
}
