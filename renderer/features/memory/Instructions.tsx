import type { InstructionFile } from '@shared/model';
import { show } from '../../app/route';
import { visibleControls } from '../../ui/controls';
import { countOf, formatCount } from '../../ui/format';
import { AgentMark, Ago } from '../../ui/marks';

/** Instruction files, each with the sessions that recorded it. */
export function InstructionList({ files, sessions = true }: { files: InstructionFile[]; sessions?: boolean }) {
  return (
    <ul className="notice-list">
      {files.map((file) => (
        <li key={file.path}>
          <code className="break">{visibleControls(file.path)}</code>
          <span className="memory-call memory-about soft number">
            <span>{visibleControls(file.kind)}</span>
            {file.certainty === 'inferred' && (
              <span data-hint="The record names a folder or a relative name only." tabIndex={0}>
                path inferred
              </span>
            )}
            {sessions && <span>{countOf(file.sessions, 'session')}</span>}
            {file.times > file.sessions && <span>recorded {countOf(file.times, 'time')}</span>}
            {!sessions && file.loads[0] && <LoadLink load={file.loads[0]} words="where it is recorded" />}
            {!sessions && <Ago time={file.last} />}
          </span>
          {sessions && (
            <ul className="memory-loads">
              {file.loads.slice(0, loadsShown).map((load, at) => (
                <li key={at} className="memory-call">
                  <AgentMark agent={load.agent} />
                  <LoadLink load={load} words={visibleControls(load.sessionTitle ?? 'Untitled session')} />
                  <Ago time={load.time} />
                </li>
              ))}
              {file.times > loadsShown && <li className="soft">and {formatCount(file.times - loadsShown)} more</li>}
            </ul>
          )}
        </li>
      ))}
    </ul>
  );
}

const loadsShown = 5;

function LoadLink({ load, words }: { load: InstructionFile['loads'][number]; words: string }) {
  return (
    <button type="button" className="text-button one-line" onClick={() => show({ kind: 'session', session: load.session, part: load.part })}>
      {words}
    </button>
  );
}
