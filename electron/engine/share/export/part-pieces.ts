import { assertNever, type FileEdit, type PartView, type Todo } from '@shared/model';
import { stateOf, toolOutcome, toolTitle } from './told';

/** What a readable export makes of a part, the same for Markdown and HTML. */
export type Piece =
  | { kind: 'prose'; text: string }
  /** As it was typed or printed. */
  | { kind: 'plain'; label: string | null; language: string; text: string }
  | { kind: 'fold'; label: string; note: string; failed: boolean; pieces: Piece[] }
  | { kind: 'line'; text: string }
  | { kind: 'image'; mime: string; data: string | null; bytes: number; name: string }
  | { kind: 'diff'; path: string; what: string; patch: string | null }
  | { kind: 'todos'; todos: Todo[] };

/** Pieces of a part; none for one that has nothing to read (where a request began). */
export function piecesOf(part: PartView): Piece[] {
  const text = part.text?.text ?? '';
  const note = stateOf(part);
  switch (part.kind) {
    case 'text':
      if (text.trim() === '') return [];
      return part.injected || part.message.role === 'system' ? [fold(part.title ?? firstLine(text), '', [{ kind: 'prose', text }])] : [{ kind: 'prose', text }];
    case 'reasoning':
      return text.trim() === '' ? [] : [fold('Reasoning', note, [{ kind: 'prose', text }])];
    case 'tool':
      return [tool(part, note)];
    case 'file':
      return file(part);
    case 'patch':
      return [{ kind: 'line', text: `Files changed: ${part.title ?? text}` }];
    case 'compaction':
      return [{ kind: 'line', text: `Compaction${part.title ? `: ${part.title}` : ''}` }, ...(text.trim() === '' ? [] : [fold('Summary', '', [{ kind: 'prose', text } as const])])];
    case 'summary':
      return text.trim() === '' ? [] : [fold('Summary', '', [{ kind: 'prose', text }])];
    case 'command':
      return [{ kind: 'plain', label: 'Command', language: '', text: text || (part.title ?? '') }];
    case 'notice':
      return part.title !== null && text.trim() !== '' && text.trim() !== part.title ? [fold(part.title, '', [{ kind: 'plain', label: null, language: '', text }])] : [{ kind: 'line', text: part.title ?? text }];
    case 'step':
      return [];
    default:
      return assertNever(part.kind, 'part kind');
  }
}

const firstLine = (text: string): string => (text.trim().split('\n', 1)[0] ?? '').slice(0, 120);

const fold = (label: string, note: string, pieces: Piece[], failed = false): Piece => ({ kind: 'fold', label, note, failed, pieces });

function tool(part: PartView, state: string): Piece {
  const { tool: view } = part;
  if (!view) return { kind: 'line', text: part.title ?? 'A step whose record could not be read.' };
  const shell = view.family === 'shell';
  const pieces: Piece[] = [];
  if (view.note !== null) pieces.push({ kind: 'line', text: view.note });
  if (view.todos.length > 0) pieces.push({ kind: 'todos', todos: view.todos });
  // What an edit did is told by its lines.
  else if (view.edits.length === 0 || view.edits.every(({ patch }) => patch === null)) {
    const input = view.input?.text ?? '';
    if (input !== '') pieces.push({ kind: 'plain', label: shell ? 'Command' : 'Input', language: shell ? 'bash' : input.startsWith('{') || input.startsWith('[') ? 'json' : '', text: input });
  }
  for (const edit of view.edits) pieces.push({ kind: 'diff', path: edit.path, what: whatOf(edit), patch: edit.patch });
  const output = view.output?.text ?? '';
  if (output !== '') pieces.push({ kind: 'plain', label: 'Output', language: '', text: output });
  for (const image of view.images) pieces.push({ kind: 'image', mime: image.mime, data: image.data, bytes: image.bytes, name: 'picture' });
  const failed = ['error', 'denied', 'interrupted'].includes(view.status);
  return fold(toolTitle(part), [toolOutcome(part), state].filter((word) => word !== '').join(' · '), pieces, failed);
}

const whatOf = ({ kind, added, removed }: FileEdit): string => `${{ create: 'created', edit: 'edited', delete: 'deleted', rename: 'renamed' }[kind]}, +${added} −${removed}`;

function file({ file: view, title, text }: PartView): Piece[] {
  const name = view?.name ?? title ?? 'attachment';
  return [
    { kind: 'line', text: `Attachment: ${name}${view?.mime ? ` (${view.mime})` : ''}` },
    ...(view?.image ? [{ kind: 'image', mime: view.image.mime, data: view.image.data, bytes: view.image.bytes, name } as const] : []),
    ...(text && text.text !== '' ? [fold('Content', '', [{ kind: 'plain', label: null, language: '', text: text.text } as const])] : []),
  ];
}
