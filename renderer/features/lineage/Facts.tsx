import { type Edge, type Family, type FamilySession, type SessionId } from '@shared/model';
import { show } from '../../app/route';
import { countOf, formatCount, formatExact } from '../../ui/format';
import { AgentMark } from '../../ui/marks';
import { EdgeSign } from '../../ui/signs';
import { compareWithCurrent } from '../compare/branches';
import { forkOf } from '../plans/acts';
import { messagePart } from '../inspector/message-part';
import type { BranchItem, MapItem, SessionItem } from './graph';
import { openItem } from './open';
import { conditionsOf, edgeSentence, nameOf, tokenWords } from './words';

/** What is known of the item under the keyboard: below the map, so that evidence needs no pointer. */
export function Facts({ family, item }: { family: Family; item: MapItem | undefined }) {
  if (!item) return <footer className="map-facts soft">Arrow keys walk the map.</footer>;
  return (
    <footer className="map-facts" aria-label="Chosen on the map">
      {item.kind === 'branch' ? <BranchFacts item={item} /> : <SessionFacts family={family} item={item} />}
    </footer>
  );
}

function BranchFacts({ item }: { item: BranchItem }) {
  const { branch, session } = item;
  return (
    <>
      <div className="map-facts-title">
        <b className="one-line">
          Branch {branch.id} of {nameOf(session)}
        </b>
        <button type="button" className="text-button" onClick={() => openItem(item)}>
          Open at its end
        </button>
        <ForkButton item={item} />
        {branch.departs !== null && (
          <button type="button" className="text-button" onClick={() => branch.departs && show({ kind: 'session', session: session.id, part: messagePart(branch.departs) })}>
            Where it departs
          </button>
        )}
        <button type="button" className="text-button" onClick={() => compareWithCurrent(session.id, branch.id)}>
          Compare with the current branch
        </button>
      </div>
      <p className="soft number">
        {countOf(branch.count, 'message')} of its own; departs {branch.departs === null ? 'before the first message' : `${formatCount(Math.round(branch.at * 100))} % into the session`}.
      </p>
    </>
  );
}

function SessionFacts({ family, item }: { family: Family; item: SessionItem }) {
  const { session, edges } = item;
  const facts = [
    session.created === null ? '' : `${formatExact(session.created)}${session.updated !== null && session.updated !== session.created ? ` to ${formatExact(session.updated)}` : ''}`,
    session.counts ? countOf(session.counts.messages, 'message') : session.known ? 'not read yet' : '',
    tokenWords(session) ?? '', ...conditionsOf(session),
  ].filter(Boolean);
  return (
    <>
      <div className="map-facts-title">
        <AgentMark agent={session.agent} />
        <b className="one-line">{nameOf(session)}</b>
        {session.known ? (
          <button type="button" className="text-button" onClick={() => openItem(item)}>
            Open
          </button>
        ) : (
          <code className="one-line">{session.id}</code>
        )}
        {session.known && <ForkButton item={item} />}
        {session.known && session.id !== family.session && (
          <button type="button" className="text-button" onClick={() => show({ kind: 'compare', a: family.session, b: session.id, branchA: null, branchB: null })}>
            Compare with the open session
          </button>
        )}
      </div>
      {facts.length > 0 && <p className="soft number">{facts.join(' · ')}</p>}
      {edges.map((edge) => (
        <EdgeFact key={`${edge.kind}${edge.parent}`} edge={edge} parent={family.sessions.find(({ id }) => id === edge.parent)} />
      ))}
    </>
  );
}

function ForkButton({ item }: { item: MapItem }) {
  return (
    <button type="button" className="text-button" onClick={() => forkOf(item.id)}>
      Fork <kbd>f</kbd>
    </button>
  );
}

function EdgeFact({ edge, parent }: { edge: Edge; parent: FamilySession | undefined }) {
  const place = edge.part ?? (edge.after === null ? null : messagePart(edge.after));
  const go = (session: SessionId) => show({ kind: 'session', session, part: place });
  return (
    <p className="map-facts-edge" data-certainty={edge.certainty}>
      <EdgeSign kind={edge.kind} /> <span>{edgeSentence(edge, parent)}</span>{' '}
      {parent?.known && place !== null && (
        <button type="button" className="text-button" onClick={() => go(edge.parent)}>
          {edge.part !== null ? 'The step that started it' : 'Where it departs'}
        </button>
      )}
    </p>
  );
}
