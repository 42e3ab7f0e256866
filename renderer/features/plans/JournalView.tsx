import { type KeyboardEvent, useEffect, useState } from 'react';
import type { JournalEntry } from '@shared/model';
import { leaveAside, show } from '../../app/route';
import { Blank } from '../../ui/Blank';
import { visibleControls } from '../../ui/controls';
import { Failed } from '../../ui/Failed';
import { countOf, formatBytes, formatCount } from '../../ui/format';
import { AgentMark, Ago } from '../../ui/marks';
import { JournalEntryView } from './JournalEntryView';
import { isInTrash, isUnsettled, moreOfJournal, readJournal, useJournal } from './journal';
import { stateWords } from './words';

type Shown = 'all' | 'trash' | 'unsettled';

/** The middle of the page while one looks at what Retrace wrote: every plan that was applied, its diff, and its undo. */
export function JournalView({ entry: named }: { entry: string | null }) {
  const { entries, total, error, busy } = useJournal();
  const [shown, setShown] = useState<Shown>('all');
  useEffect(() => void readJournal(), []);
  if (entries === null && error !== null) {
    return (
      <Failed title="The journal could not be read" again={() => void readJournal()}>
        {error}
      </Failed>
    );
  }
  if (entries === null) return <Blank title="Reading the journal" />;
  const listed = entries.filter((entry) => shown === 'all' || (shown === 'trash' ? isInTrash(entry) : isUnsettled(entry)));
  const chosen = listed.find(({ id }) => id === named) ?? listed[0];
  return (
    <section className="journal" aria-label="Journal" aria-busy={busy}>
      <header className="settings-head">
        <div>
          <h1>What Retrace wrote</h1>
          <p role="status">{sentenceOf(entries, total)}</p>
        </div>
        <span className="settings-acts">
          <button type="button" className="button" onClick={leaveAside}>
            Close
          </button>
        </span>
      </header>
      {error !== null && (
        <p className="settings-problem" role="alert">
          What stands here is from before: {error}
        </p>
      )}
      {entries.length === 0 ? (
        <p className="soft journal-none">
          Nothing yet. A fork or a revert is planned from a message (<kbd>f</kbd>, <kbd>u</kbd>), shown whole, and written only when you say so; then it stands here with its undo.
        </p>
      ) : (
        <>
          <Filter entries={entries} shown={shown} choose={setShown} />
          {chosen ? (
            <div className="journal-columns">
              <EntryList entries={listed} chosen={chosen} more={entries.length < total} />
              <JournalEntryView key={chosen.id} entry={chosen} />
            </div>
          ) : (
            <p className="soft journal-none">{shown === 'trash' ? 'The trash is empty.' : 'Nothing waits to be settled.'}</p>
          )}
        </>
      )}
    </section>
  );
}

function sentenceOf(entries: readonly JournalEntry[], total: number): string {
  const backups = entries.reduce((sum, entry) => sum + entry.backups, 0);
  return `${countOf(total, 'entry', 'entries')}.${backups > 0 ? ` ${formatBytes(backups)} of backups are kept for undo.` : ''}`;
}

function Filter({ entries, shown, choose }: { entries: readonly JournalEntry[]; shown: Shown; choose(shown: Shown): void }) {
  const trash = entries.filter(isInTrash);
  const names: [Shown, string][] = [
    ['all', `All ${formatCount(entries.length)}`],
    ['trash', `Trash ${formatCount(trash.length)}${trash.length > 0 ? `, ${formatBytes(trash.reduce((sum, { backups }) => sum + backups, 0))}` : ''}`],
    ['unsettled', `To settle ${formatCount(entries.filter(isUnsettled).length)}`],
  ];
  return (
    <div className="journal-filter" role="group" aria-label="Which are shown">
      {names.map(([each, name]) => (
        <button key={each} type="button" className="chip" aria-pressed={shown === each} data-active={shown === each || undefined} onClick={() => choose(each)}>
          {name}
        </button>
      ))}
    </div>
  );
}

function EntryList({ entries, chosen, more }: { entries: readonly JournalEntry[]; chosen: JournalEntry; more: boolean }) {
  const choose = (id: string) => show({ kind: 'journal', entry: id }, { replace: true });
  const move = (event: KeyboardEvent<HTMLUListElement>) => {
    const at = entries.indexOf(chosen);
    const next = { ArrowDown: at + 1, j: at + 1, ArrowUp: at - 1, k: at - 1, Home: 0, End: entries.length - 1 }[event.key];
    const entry = entries[Math.max(0, Math.min(entries.length - 1, next ?? -1))];
    if (next === undefined || !entry || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    choose(entry.id);
    (event.currentTarget.children[entries.indexOf(entry)] as HTMLElement | undefined)?.focus();
  };
  return (
    <div className="journal-pane">
      <ul className="revert-list journal-list" role="listbox" aria-label="Plans" onKeyDown={move}>
        {entries.map((entry) => (
          <li key={entry.id} role="option" aria-selected={entry.id === chosen.id} tabIndex={entry.id === chosen.id ? 0 : -1} data-id={entry.id} onClick={() => choose(entry.id)}>
            <span className="revert-name">
              <span className="one-line" title={visibleControls(entry.title)}>
                {visibleControls(entry.title)}
              </span>
              <span className="soft one-line journal-line">
                {entry.agent && <AgentMark agent={entry.agent} />}
                <span data-tone={stateWords[entry.state].tone}>{stateWords[entry.state].word}</span>
                <Ago time={entry.applied} />
              </span>
            </span>
          </li>
        ))}
      </ul>
      {more && (
        <button type="button" className="button journal-more" onClick={() => void moreOfJournal()}>
          Show older
        </button>
      )}
    </div>
  );
}
