import { assertNever, type ExportScope, type PartView } from '@shared/model';
import type { Redactor } from '../redaction/redactor';
import type { OpenedSession } from './opened-session';
import { type Piece, piecesOf } from './part-pieces';
import { codeSpan, fenced, plainLine, safeMarkdown } from './safe-markdown';
import { headFacts, headOf, maskedSentence, moment, scopeSentence, speaker, stateOf } from './told';

export interface Readable {
  sessions: readonly OpenedSession[];
  redactor: Redactor;
  scope: ExportScope;
  /** What was left out, in a sentence each. */
  left: readonly string[];
  /** `Retrace 0.1.0`. */
  by: string;
  step(): void;
}

/** A session as Markdown: two levels of headings, steps as short lines with their blocks, nothing active. */
export async function* markdownOf(readable: Readable): AsyncIterable<string> {
  const { sessions, redactor } = readable;
  for (const [at, session] of sessions.entries()) {
    const title = redactor.mask(session.detail.summary.title ?? 'Session without a title');
    yield at === 0 ? `# ${plainLine(title)}\n\n` : `\n---\n\n# Subagent: ${plainLine(title)}\n\n`;
    for (const [name, value] of headFacts(redactor.maskAll(headOf(session.detail)))) yield `- **${name}**: ${plainLine(value)}\n`;
    if (at === 0) for (const line of notes(readable)) yield `- ${plainLine(line)}\n`;
    yield '\n';
    let heading: string | null = null;
    let state = '';
    for await (const original of session.parts()) {
      readable.step();
      const part = redactor.maskAll(original);
      const pieces = piecesOf(part);
      if (pieces.length === 0) continue;
      if (groupOf(part) !== heading) {
        heading = groupOf(part);
        state = '';
        yield `## ${plainLine(headingOf(part))}\n\n`;
      }
      const now = part.injected || part.kind === 'tool' || part.kind === 'reasoning' ? '' : stateOf(part);
      if (now !== state && now !== '') yield `*${plainLine(now)}*\n\n`;
      state = now;
      for (const piece of pieces) yield `${pieceText(piece)}\n\n`;
    }
  }
}

const headingOf = (part: PartView): string => [speaker(part), moment(part.message.time ?? part.time)].filter((word) => word !== null).join(' · ');

/** What the agent put in stands under one heading, however many messages it was. */
export const groupOf = (part: PartView): string => (part.injected ? 'injected' : part.message.id);

/** What the reader is told of the file as a whole. */
export function notes({ scope, left, redactor, by }: Readable): string[] {
  const sentence = scopeSentence(scope);
  return [...(sentence === null ? [] : [sentence]), ...left, maskedSentence(redactor.count()), `Exported by ${by}.`];
}

function pieceText(piece: Piece): string {
  switch (piece.kind) {
    case 'prose':
      return safeMarkdown(piece.text);
    case 'plain':
      return `${piece.label === null ? '' : `${piece.label}:\n\n`}${fenced(piece.text, piece.language)}`;
    case 'fold':
      return [`**${plainLine(piece.label)}**${piece.note === '' ? '' : ` (${plainLine(piece.note)})`}`, ...piece.pieces.map(pieceText)].join('\n\n');
    case 'line':
      return `*${plainLine(piece.text)}*`;
    case 'image':
      return `*Picture (${plainLine(piece.mime)}, ${piece.bytes.toLocaleString('en-US')} bytes), not in this file*`;
    case 'diff':
      return `${codeSpan(piece.path)} ${piece.what}${piece.patch === null ? '' : `\n\n${fenced(piece.patch, 'diff')}`}`;
    case 'todos':
      return piece.todos.map(({ content, status }) => `- [${status === 'completed' ? 'x' : ' '}] ${plainLine(content)}${['completed', 'pending'].includes(status) ? '' : ` (${plainLine(status)})`}`).join('\n');
    default:
      return assertNever(piece, 'piece');
  }
}
