import { Copy, GitBranch, Share } from 'lucide-react';
import type { Edge, SessionDetail, SessionId, Tokens } from '@shared/model';
import { useEngine } from '../../app/engine';
import { show } from '../../app/route';
import { copyText } from '../../ui/copy';
import { countOf, formatCount, formatExact, formatShort, shortenMiddle, tildePath } from '../../ui/format';
import { Ago, AgentMark } from '../../ui/marks';
import { say } from '../../ui/toast';
import { visibleControls } from '../../ui/controls';
import { EdgeSign } from '../../ui/signs';
import { agentNames, edgeOf } from '../../ui/words';
import { useSummary } from '../library/titles';
import { SessionMenu } from '../plans/SessionMenu';
import { titleOf } from '../library/TreeRow';
import { openExport } from '../share/state';
import { folderWords, useFolderState } from './folder';

/** Title and facts of the open session, in two or three calm lines. */
export function SessionHeader({ detail }: { detail: SessionDetail }) {
  const { summary } = detail;
  const parents = detail.edges.filter((edge) => edge.child === summary.id);
  return (
    <header className="session-header">
      <div className="session-title">
        <AgentMark agent={summary.agent} writtenBy={summary.writtenBy} />
        <h1 className="one-line" title={titleOf(summary)}>
          {titleOf(summary)}
        </h1>
        <Conditions detail={detail} />
        <span className="session-acts">
          <button type="button" className="button bare square" aria-label="Export the session" data-hint="Export the session" onClick={openExport}>
            <Share size={14} aria-hidden />
          </button>
          <SessionMenu summary={summary} />
        </span>
      </div>
      <div className="session-facts soft">
        <span title={detail.agentVersion ? `version ${detail.agentVersion}` : undefined}>
          {summary.agent === summary.writtenBy ? agentNames[summary.agent] : `imported from ${agentNames[summary.writtenBy]}`}
          {detail.agentName ? ` · ${visibleControls(detail.agentName)}` : ''}
        </span>
        {summary.model && <span title={detail.models.length > 1 ? detail.models.join('\n') : undefined}>{visibleControls(summary.model)}{detail.models.length > 1 ? ` +${detail.models.length - 1}` : ''}</span>}
        {summary.directory && <Folder path={summary.directory} />}
        {summary.directory && <FolderWord session={summary.id} />}
        {summary.gitBranch && <span className="fact-branch" title="Git branch"><GitBranch size={12} aria-hidden /> {visibleControls(summary.gitBranch)}</span>}
        {detail.worktree && <span title={`Worktree ${detail.worktree.path}`}>worktree {visibleControls(detail.worktree.name ?? detail.worktree.branch ?? shortenMiddle(detail.worktree.path, 28))}</span>}
        <span title={`From ${formatExact(summary.created)} to ${formatExact(summary.updated)}`}>
          <Ago time={summary.updated ?? summary.created} />
        </span>
        {summary.counts && <span className="number">{countOf(summary.counts.user, 'prompt')}</span>}
        {summary.tokens && <TokenFigures tokens={summary.tokens} />}
        {summary.compactions > 0 && <span className="number">{countOf(summary.compactions, 'compaction')}</span>}
        {detail.branches.length > 1 && <span className="number">{countOf(detail.branches.length, 'branch', 'branches')}</span>}
        {detail.pullRequests.map((pull) => (
          <PullRequest key={pull.url} url={pull.url} label={pull.number === null ? 'pull request' : `#${pull.number}`} />
        ))}
      </div>
      {parents.map((edge) => (
        <ParentLine key={`${edge.kind}${edge.parent}`} edge={edge} />
      ))}
    </header>
  );
}

function Folder({ path }: { path: string }) {
  const home = useEngine((engine) => engine.info?.home ?? null);
  const copy = async () => say((await copyText(path)) ? 'Copied the folder’s path.' : 'The system refused the clipboard.');
  return (
    <button type="button" className="fact-button" title={path} aria-label={`Copy the folder ${path}`} onClick={() => void copy()}>
      <span>{visibleControls(shortenMiddle(tildePath(path, home), 40))}</span>
      <Copy size={11} aria-hidden />
    </button>
  );
}

/** Whether the folder is there, and where it likely is now. */
function FolderWord({ session }: { session: SessionId }) {
  const home = useEngine((engine) => engine.info?.home ?? null);
  const found = useFolderState(session);
  if (!found) return null;
  const { state, reason, folder, likely } = found;
  return (
    <>
      <span className="fact-folder" data-state={state} title={[reason, folder].filter((text) => text !== null).map(visibleControls).join(' ')}>
        folder {folderWords[state]}
      </span>
      {likely && state !== 'present' && (
        <span className="fact-folder" title={`${visibleControls(likely.folder)}: ${likely.because}`}>
          likely now at {visibleControls(shortenMiddle(tildePath(likely.folder, home), 40))} ({likely.because})
        </span>
      )}
    </>
  );
}

function TokenFigures({ tokens }: { tokens: Tokens }) {
  const cache = tokens.cacheRead + tokens.cacheWrite;
  const sum = (kinds: [string, number][]) => kinds.filter(([, count]) => count > 0).map(([kind, count]) => `${formatCount(count)} ${kind}`).join(' + ') || 'none';
  const sent = sum([['fresh input', tokens.input], ['cache read', tokens.cacheRead], ['cache write', tokens.cacheWrite]]);
  const made = sum([['output', tokens.output], ['reasoning', tokens.reasoning]]);
  return (
    <span className="number" tabIndex={0} data-hint={`Tokens of this session’s own requests\nsent: ${sent}\nmade: ${made}`}>
      {formatShort(tokens.input)} fresh input{cache > 0 && ` · ${formatShort(cache)} cache`} · {formatShort(tokens.output)} output{tokens.reasoning > 0 && ` · ${formatShort(tokens.reasoning)} reasoning`}
    </span>
  );
}

/** A link of a transcript leads to the web only. */
function PullRequest({ url, label }: { url: string; label: string }) {
  if (!/^https?:\/\//i.test(url)) return <span title={url}>{label}</span>;
  return (
    <a href={url} target="_blank" rel="noreferrer" title={url}>
      {label}
    </a>
  );
}

function Conditions({ detail }: { detail: SessionDetail }) {
  const { summary } = detail;
  return (
    <>
      {detail.condition === 'interrupted' && <Badge tone="attention" text="interrupted" hint="The last reply has no end, and nothing is seen to be running it." />}
      {detail.condition === 'recovered' && <Badge tone="attention" text="recovered" hint="Damage or a gap was bridged to show it." />}
      {summary.source === 'gone' && <Badge tone="attention" text="source is gone" hint="The agent has deleted this session; the library keeps what was read." />}
      {summary.damage > 0 && <Badge tone="danger" text={`${countOf(summary.damage, 'damaged place')}`} hint="What could not be read is listed in the inspector, by place and reason." />}
      {detail.revert && <Badge tone="attention" text="pending revert" hint={`${countOf(detail.revert.hiddenMessages, 'message')} taken back, not final yet.`} />}
      {summary.archived !== null && <Badge tone="info" text="archived" hint={`Archived ${formatExact(summary.archived)}`} />}
    </>
  );
}

function Badge({ tone, text, hint }: { tone: 'attention' | 'danger' | 'info'; text: string; hint: string }) {
  return (
    <span className="badge" data-tone={tone} data-hint={hint} tabIndex={0}>
      {text}
      <span className="unseen">. {hint}</span>
    </span>
  );
}

/** "fork of …": where the session comes from, and how sure that is. */
function ParentLine({ edge }: { edge: Edge }) {
  const parent = useSummary(edge.parent);
  const name = parent ? titleOf(parent) : edge.parent.slice(edge.parent.lastIndexOf('/') + 1);
  return (
    <p className="session-parent soft" data-certainty={edge.certainty}>
      <EdgeSign kind={edge.kind} /> {edgeOf[edge.kind]}{' '}
      {edge.parentKnown ? (
        <button type="button" className="text-button" onClick={() => show({ kind: 'session', session: edge.parent, part: edge.part })}>
          {name}
        </button>
      ) : (
        <span>a session that no store has ({edge.parent})</span>
      )}
      <span title={edge.evidence}>
        {' '}
        · {edge.certainty} · {visibleControls(edge.evidence)}
      </span>
      {edge.part !== null && edge.parentKnown && (
        <>
          {' '}
          <button type="button" className="text-button" onClick={() => show({ kind: 'session', session: edge.parent, part: edge.part })}>
            Back to the step that started it
          </button>
        </>
      )}
    </p>
  );
}
