import { Workflow } from 'lucide-react';
import { type Branch, type ChangeSum, type Edge, type FamilySession, partId, type SessionDetail, type SessionId } from '@shared/model';
import { show } from '../../app/route';
import { visibleControls } from '../../ui/controls';
import { countOf, formatCount } from '../../ui/format';
import { AgentMark, Ago } from '../../ui/marks';
import { EdgeSign, StateSign } from '../../ui/signs';
import { edgeChild, edgeOf } from '../../ui/words';
import { compareWithCurrent, useDeeds, useNets } from '../compare/branches';
import { deedWords, quoted } from '../compare/words';
import { useSummary } from '../library/titles';
import { useFamily } from '../lineage/family';
import { tokenWords } from '../lineage/words';
import { titleOf } from '../library/TreeRow';
import { Section } from './Section';

/** Children drawn at once: an agent may have started hundreds. */
const listed = 60;

/** Where the session comes from, what came of it, and the branches inside it. */
export function Lineage({ detail }: { detail: SessionDetail }) {
  const { id } = detail.summary;
  const parents = detail.edges.filter((edge) => edge.child === id);
  const children = detail.edges.filter((edge) => edge.child !== id);
  const family = useFamily(id);
  const nets = useNets(id);
  const relatives = new Map(family?.sessions.map((session) => [session.id, session]));
  const own = relatives.get(id);
  return (
    <>
      <p className="lineage-map-link">
        <button type="button" className="button" onClick={() => show({ kind: 'map', session: id })}>
          <Workflow size={14} aria-hidden /> Lineage map
          {family && family.sessions.length > 1 && <span className="soft number"> · {countOf(family.sessions.length, 'session')}</span>}
          <kbd>m</kbd>
        </button>
      </p>
      {own && own.subagents > 0 && tokenWords(own) !== null && (
        <Section title="Tokens with subagents">
          <p className="number">{tokenWords(own)}</p>
        </Section>
      )}
      <Section title="Comes from">
        {parents.length === 0 ? <p className="soft">No other session: it was started on its own.</p> : <EdgeList edges={parents} relatives={relatives} other={(edge) => edge.parent} words={(edge) => edgeOf[edge.kind]} />}
      </Section>
      <Section title="Led to">
        {children.length === 0 ? (
          <p className="soft">No fork, subagent or resumed session is known.</p>
        ) : (
          <>
            <EdgeList edges={children.slice(0, listed)} relatives={relatives} other={(edge) => edge.child} words={(edge) => edgeChild[edge.kind]} />
            {children.length > listed && <p className="soft">and {formatCount(children.length - listed)} more, on the map and in the library’s tree</p>}
          </>
        )}
      </Section>
      {detail.branches.length > 1 && (
        <Section title="Branches">
          <ul className="notice-list">
            {detail.branches.map((branch, at) => (
              <BranchLine key={branch.id} branch={branch} number={at + 1} session={id} net={nets.get(branch.id)} />
            ))}
          </ul>
        </Section>
      )}
    </>
  );
}

function EdgeList({ edges, relatives, other, words }: { edges: Edge[]; relatives: ReadonlyMap<SessionId, FamilySession>; other(edge: Edge): SessionId; words(edge: Edge): string }) {
  return (
    <ul className="notice-list">
      {edges.map((edge) => (
        <EdgeLine key={`${edge.kind}${edge.parent}${edge.child}`} edge={edge} other={other(edge)} relative={relatives.get(edge.child)} words={words(edge)} />
      ))}
    </ul>
  );
}

function EdgeLine({ edge, other, relative, words }: { edge: Edge; other: SessionId; relative: FamilySession | undefined; words: string }) {
  const summary = useSummary(other);
  const known = other === edge.child || edge.parentKnown;
  const shortId = other.slice(other.lastIndexOf('/') + 1);
  return (
    <li className="edge-line" data-certainty={edge.certainty}>
      <span className="edge-title">
        <EdgeSign kind={edge.kind} />
        <span className="soft">{words}</span>
        {summary && <AgentMark agent={summary.agent} writtenBy={summary.writtenBy} />}
        {known ? (
          <button type="button" className="text-button one-line" onClick={() => show({ kind: 'session', session: other, part: null })}>
            {summary ? titleOf(summary) : shortId}
          </button>
        ) : (
          <span className="break">{shortId}, which no store has</span>
        )}
        {summary && <Ago time={summary.updated} />}
      </span>
      <span className="soft">
        {edge.certainty} · {visibleControls(edge.evidence)}
        {edge.inherited > 0 && `; ${countOf(edge.inherited, 'message')} came along`}
      </span>
      {edge.kind === 'subagent' && other === edge.child && relative && tokenWords(relative) !== null && <span className="soft number">{tokenWords(relative)}</span>}
      <span className="line-acts">
        {edge.part !== null && edge.parentKnown && (
          <button type="button" className="text-button" onClick={() => show({ kind: 'session', session: edge.parent, part: edge.part })}>
            The step that started it
          </button>
        )}
        {edge.parentKnown && (
          <button type="button" className="text-button" onClick={() => show({ kind: 'compare', a: edge.parent, b: edge.child, branchA: null, branchB: null })}>
            Compare with this session
          </button>
        )}
      </span>
    </li>
  );
}

function BranchLine({ branch, number, session, net }: { branch: Branch; number: number; session: SessionId; net: ChangeSum | undefined }) {
  const did = useDeeds(branch.id);
  return (
    <li>
      <span className="edge-title">
        <StateSign state={branch.current ? 'live' : 'off-branch'} />
        {branch.current ? 'current branch' : `branch ${formatCount(number)}`}
        <span className="soft number"> · {did ? deedWords(did, net) : countOf(branch.count, 'message')}</span>
      </span>
      {did?.lastWords && <span className="soft">{quoted(did.lastWords.text)}</span>}
      <span className="line-acts">
        {branch.tip !== '' && (
          <button type="button" className="text-button" onClick={() => show({ kind: 'session', session, part: partId(session, branch.tip) })}>
            Go to its end
          </button>
        )}
        {!branch.current && (
          <button type="button" className="text-button" onClick={() => compareWithCurrent(session, branch.id)}>
            Compare with the current branch
          </button>
        )}
      </span>
    </li>
  );
}
