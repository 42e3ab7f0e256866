import type { Todo } from '@shared/model';
import type { SessionToWrite, WritePoint } from '../../store';
import { asJsonObject, asObject, asObjects, asText } from '../../foreign/fields';
import { dataText } from './data';
import type { Kept } from './kept';

/** The list of todos at a point: that of now for a fork of everything, else the last one the model wrote before. */
export function todosAt(session: SessionToWrite, { before }: WritePoint, kept: Kept): Todo[] {
  if (before === null && !kept.hidden) return session.facts.todos;
  for (const { parts } of kept.messages.toReversed()) {
    for (const part of parts.toReversed()) {
      if (part.type !== 'part/tool') continue;
      const todos = written(session.record(part.index));
      if (todos !== null) return todos;
    }
  }
  return [];
}

function written(line: Uint8Array): Todo[] | null {
  const text = dataText(line);
  // Most calls are others; only those that name the tool are parsed.
  if (text === null || !text.includes('todowrite')) return null;
  const data = asJsonObject(text);
  const state = asObject(data?.['state']);
  if (data?.['tool'] !== 'todowrite' || state?.['status'] !== 'completed') return null;
  const list = asObject(state['metadata'])?.['todos'] ?? asObject(state['input'])?.['todos'];
  return asObjects(list).map((todo) => ({ content: asText(todo['content']) ?? '', status: asText(todo['status']) ?? 'pending', priority: asText(todo['priority']) }));
}
