import { Check, Circle, CircleDot, X } from 'lucide-react';
import type { Todo } from '@shared/model';
import { visibleControls } from '../../../ui/controls';

function sign(status: string) {
  if (/^(completed|done)$/.test(status)) return <Check size={13} aria-hidden />;
  if (/progress|running|active/.test(status)) return <CircleDot size={13} aria-hidden />;
  if (/cancel/.test(status)) return <X size={13} aria-hidden />;
  return <Circle size={13} aria-hidden />;
}

/** A plan of work as a checklist; each line says its state in words too. */
export function TodoList({ todos }: { todos: Todo[] }) {
  return (
    <ul className="todos">
      {todos.map((todo, at) => (
        <li key={at} data-status={todo.status}>
          {sign(todo.status)}
          <span className="unseen">{todo.status.replaceAll('_', ' ')}:</span>
          <span>{visibleControls(todo.content)}</span>
          {todo.priority !== null && <span className="soft">{todo.priority}</span>}
        </li>
      ))}
    </ul>
  );
}
