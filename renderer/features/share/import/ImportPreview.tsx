import { TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import type { ImportPreview as Preview, SessionId } from '@shared/model';
import { visibleControls } from '../../../ui/controls';
import { countOf, formatBytes, formatCount, formatMinute, formatShort } from '../../../ui/format';
import { AgentMark } from '../../../ui/marks';
import { agentNames } from '../../../ui/words';
import { openImported } from './state';

/** Notes that are drawn; the plan has all. */
const drawn = 20;

/** Whose session it is, from when, how large, what is odd about it, and whether it is here already. */
export function ImportPreview({ preview }: { preview: Preview }) {
  const { title, agent, known, live, notes } = preview;
  return (
    <div className="import-preview">
      <h3>
        <AgentMark agent={agent} />
        <span>{visibleControls(title ?? 'A session without a title')}</span>
      </h3>
      {known && (
        <p className="import-here" role="note">
          It was imported before, in another state. That import is replaced by this one. <Open session={known.session}>Open what is here</Open>
        </p>
      )}
      {live !== null && (
        <p className="import-here" role="note">
          {agentNames[agent]} has this session here, too. <Open session={live}>Open it there</Open>
        </p>
      )}
      {notes.length > 0 && (
        <ul className="import-notes" aria-label="Notes">
          {notes.slice(0, drawn).map((note, at) => (
            <li key={at}>
              <TriangleAlert size={13} aria-hidden />
              <span>{visibleControls(note)}</span>
            </li>
          ))}
          {notes.length > drawn && <li className="soft">and {formatCount(notes.length - drawn)} more</li>}
        </ul>
      )}
      <dl className="import-facts">
        {factsOf(preview).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

function Open({ session, children }: { session: SessionId; children: string }) {
  return (
    <button type="button" className="text-button" onClick={() => openImported(session)}>
      {children}
    </button>
  );
}

/** What comes along with a session: a rollout brings those it builds on. */
const othersAre: Partial<Record<Preview['agent'], string>> = { aider: 'other run', codex: 'other session' };

function factsOf({ kind, from, agent, directory, models, created, updated, counts, tokens, compactions, others, files, damage, bytes }: Preview): [string, ReactNode][] {
  const time = [created, updated].filter((each): each is string => each !== null).map(formatMinute);
  const rows: [string, ReactNode][] = [
    ['Agent', agentNames[agent]],
    ['From', <span key="from">{kind}, <code className="break">{visibleControls(from)}</code></span>],
    ['When', time.length === 0 ? 'not recorded' : [...new Set(time)].join(' to ')],
    ['Folder', directory === null ? null : <code key="folder" className="break">{visibleControls(directory)}</code>],
    ['Models', models.length === 0 ? null : models.map(visibleControls).join(', ')],
    ['Messages', counts && `${formatCount(counts.messages)}: ${countOf(counts.user, 'prompt')}, ${countOf(counts.assistant, 'reply', 'replies')}, ${countOf(counts.toolCalls, 'tool call')}`],
    ['Files changed', files === null ? 'could not be told' : formatCount(files)],
    ['Tokens', tokens && `${formatShort(tokens.input)} fresh input, ${formatShort(tokens.cacheRead + tokens.cacheWrite)} cache, ${formatShort(tokens.output)} output`],
    ['Compactions', compactions > 0 ? formatCount(compactions) : null],
    ['Comes along', others > 0 ? countOf(others, othersAre[agent] ?? 'subagent') : null],
    ['Damage', damage > 0 ? <strong key="damage" className="import-damage">{countOf(damage, 'place')} could not be read</strong> : null],
    ['Size', formatBytes(bytes)],
  ];
  return rows.filter(([, value]) => value !== null);
}
