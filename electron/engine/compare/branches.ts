import type { BranchDeeds, BranchFork, SessionBranches } from '@shared/model';
import { forksOf } from './forks';
import type { SessionReading } from './reading';
import { figuresOf } from './turns';
import { isTold, type WalkedBranch, type WalkedMessage } from './walk';

/** Branches told beside the current one; a transcript with 375 ends was reported. */
const branchesTold = 100;
const forksTold = 200;

/** What each branch of a session did, and where its tree divides. */
export function branchDeeds(reading: SessionReading, branches: readonly WalkedBranch[], revision: number): SessionBranches {
  const others = branches.filter(({ current }) => !current);
  const told = [...others.slice(-branchesTold), ...branches.filter(({ current }) => current)];
  const forks = forksOf(told);
  // The current branch has no place of its own to depart from: it is told from where the first other one leaves it.
  const divides = others.length === 0 ? 0 : Math.min(...others.map(({ shared }) => shared));
  return {
    revision, session: reading.id,
    branches: told.map((branch) => deedsOf(reading, branch, branch.current ? divides : branch.shared)), branchesLeftOut: branches.length - told.length,
    forks: forks.slice(0, forksTold).map(({ at, ways }): BranchFork => ({
      at: at === null ? null : reading.pointer(at.parts.at(-1)),
      ways: ways.map(({ branches: ids, current, messages }) => ({
        branches: ids, current, first: reading.pointer(firstPart(messages)), turns: figuresOf(messages).turns,
        prompt: reading.prompt(messages.find((message) => message.prompt && isTold(message)))?.text ?? null,
      })),
    })).sort((a, b) => (a.at?.index ?? -1) - (b.at?.index ?? -1)),
    forksLeftOut: Math.max(0, forks.length - forksTold),
  };
}

function deedsOf(reading: SessionReading, { id, current, messages }: WalkedBranch, shared: number): BranchDeeds {
  const own = messages.slice(shared);
  return {
    ...reading.deeds(own), id, current,
    departs: reading.pointer(messages[shared - 1]?.parts.at(-1)), first: reading.pointer(firstPart(own)), tip: reading.pointer(messages.at(-1)?.parts.at(-1)),
  };
}

/** What a way begins with for who looks: its first told message, else whatever comes first. */
const firstPart = (messages: readonly WalkedMessage[]) => (messages.find(isTold) ?? messages[0])?.parts[0];
