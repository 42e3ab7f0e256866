import type { ReactNode } from 'react';
import type { ComparedSide } from '@shared/model';
import { show } from '../../app/route';
import { countOf, formatCount, formatMinute } from '../../ui/format';
import { AgentMark } from '../../ui/marks';
import { Menu } from '../../ui/Menu';
import { titleOf } from '../library/TreeRow';
import { conditionWords, linesOf, quoted, spent, spentWhole } from './words';

/** Branches offered in the menu of a side: a transcript with 375 ends was reported. */
const branchesOffered = 100;

/** One of the two: what it is, and what it did since they parted. */
export function SideHead({ name, side, onBranch }: { name: 'A' | 'B'; side: ComparedSide; onBranch(branch: string | null): void }) {
  const { session, first, turns, messages, toolCalls, failed, filesChanged, tokens, compactions, reverted, condition, began, ended, lastWords } = side;
  return (
    <section className="compare-side" aria-label={`${name}: ${titleOf(side)}`}>
      <h2>
        <span className="compare-letter">{name}</span>
        <AgentMark agent={side.agent} />
        <button type="button" className="text-button one-line" onClick={() => show({ kind: 'session', session, part: first?.part ?? null })}>
          {titleOf(side)}
        </button>
      </h2>
      <p className="compare-id soft">
        <code className="one-line" title={session}>
          {session.slice(session.lastIndexOf('/') + 1)}
        </code>
        {side.branches > 1 && <BranchChoice name={name} side={side} onBranch={onBranch} />}
      </p>
      {messages === 0 ? (
        <p className="soft">Nothing behind the common beginning{reverted > 0 ? `; ${countOf(reverted, 'part')} taken back` : ''}.</p>
      ) : (
        <dl className="compare-figures">
          <Fact label="Turns">
            {formatCount(turns)} <span className="soft">· {countOf(messages, 'message')}</span>
          </Fact>
          <Fact label="Tool calls">
            {formatCount(toolCalls)}
            {failed > 0 && <span className="compare-failed"> · {formatCount(failed)} failed</span>}
          </Fact>
          <Fact label="Files">
            {filesChanged === 0 ? 'none changed' : `${formatCount(filesChanged)} changed`} <span className="soft">{linesOf(side)}</span>
          </Fact>
          <Fact label="Tokens">
            <span data-hint={spentWhole(tokens)} tabIndex={tokens ? 0 : undefined}>
              {spent(tokens)}
            </span>
          </Fact>
          {compactions > 0 && <Fact label="Compactions">{formatCount(compactions)}</Fact>}
          {reverted > 0 && <Fact label="Taken back">{countOf(reverted, 'part')}</Fact>}
          <Fact label="Time">{spanWords(began, ended)}</Fact>
          <Fact label="Outcome">{conditionWords[condition]}</Fact>
        </dl>
      )}
      {lastWords !== null && (
        <button type="button" className="compare-words" onClick={() => show({ kind: 'session', session, part: lastWords.part })}>
          <span className="unseen">Last words: </span>
          {quoted(lastWords.text)}
        </button>
      )}
    </section>
  );
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd className="number">{children}</dd>
    </div>
  );
}

function BranchChoice({ name, side, onBranch }: { name: string; side: ComparedSide; onBranch(branch: string | null): void }) {
  const last = String(side.branches);
  const ids = Array.from({ length: side.branches }, (_, at) => String(at + 1)).slice(-branchesOffered);
  return (
    <Menu
      label={`Branch of ${name}`}
      many={false}
      active={!side.current}
      chosen={[side.branch]}
      choices={(ids.includes(side.branch) ? ids : [side.branch, ...ids]).map((id) => ({ value: id, label: id === last ? 'Current branch' : `Branch ${id}` }))}
      onChoose={(id) => onBranch(id === last ? null : id)}
    >
      {side.current ? 'current branch' : `branch ${side.branch}`} of {formatCount(side.branches)}
    </Menu>
  );
}

/** "29 Nov 2026, 15:45" or from and to; the day is said once. */
function spanWords(began: string | null, ended: string | null): string {
  const [from, to] = [formatMinute(began), formatMinute(ended)];
  return from === '' ? 'not recorded' : from === to ? from : `${from} to ${to}`;
}
