import { useEffect } from 'react';
import type { LibraryKeep } from '@shared/model';
import { useEngine } from '../../app/engine';
import { leaveAside } from '../../app/route';
import { Blank } from '../../ui/Blank';
import { visibleControls } from '../../ui/controls';
import { Failed } from '../../ui/Failed';
import { countOf, formatBytes, formatCount, formatMinute } from '../../ui/format';
import { Compaction } from './Compaction';
import { include, lookAgain, openForget, useKeeping } from './keeping';
import { KeepRule } from './KeepRule';
import { KeptTable } from './KeptTable';
import { ShareServers } from './ShareServers';

/** The middle of the page while one looks at what the library keeps, for how long, and in what room. */
export function LibrarySettings() {
  const { keep, error, busy } = useKeeping();
  const running = useEngine((engine) => engine.progress?.running === true);
  const revision = useEngine((engine) => engine.info?.revision ?? null);
  // The first answer is not kept waiting for a pass; later ones follow its end.
  const due = running ? (keep === null ? 'now' : 'later') : `${revision}`;
  useEffect(() => {
    if (due !== 'later') void lookAgain();
  }, [due]);
  if (keep === null && error !== null) {
    return (
      <Failed title="The library could not be looked at" again={() => void lookAgain()}>
        {error}
      </Failed>
    );
  }
  if (keep === null) return <Blank title="Looking at what the library keeps" />;
  return (
    <section className="settings" aria-label="Library settings" aria-busy={busy}>
      <header className="settings-head">
        <div>
          <h1>What the library keeps</h1>
          <p role="status">{sentenceOf(keep)}</p>
        </div>
        <span className="settings-acts">
          <button type="button" className="button" disabled={busy} onClick={() => void lookAgain()}>
            Look again
          </button>
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
      <Room keep={keep} />
      <KeepRule key={`${keep.rule.days}`} rule={keep.rule} />
      <KeptTable title="By agent" kind="agent" rows={keep.agents} total={keep.agents.length} />
      <KeptTable title="By project" kind="project" rows={keep.projects} total={keep.projectsTotal} />
      <Excluded keep={keep} />
      <ShareServers />
      <Compaction view={keep.compaction} />
      <Copies copies={keep.copies} />
    </section>
  );
}

function sentenceOf({ sessions, streams }: LibraryKeep): string {
  if (sessions.total === 0) return 'Nothing yet: no session was read on this machine.';
  const gone = sessions.gone === 0 ? 'the source of all of them is there' : `${formatCount(sessions.gone)} of them only the library has`;
  return `${countOf(sessions.total, 'session')} in ${countOf(streams.total, 'raw stream')}, ${formatBytes(streams.read)} as read; ${gone}.${sessions.excluded > 0 ? ` ${formatCount(sessions.excluded)} are excluded and in no list.` : ''}`;
}

const roomWords: [keyof LibraryKeep['room'], string][] = [
  ['log', 'raw log, packed'], ['words', 'words, for search'], ['rows', 'rows'], ['free', 'free'], ['other', 'the rest'],
];

/** One bar of the whole file, and its figures in words. */
function Room({ keep: { path, bytes, room } }: { keep: LibraryKeep }) {
  return (
    <section className="settings-part" aria-label="Size on disk">
      <h2>
        {formatBytes(bytes)} on disk <code className="soft break">{visibleControls(path)}</code>
      </h2>
      <div className="room-bar" aria-hidden>
        {roomWords.map(([part]) => room[part] > 0 && <span key={part} data-room={part} style={{ flexGrow: room[part] }} />)}
      </div>
      <dl className="room-words">
        {roomWords.map(([part, words]) => (
          <div key={part}>
            <dt>
              <span className="room-key" data-room={part} aria-hidden /> {words}
            </dt>
            <dd className="number">{formatBytes(room[part])}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function Excluded({ keep: { exclusions } }: { keep: LibraryKeep }) {
  return (
    <section className="settings-part" aria-label="Excluded">
      <h2>Excluded</h2>
      {exclusions.length === 0 ? (
        <p className="soft">Nothing is excluded. What is, is not read from then on, and what was read of it stands in no list.</p>
      ) : (
        <ul className="settings-list">
          {exclusions.map(({ kind, key, name, folder, since, sessions, stored }) => (
            <li key={`${kind} ${key}`}>
              <span className="settings-name">
                <span className="settings-title">
                  <strong>{visibleControls(name)}</strong> <span className="soft">{kind}</span>
                </span>
                {folder !== null && <code className="soft break">{visibleControls(folder)}</code>}
                <span className="soft">
                  since {formatMinute(since)}; {sessions === 0 ? 'the library has nothing of it' : `${countOf(sessions, 'session')} kept, ${formatBytes(stored)} of the log`}
                </span>
              </span>
              <button type="button" className="button" onClick={() => void include({ kind, key })}>
                Include<span className="unseen"> {name}</span>
              </button>
              <button type="button" className="button" disabled={sessions === 0} onClick={() => openForget({ kind, key }, name)}>
                Forget…<span className="unseen"> {name}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function Copies({ copies }: { copies: LibraryKeep['copies'] }) {
  if (copies.length === 0) return null;
  return (
    <section className="settings-part" aria-label="Copies">
      <h2>Copies beside it</h2>
      <p className="soft">Made before the layout changed, or moved aside when damaged. What was forgotten since still stands in them; they are yours to delete.</p>
      <ul className="settings-list">
        {copies.map(({ file, bytes }) => (
          <li key={file}>
            <code className="break">{visibleControls(file)}</code>
            <span className="number soft">{formatBytes(bytes)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
