import type { MessageId, SessionDetail, SessionId } from '@shared/model';
import { show } from '../../app/route';
import { SessionMemory } from '../memory/SessionMemory';
import { visibleControls } from '../../ui/controls';
import { countOf, formatCount } from '../../ui/format';
import { Ago } from '../../ui/marks';
import { EditCounts } from '../timeline/parts/Meta';
import { TodoList } from '../timeline/parts/TodoList';
import { messagePart } from './message-part';
import { OverlayWork } from './OverlayWork';
import { Section } from './Section';

const listed = 100;

/** What was planned, and the states of files that were kept. */
export function Work({ detail }: { detail: SessionDetail }) {
  const { todos, checkpoints, revert, permissions } = detail;
  return (
    <>
      <Section title="Todos">{todos.length === 0 ? <p className="soft">The agent kept no todo list.</p> : <TodoList todos={todos} />}</Section>
      <OverlayWork session={detail.summary.id} />
      <SessionMemory session={detail.summary.id} />
      {revert && (
        <Section title="Pending revert">
          <p>{countOf(revert.hiddenMessages, 'message')} taken back, not final yet.</p>
          <ul className="notice-list">
            {revert.files.slice(0, listed).map((file) => (
              <li key={file.path}>
                <code className="break">{visibleControls(file.path)}</code> <EditCounts added={file.added} removed={file.removed} />
              </li>
            ))}
          </ul>
        </Section>
      )}
      <Section title="Checkpoints">
        {checkpoints.length === 0 ? (
          <p className="soft">No state of files was kept that could be gone back to.</p>
        ) : (
          <ul className="notice-list">
            {checkpoints.slice(0, listed).map((checkpoint) => (
              <li key={checkpoint.id}>
                <span className="edge-title">
                  <code className="one-line" title={checkpoint.id}>
                    {checkpoint.id.slice(0, 12)}
                  </code>
                  <span className="soft number">{checkpoint.files.length > 0 ? countOf(checkpoint.files.length, 'file') : ''}</span>
                  <Ago time={checkpoint.time} />
                </span>
                {checkpoint.note !== null && <span className="soft">{visibleControls(checkpoint.note)}</span>}
                {checkpoint.message !== null && <MessageLink session={detail.summary.id} message={checkpoint.message} />}
              </li>
            ))}
          </ul>
        )}
        {checkpoints.length > listed && <p className="soft">and {formatCount(checkpoints.length - listed)} more</p>}
      </Section>
      {permissions.length > 0 && (
        <Section title="Permissions">
          <ul className="notice-list">
            {permissions.slice(0, listed).map((rule, at) => (
              <li key={at}>
                <span>
                  {visibleControls(rule.action)} {visibleControls(rule.permission)} <code className="break">{visibleControls(rule.pattern)}</code>
                </span>
              </li>
            ))}
          </ul>
        </Section>
      )}
    </>
  );
}

function MessageLink({ session, message }: { session: SessionId; message: MessageId }) {
  return (
    <button type="button" className="text-button" onClick={() => show({ kind: 'session', session, part: messagePart(message) })}>
      The message it comes before
    </button>
  );
}
