import type { MemoryCall, MemoryMark } from '@shared/model';
import { show } from '../../app/route';
import { visibleControls } from '../../ui/controls';
import { formatCount } from '../../ui/format';
import { AgentMark, Ago } from '../../ui/marks';
import { actWords, markSentences, markWords } from './words';

/** What became of the turn or session that wrote, in words. */
export function Marks({ marks }: { marks: MemoryMark[] }) {
  return (
    <>
      {marks.map((mark) => (
        <span key={mark} className="badge" data-tone="attention" data-hint={markSentences[mark]} tabIndex={0}>
          {markWords[mark]}
          <span className="unseen">. {markSentences[mark]}</span>
        </span>
      ))}
    </>
  );
}

/** A notepad is named with its plan, a draft is named like it. */
const fileWords = ({ file, plan }: MemoryCall): string => (plan === null || file === null ? (file ?? '') : file === `${plan}.md` ? `draft ${file}` : `${plan}/${file}`);

/** A link to the very part of a session that touched memory. */
export function CallLink({ call, named = true }: { call: MemoryCall; named?: boolean }) {
  return (
    <button type="button" className="text-button one-line" title={call.sessionTitle ?? undefined} onClick={() => show({ kind: 'session', session: call.session, part: call.part })}>
      {named ? visibleControls(call.sessionTitle ?? 'Untitled session') : `${actWords[call.act]} ${visibleControls(fileWords(call))}`}
    </button>
  );
}

/** Calls as a list; `named`: by their session, else by what they did. */
export function CallList({ calls, total, named }: { calls: MemoryCall[]; total: number; named: boolean }) {
  return (
    <>
      <ul className="notice-list">
        {calls.map((call) => (
          <li key={call.part}>
            <span className="memory-call">
              {named && <AgentMark agent={call.agent} />}
              {named && <span className="soft">{call.act === 'shell' ? 'named the folder' : actWords[call.act]}</span>}
              <CallLink call={call} named={named || call.act === 'shell'} />
              <Ago time={call.time} />
              {call.outcome !== 'done' && <span className="soft">{call.outcome === 'failed' ? 'failed' : 'no result recorded'}</span>}
              <Marks marks={call.marks} />
            </span>
          </li>
        ))}
      </ul>
      {total > calls.length && <p className="soft">and {formatCount(total - calls.length)} older</p>}
    </>
  );
}
