import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import type { JournalEntry } from '@shared/model';
import { leaveAside, show } from '../../app/route';
import { Blank } from '../../ui/Blank';
import { visibleControls } from '../../ui/controls';
import { Failed } from '../../ui/Failed';
import { countOf, formatBytes, formatCount } from '../../ui/format';
import { AgentMark, Ago } from '../../ui/marks';
import { JournalEntryView } from './JournalEntryView';
import { type JournalList, readJournal, type Shown, useJournal } from './journal';
import { kindWords, stateWords } from './words';

/** The middle of the page while one looks at what Retrace wrote: every plan that was applied, its diff, and its undo. */
export function JournalView({ entry: named }: { entry: string | null }) {
  const { lists, error, busy } = useJournal();
  const [shown, setShown] = useState<Shown>('all');
  useEffect(() => void readJournal(), []);
  if (lists === null && error !== null) {
    return (
      <Failed title="The journal could not be read" again={() => void readJournal()}>
        {error}
      </Failed>
    );
  }
  if (lists === null) return <Blank title="Reading the journal" />;
  const { entries, total } = lists[shown];
  const chosen = entries.find(({ id }) => id === named) ?? entries[0];
  return (
    <section className="journal" aria-label="Journal" aria-busy={busy}>
      <header className="settings-head">
        <div>
          <h1>What Retrace wrote</h1>
          <p role="status">{sentenceOf(lists.all)}</p>
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
      {lists.all.total === 0 ? (
        <p className="soft journal-none">
          Nothing yet. A fork or a revert is planned from a message (<kbd>f</kbd>, <kbd>u</kbd>), shown whole, and written only when you say so; then it stands here with its undo.
        </p>
      ) : (
        <>
          <Filter lists={lists} shown={shown} choose={setShown} />
          {chosen ? (
            <div className="journal-columns">
              <EntryList entries={entries} chosen={chosen} more={entries.length < total ? () => void readJournal(shown) : null} />
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

function sentenceOf({ total, backups }: JournalList): string {
  return `${countOf(total, 'entry', 'entries')}.${backups > 0 ? ` ${formatBytes(backups)} of backups are kept for undo.` : ''}`;
}

function Filter({ lists: { all, trash, unsettled }, shown, choose }: { lists: Record<Shown, JournalList>; shown: Shown; choose(shown: Shown): void }) {
  const names: [Shown, string][] = [
    ['all', `All ${formatCount(all.total)}`],
    ['trash', `Trash ${formatCount(trash.total)}${trash.total > 0 ? `, ${formatBytes(trash.backups)}` : ''}`],
    ['unsettled', `To settle ${formatCount(unsettled.total)}`],
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

function EntryList({ entries, chosen, more }: { entries: readonly JournalEntry[]; chosen: JournalEntry; more: (() => void) | null }) {
  const choose = (id: string) => show({ kind: 'journal', entry: id }, { replace: true });
  const list = useRef<HTMLUListElement>(null);
  // Opened by its key nothing has the focus: the arrows are to move among the entries at once.
  useEffect(() => {
    if (document.activeElement === document.body) list.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus({ preventScroll: true });
  }, []);
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
      <ul ref={list} className="revert-list journal-list" role="listbox" aria-label="Plans" onKeyDown={move}>
        {entries.map((entry) => (
          <li key={entry.id} role="option" aria-selected={entry.id === chosen.id} tabIndex={entry.id === chosen.id ? 0 : -1} data-id={entry.id} onClick={() => choose(entry.id)}>
            <span className="revert-name">
              <span className="one-line" title={visibleControls(entry.title)}>
                {visibleControls(entry.about?.name ?? entry.title)}
              </span>
              <span className="journal-does" title={visibleControls(entry.title)}>{visibleControls(entry.about?.does ?? kindWords[entry.kind])}</span>
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
        <button type="button" className="button journal-more" onClick={more}>
          Show older
        </button>
      )}
    </div>
  );
}
