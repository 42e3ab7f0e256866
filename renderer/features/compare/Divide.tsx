import { GitFork } from 'lucide-react';
import type { BranchFork, BranchWay, SessionId } from '@shared/model';
import { show } from '../../app/route';
import { visibleControls } from '../../ui/controls';
import { countOf, formatCount } from '../../ui/format';
import { useLens } from '../lens/lens';
import { useSession } from '../timeline/state';
import { switchBranch, useBranches, useFork, useShownBranch } from './branches';

/** Ways drawn side by side; the list of branches has the rest. */
const waysDrawn = 5;

/** Where the tree of the session divides behind a part: the ways on from here, of which one is looked at. */
export function Divide({ after }: { after: number }) {
  const fork = useFork(after);
  const session = useSession(({ id }) => id);
  return fork && session !== null ? <Ways fork={fork} session={session} /> : null;
}

/** The last place where the tree divides within a run of hidden parts. */
export function DivideInRun({ start, length }: { start: number; length: number }) {
  const at = useBranches(({ forks }) => [...forks.keys()].findLast((index) => index >= start && index < start + length));
  return at === undefined ? null : <Divide after={at} />;
}

function Ways({ fork, session }: { fork: BranchFork; session: SessionId }) {
  const shown = useShownBranch();
  const drawn = fork.ways.slice(-waysDrawn);
  const [one, other] = fork.ways;
  const branches = fork.ways.reduce((sum, way) => sum + way.branches.length, 0);
  return (
    <div className="divide" role="group" aria-label={`${countOf(branches, 'branch', 'branches')} go on from here`}>
      <div className="divide-label">
        <GitFork className="sign" size={13} aria-hidden />
        {countOf(branches, 'branch', 'branches')} go on from here
        {one && other && fork.ways.length === 2 && (
          <button type="button" className="text-button" onClick={() => show({ kind: 'compare', a: session, b: session, branchA: one.branches.at(-1) ?? null, branchB: other.current ? null : (other.branches.at(-1) ?? null) })}>
            Compare the two
          </button>
        )}
      </div>
      {drawn.map((way) => (
        <WayButton key={way.branches.join()} way={way} pressed={shown !== null && way.branches.includes(shown)} />
      ))}
      {fork.ways.length > drawn.length && (
        <button type="button" className="text-button divide-more" onClick={() => useLens.setState({ branchesOpen: true })}>
          and {formatCount(fork.ways.length - drawn.length)} more
        </button>
      )}
    </div>
  );
}

function WayButton({ way, pressed }: { way: BranchWay; pressed: boolean }) {
  const { branches, current, first, turns, prompt } = way;
  const name = current ? 'current' : branches.length === 1 ? `branch ${branches[0]}` : `branches ${branches.join(', ')}`;
  const last = branches.at(-1);
  return (
    <button type="button" className="divide-way" aria-pressed={pressed} onClick={() => last !== undefined && switchBranch(last, first?.index ?? null)}>
      <b>{name}</b>
      <span className="soft number">{first === null ? 'ends here' : countOf(turns, 'turn')}</span>
      {prompt !== null && <span className="one-line">{visibleControls(prompt)}</span>}
    </button>
  );
}
