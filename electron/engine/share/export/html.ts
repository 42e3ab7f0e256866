import { assertNever, type PartView } from '@shared/model';
import { codeBlock, diffHtml, proseHtml, text } from './html-text';
import { groupOf, notes, type Readable } from './markdown';
import type { OpenedSession } from './opened-session';
import { type Piece, piecesOf } from './part-pieces';
import { style } from './html-style';
import { headFacts, headOf, moment, speaker, stateOf } from './told';

/** Nothing but the styles of the file and the pictures in it: no script, no request, no form, no frame. */
const policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

/** Pictures that a browser draws and that can hold no script. */
const drawn = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

/** A session as one file that opens anywhere, offline, without a script; what is long is folded. */
export async function* htmlOf(readable: Readable): AsyncIterable<string> {
  const { sessions, redactor, by } = readable;
  const [root] = sessions;
  const title = text(redactor.mask(root?.detail.summary.title ?? 'Session without a title'));
  yield `<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<meta http-equiv="Content-Security-Policy" content="${policy}">\n<meta name="referrer" content="no-referrer">\n`;
  yield `<meta name="viewport" content="width=device-width, initial-scale=1">\n<meta name="generator" content="${text(by)}">\n<title>${title}</title>\n<style>\n${style}</style>\n</head>\n<body>\n<main>\n`;
  const numbers = new Map(sessions.map(({ id }, at) => [id as string, at]));
  for (const [at, session] of sessions.entries()) {
    yield at === 0 ? `<h1>${title}</h1>\n` : `<h1 id="session-${at}" class="subagent">Subagent: ${text(redactor.mask(session.detail.summary.title ?? 'without a title'))}</h1>\n`;
    yield `<dl class="facts">\n${headFacts(redactor.maskAll(headOf(session.detail))).map(([name, value]) => `<dt>${name}</dt><dd>${text(value)}</dd>\n`).join('')}</dl>\n`;
    if (at === 0) yield `<ul class="notes">\n${notes(readable).map((line) => `<li>${text(line)}</li>\n`).join('')}</ul>\n`;
    yield* sessionHtml(session, readable, numbers);
  }
  yield '</main>\n</body>\n</html>\n';
}

async function* sessionHtml(session: OpenedSession, { redactor, step }: Readable, numbers: ReadonlyMap<string, number>): AsyncIterable<string> {
  let group: string | null = null;
  for await (const original of session.parts()) {
    step();
    const part = redactor.maskAll(original);
    const pieces = piecesOf(part);
    if (pieces.length === 0) continue;
    if (groupOf(part) !== group) {
      if (group !== null) yield '</section>\n';
      group = groupOf(part);
      yield `<section class="message ${part.message.role}${part.injected ? ' injected' : ''}">\n<h2>${text(speaker(part))}${when(part)}</h2>\n`;
    }
    const state = part.injected || part.kind === 'tool' || part.kind === 'reasoning' ? '' : stateOf(part);
    const child = original.tool?.child == null ? undefined : numbers.get(original.tool.child);
    yield `<div class="part${part.state === 'live' ? '' : ` ${part.state}`}">${state === '' ? '' : `<p class="state">${text(state)}</p>`}`;
    for (const piece of pieces) yield pieceHtml(piece, part);
    if (child !== undefined) yield `<p class="child"><a href="#session-${child}">What this subagent did</a></p>`;
    yield '</div>\n';
  }
  if (group !== null) yield '</section>\n';
}

const when = (part: PartView): string => {
  const time = moment(part.message.time ?? part.time);
  return time === null ? '' : ` <time>${text(time)}</time>`;
};

function pieceHtml(piece: Piece, part: PartView): string {
  switch (piece.kind) {
    case 'prose':
      // The person's words stand as they were typed.
      return part.message.role === 'user' && part.kind === 'text' && !part.injected ? `<div class="prompt">${text(piece.text)}</div>\n` : proseHtml(piece.text);
    case 'plain':
      return `${piece.label === null ? '' : `<h3>${text(piece.label)}</h3>`}${codeBlock(piece.text, piece.language)}`;
    case 'fold':
      return `<details${piece.failed ? ' class="failed"' : ''}><summary>${text(piece.label)}${piece.note === '' ? '' : ` <span class="soft">${text(piece.note)}</span>`}</summary>\n${piece.pieces.map((inner) => pieceHtml(inner, part)).join('')}</details>\n`;
    case 'line':
      return `<p class="line">${text(piece.text)}</p>\n`;
    case 'image':
      return imageHtml(piece);
    case 'diff':
      return `<h3><code>${text(piece.path)}</code> <span class="soft">${text(piece.what)}</span></h3>\n${piece.patch === null ? '' : diffHtml(piece.patch)}`;
    case 'todos':
      return `<ul class="todos">${piece.todos.map(({ content, status }) => `<li>${status === 'completed' ? '☑' : '☐'} ${text(content)}${['completed', 'pending'].includes(status) ? '' : ` <span class="soft">${text(status)}</span>`}</li>`).join('')}</ul>\n`;
    default:
      return assertNever(piece, 'piece');
  }
}

function imageHtml({ mime, data, bytes, name }: Extract<Piece, { kind: 'image' }>): string {
  const sound = data !== null && drawn.has(mime) && /^[A-Za-z0-9+/]+=*$/.test(data);
  if (!sound) return `<p class="line">Picture (${text(mime)}, ${bytes.toLocaleString('en-US')} bytes), not shown</p>\n`;
  return `<img src="data:${mime};base64,${data}" alt="${text(name)}">\n`;
}
