import { Command } from 'cmdk';
import { Dialog } from 'radix-ui';
import { type ReactNode, useEffect, useState } from 'react';
import type { FamilySession, SessionBranches, SessionId } from '@shared/model';
import { useFrame } from '../../app/frame';
import { show } from '../../app/route';
import { call, isAbandoned } from '../../rpc';
import { AgentMark, Ago } from '../../ui/marks';
import { useSessionsByTitle } from '../library/by-title';
import { titleOf } from '../library/TreeRow';
import { useFamily } from '../lineage/family';
import { nameOf } from '../lineage/words';
import { comparisonBase } from './base';
import { useNets } from './branches';
import { deedWords, quoted } from './words';

/** Relatives offered, and sessions by title; what is typed finds the rest. */
const relativesOffered = 100;
const titlesOffered = 8;

/** Asks what to compare with: another branch, a relative, or any session by its title. */
export function ComparePicker() {
  const open = useFrame(({ sheet }) => sheet === 'compare');
  return (
    <Dialog.Root open={open} onOpenChange={(next) => useFrame.setState({ sheet: next ? 'compare' : null })}>
      <Dialog.Portal>
        <Dialog.Overlay className="dialog-shade" />
        <Dialog.Content className="dialog" aria-describedby={undefined}>
          <Dialog.Title className="unseen">Compare with</Dialog.Title>
          <Choices />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Choices() {
  const [base] = useState(comparisonBase);
  return base ? <Relatives base={base.session} branch={base.branch} /> : <p className="soft compare-none">Open a session first.</p>;
}

function Relatives({ base, branch }: { base: SessionId; branch: string | null }) {
  const [typed, setTyped] = useState('');
  const family = useFamily(base);
  const branches = useBranchesOf(base);
  const nets = useNets(base);
  const byTitle = useSessionsByTitle(typed, titlesOffered);
  const current = branches?.branches.find((each) => each.current)?.id;
  const relatives = (family?.sessions ?? []).filter(({ id, known }) => known && id !== base).slice(0, relativesOffered);
  const listed = new Set<SessionId>([base, ...relatives.map(({ id }) => id)]);
  const others = byTitle.filter(({ id }) => !listed.has(id));
  const choose = (session: SessionId, other: string | null) => {
    useFrame.setState({ sheet: null });
    // After the dialog has given the focus back.
    setTimeout(() => show({ kind: 'compare', a: base, b: session, branchA: branch, branchB: other }), 0);
  };
  return (
    <Command label="Compare with" loop vimBindings={false} className="palette">
      <Command.Input value={typed} onValueChange={setTyped} placeholder="Compare with a branch, a relative, or a session of this title" />
      <Command.List>
        <Command.Empty className="soft">{typed.trim() === '' ? 'This session has one branch and no relatives. Type the title of another session.' : 'No session has this title.'}</Command.Empty>
        {branches && branches.branches.length > 1 && (
          <Command.Group heading="Branches of this session">
            {branches.branches
              .filter(({ id }) => id !== (branch ?? current))
              .map((each) => (
                <Command.Item key={each.id} value={`branch ${each.id} ${each.current ? 'current' : ''} ${each.lastWords?.text ?? ''}`} onSelect={() => choose(base, each.current ? null : each.id)}>
                  <b className="compare-choice">{each.current ? 'Current branch' : `Branch ${each.id}`}</b>
                  <span className="soft one-line">{each.lastWords ? quoted(each.lastWords.text) : ''}</span>
                  <span className="palette-keys soft number">{deedWords(each, nets.get(each.id))}</span>
                </Command.Item>
              ))}
          </Command.Group>
        )}
        {relatives.length > 0 && (
          <Command.Group heading="Family">
            {relatives.map((session) => (
              <Relative key={session.id} session={session} onSelect={() => choose(session.id, null)} />
            ))}
          </Command.Group>
        )}
        {others.length > 0 && (
          <Command.Group heading="Sessions of this title" forceMount>
            {others.map((session) => (
              <Item key={session.id} value={`session ${session.id}`} always onSelect={() => choose(session.id, null)} updated={session.updated}>
                <AgentMark agent={session.agent} writtenBy={session.writtenBy} />
                <span className="one-line">{titleOf(session)}</span>
              </Item>
            ))}
          </Command.Group>
        )}
      </Command.List>
    </Command>
  );
}

const Relative = ({ session, onSelect }: { session: FamilySession; onSelect(): void }) => (
  <Item value={`${nameOf(session)} ${session.id}`} onSelect={onSelect} updated={session.updated}>
    <AgentMark agent={session.agent} />
    <span className="one-line">{nameOf(session)}</span>
    {session.kind === 'subagent' && <span className="soft">subagent</span>}
  </Item>
);

function Item({ value, always = false, updated, onSelect, children }: { value: string; always?: boolean; updated: string | null; onSelect(): void; children: ReactNode }) {
  return (
    <Command.Item value={value} forceMount={always} onSelect={onSelect}>
      {children}
      <span className="palette-keys">
        <Ago time={updated} />
      </span>
    </Command.Item>
  );
}

function useBranchesOf(session: SessionId): SessionBranches | null {
  const [known, setKnown] = useState<SessionBranches | null>(null);
  useEffect(() => {
    const abort = new AbortController();
    call('session.branches', { session }, { signal: abort.signal })
      .then((answer) => !abort.signal.aborted && setKnown(answer))
      .catch((error: unknown) => {
        if (!abort.signal.aborted && !isAbandoned(error)) console.error('Branches could not be listed.', error);
      });
    return () => abort.abort();
  }, [session]);
  return known;
}
