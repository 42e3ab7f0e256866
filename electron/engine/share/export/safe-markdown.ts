import MarkdownIt from 'markdown-it';
import { visibleControls } from '@shared/visible-controls';

/**
 * Markdown of a transcript is written by strangers, and an export is opened in whatever the reader has. So nothing in it
 * may be HTML, load a picture, lead anywhere but to the web or to mail, or reach beyond its own message. Most text goes
 * through as it is. A block with something active in it is changed so that it shows as it was typed; what came out is
 * read once more, and where that does not hold the whole text goes into a code block.
 */

/** A longer text, or one nested deeper, is not read as markdown: that could take seconds. */
const readable = 200_000;
const tooDeep = /^(?:[ \t]*>){40}/m;

const linkable = /^(?:https?:\/\/|mailto:)/i;

const parser = new MarkdownIt({ html: true, linkify: false });
// Links are to be seen here as any other reader would see them.
parser.validateLink = () => true;

type Token = ReturnType<typeof parser.parse>[number];
type Env = NonNullable<Parameters<typeof parser.parse>[1]>;

/** Only a text with one of these can hold a tag, a link, a picture, a heading or an open block: most need not be read. */
const special = /<|!\[|\](?=[([:])|^[ \t>*+\d.)-]*(?:`{3}|~{3}|#)/m;

/** Word behind a text, to see that nothing of it is still open. */
const sentinel = 'retrace end of text';

export function safeMarkdown(text: string): string {
  const shown = visibleControls(text.toWellFormed()).replace(/\r\n?/g, '\n').trim();
  if (shown.length > readable || tooDeep.test(shown)) return fenced(shown);
  if (!special.test(shown)) return shown;
  const changed = defused(shown);
  return isSafe(changed) ? changed : fenced(shown);
}

/** Text in a code block that it cannot leave. */
export function fenced(text: string, language = ''): string {
  const shown = visibleControls(text.toWellFormed()).replace(/\r\n?/g, '\n').replace(/\n$/, '');
  const longest = (shown.match(/`{3,}/g) ?? []).reduce((length, run) => Math.max(length, run.length), 2);
  const fence = '`'.repeat(longest + 1);
  return `${fence}${/^[\w+#.-]{1,30}$/.test(language) ? language : ''}\n${shown}\n${fence}`;
}

/** One line of plain text: nothing in it means anything to markdown. */
export function plainLine(text: string): string {
  return visibleControls(text.toWellFormed()).replace(/\s+/g, ' ').trim().replace(/[\\`*_{}[\]<>|#!&]|~(?=~)/g, '\\$&').replace(/^([-+]|\d+[.)])/, '\\$1');
}

/** Text on one line in code. */
export function codeSpan(text: string): string {
  const shown = visibleControls(text.toWellFormed()).replace(/\s+/g, ' ').trim();
  if (shown === '') return '';
  const longest = (shown.match(/`+/g) ?? []).reduce((length, run) => Math.max(length, run.length), 0);
  const ticks = '`'.repeat(longest + 1);
  const blank = shown.startsWith('`') || shown.endsWith('`') ? ' ' : '';
  return `${ticks}${blank}${shown}${blank}${ticks}`;
}

function defused(text: string): string {
  const lines = text.split('\n');
  for (const token of parser.parse(text, {})) {
    if (!token.map) continue;
    const [from, to] = token.map;
    if (token.type === 'html_block' || (token.type === 'inline' && looksActive(token))) {
      const changed = escapeActive(lines.slice(from, to).join('\n')).split('\n');
      lines.splice(from, to - from, ...changed);
    }
    // The export has two levels of headings of its own.
    if (token.type === 'heading_open' && token.markup.startsWith('#')) lines[from] = (lines[from] ?? '').replace(/#{1,6}/, (marks) => '#'.repeat(Math.min(6, marks.length + 2)));
  }
  // A definition would make links of words in other messages.
  const result = lines.join('\n');
  const env: Env = {};
  parser.parse(result, env);
  return Object.keys(env.references ?? {}).length === 0 ? result : result.replace(/^([ \t>*+-]*)\[(?=[^\]\n]{1,999}\]:)/gm, '$1\\[');
}

/** What looks like a tag to a reader that is less strict. */
const tagLike = /<(?!https?:)[A-Za-z/!?]/;

const isActive = (token: Token): boolean =>
  (token.children ?? []).some(
    (child) => child.type === 'html_inline' || child.type === 'image' || (child.type === 'link_open' && !linkable.test(String(child.attrGet('href') ?? ''))),
  );

const looksActive = (token: Token): boolean => isActive(token) || (token.children ?? []).some((child) => child.type === 'text' && tagLike.test(child.content));

/** Outside of code: tags, pictures and links lose what makes them such. */
function escapeActive(block: string): string {
  return block.split(/((?<!`)(`+)(?!`)[\s\S]*?(?<!`)\2(?!`))/).filter((_piece, at) => at % 3 !== 2).map((piece, at) => (at % 2 === 1 ? piece : escapePiece(piece))).join('');
}

const escapePiece = (text: string): string => text.replace(/<(?=(?!https?:)[A-Za-z/!?])/g, '\\<').replace(/!\[/g, '!\\[').replace(/\](?=[([])/g, '\\]').replace(/\[(?=[^\]\n]{1,999}\]:)/g, '\\[');

function isSafe(text: string): boolean {
  const env: Env = {};
  const tokens = parser.parse(`${text}\n\n${sentinel}`, env);
  const last = tokens.at(-2);
  const isClosed = last?.type === 'inline' && last.content === sentinel && tokens.at(-1)?.level === 0;
  return isClosed && Object.keys(env.references ?? {}).length === 0 && tokens.every((token) => token.type !== 'html_block' && (token.type !== 'inline' || !isActive(token)));
}
