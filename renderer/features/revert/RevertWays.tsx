import { Check, Minus } from 'lucide-react';
import type { PendingRevert, RevertAction, RevertConversation, RevertPreview } from '@shared/model';
import { visibleControls } from '../../ui/controls';
import { countOf, formatCount, formatShort } from '../../ui/format';
import { DiffView } from '../timeline/parts/DiffView';
import { showPart } from '../timeline/session';
import { closeRevert } from './state';
import { actionWords } from './words';

/** What each way back would do to conversation and files. */
export function RevertWays({ preview: { actions, conversation, pending, notes } }: { preview: RevertPreview }) {
  return (
    <section className="revert-ways" aria-label="Ways back" tabIndex={0}>
      {pending && <Pending pending={pending} />}
      <h3>Ways back</h3>
      <ul>
        {actions.map((action) => (
          <Way key={`${action.by} ${action.kind}`} action={action} />
        ))}
      </ul>
      <h3>Conversation</h3>
      <Conversation conversation={conversation} />
      {notes.length > 0 && (
        <>
          <h3>What is not known</h3>
          {notes.map((note) => (
            <p key={note} className="soft">
              {visibleControls(note)}
            </p>
          ))}
        </>
      )}
    </section>
  );
}

function Way({ action: { kind, by, available, refused, conversation, files } }: { action: RevertAction }) {
  return (
    <li className="revert-way" data-available={available || undefined}>
      <h4>
        {available ? <Check size={13} aria-label="possible" /> : <Minus size={13} aria-label="not possible" />} {actionWords[kind]} <span className="soft">{by === 'agent' ? 'agent' : 'Retrace'}</span>
      </h4>
      {refused !== null && <p>{refused}</p>}
      {(available || by === 'retrace') && (
        <>
          <p className="soft">{conversation}</p>
          <p className="soft">{files}</p>
        </>
      )}
    </li>
  );
}

function Conversation({ conversation: { turns, messages, prompts, kept } }: { conversation: RevertConversation }) {
  const go = (index: number) => {
    closeRevert();
    void showPart(index);
  };
  return (
    <>
      <p>
        {turns === 0 ? 'Nothing of it would be taken back.' : `${countOf(turns, 'turn')} with ${countOf(messages, 'message')} would be taken back.`}{' '}
        {kept && (kept.parts === 0 ? 'The model would get nothing of what was said before.' : `The model would still get ${countOf(kept.parts, 'part')}, ${kept.estimated ? 'about ' : ''}${formatShort(kept.tokens)} tokens.`)}
      </p>
      <ol className="size-list">
        {prompts.map(({ message, index, turn, title }) => (
          <li key={message}>
            <button type="button" className="text-button one-line" title={visibleControls(title)} onClick={() => go(index)}>
              {turn} · {visibleControls(title)}
            </button>
          </li>
        ))}
      </ol>
      {prompts.length < turns && <p className="soft">and {formatCount(turns - prompts.length)} more</p>}
    </>
  );
}

function Pending({ pending: { hiddenMessages, files, diff, diffCut } }: { pending: PendingRevert }) {
  const sum = (side: 'added' | 'removed') => files.reduce((total, file) => total + file[side], 0);
  return (
    <div className="revert-pending" role="note">
      <h3>A revert is pending</h3>
      <p>
        The agent hid {countOf(hiddenMessages, 'message')} and took {countOf(files.length, 'file')} back. The next prompt makes it final.
      </p>
      {diff !== null && diff.trim() !== '' && (
        <details>
          <summary>Its own diff</summary>
          <DiffView edit={{ path: 'from the work to its undoing', kind: 'edit', added: sum('added'), removed: sum('removed'), patch: diff }} verb={diffCut ? 'the beginning' : ''} />
        </details>
      )}
    </div>
  );
}
