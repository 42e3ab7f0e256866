import { ArrowLeftRight } from 'lucide-react';
import type { Comparison, SessionId } from '@shared/model';
import type { View } from '../../app/address';
import { useFrame } from '../../app/frame';
import { leaveAside, show } from '../../app/route';
import { Blank } from '../../ui/Blank';
import { Failed } from '../../ui/Failed';
import { visibleControls } from '../../ui/controls';
import { countOf } from '../../ui/format';
import { EdgeSign } from '../../ui/signs';
import { edgeOf } from '../../ui/words';
import { useComparison } from './answer';
import { Files } from './Files';
import { Knows } from './Knows';
import { SideHead } from './SideHead';
import { Turns } from './Turns';
import { foundWords } from './words';

type CompareAddress = Extract<View, { kind: 'compare' }>;

/** The middle of the page while two sessions or branches are put side by side. */
export function CompareView({ view }: { view: CompareAddress }) {
  const { a, b, branchA, branchB } = view;
  const { answer, error, again } = useComparison({ a: { session: a, ...(branchA !== null && { branch: branchA }) }, b: { session: b, ...(branchB !== null && { branch: branchB }) } });
  if (error !== null) {
    return (
      <Failed title="The two could not be compared" again={again}>
        {error}
      </Failed>
    );
  }
  if (answer === undefined) {
    return (
      <div aria-busy="true">
        <Blank title="Comparing">What both said and did is read from where they part.</Blank>
      </div>
    );
  }
  if ('refused' in answer) {
    return (
      <Blank
        title="These two can not be compared"
        action={
          <button type="button" className="button" onClick={leaveAside}>
            Close
          </button>
        }
      >
        {visibleControls(answer.refused)} Choose another with <kbd>x</kbd>.
      </Blank>
    );
  }
  return <SideBySide comparison={answer} view={view} />;
}

function SideBySide({ comparison, view }: { comparison: Comparison; view: CompareAddress }) {
  const { common, a, b, turns, turnsLeftOut, files, filesLeftOut, how } = comparison;
  const nothing = a.messages + b.messages === 0;
  return (
    <section className="compare" aria-label="Comparison">
      <header className="compare-head">
        <h1>Side by side</h1>
        <span className="compare-acts">
          <button type="button" className="button" onClick={() => show({ ...view, a: view.b, b: view.a, branchA: view.branchB, branchB: view.branchA }, { replace: true })}>
            <ArrowLeftRight size={13} aria-hidden /> Swap
          </button>
          <button type="button" className="button" onClick={() => useFrame.setState({ sheet: 'compare' })}>
            Compare A with… <kbd>x</kbd>
          </button>
          <button type="button" className="button" onClick={leaveAside}>
            Close
          </button>
        </span>
      </header>
      <Common comparison={comparison} />
      <div className="compare-columns">
        <SideHead name="A" side={a} onBranch={(branch) => show({ ...view, branchA: branch }, { replace: true })} />
        <SideHead name="B" side={b} onBranch={(branch) => show({ ...view, branchB: branch }, { replace: true })} />
      </div>
      {nothing ? (
        <p className="compare-nothing soft">{common.found === 'same session' && a.branch === b.branch ? 'It is the same branch twice: there is nothing in which they differ.' : 'Neither did anything behind their common beginning.'}</p>
      ) : (
        <>
          <Turns a={a} b={b} turns={turns} leftOut={turnsLeftOut} />
          <Files a={a} b={b} files={files} leftOut={filesLeftOut} />
          <Knows a={a} b={b} how={how} />
        </>
      )}
    </section>
  );
}

/** What both have before they part, and what shows it. */
function Common({ comparison: { common, a, b } }: { comparison: Comparison }) {
  const { departs } = a;
  const letterOf = (session: SessionId) => (session === a.session ? 'A' : session === b.session ? 'B' : session.slice(session.lastIndexOf('/') + 1));
  return (
    <section className="compare-common" aria-label="Common beginning">
      <p>
        {common.messages === 0 ? (
          <b>{common.found === 'same session' ? 'They part before the first message' : 'No common beginning'}</b>
        ) : (
          <>
            <b>
              {countOf(common.messages, 'message')} and {countOf(common.turns, 'turn')} in common
            </b>
            <span className="soft"> · {foundWords[common.found]}</span>
          </>
        )}
        {departs !== null && (
          <>
            <span className="soft"> · </span>
            <button type="button" className="text-button" onClick={() => show({ kind: 'session', session: a.session, part: departs.part })}>
              where they part
            </button>
          </>
        )}
      </p>
      {common.edges.length > 0 && (
        <ul className="compare-edges">
          {common.edges.map(({ child, parent, kind, certainty }) => (
            <li key={`${child} ${parent}`}>
              <EdgeSign kind={kind} /> {letterOf(child)} <span className="soft">{edgeOf[kind]}</span> {letterOf(parent)}
              {certainty === 'inferred' && <span className="soft"> (inferred)</span>}
            </li>
          ))}
        </ul>
      )}
      {common.found !== 'same session' && <p className="soft break">{visibleControls(common.evidence)}</p>}
    </section>
  );
}
