import { ChevronLeft, ChevronRight } from 'lucide-react';
import { ToggleGroup } from 'radix-ui';
import { useEffect, useState } from 'react';
import type { DiffScope, PartId, SessionId } from '@shared/model';
import { useRoute } from '../../app/route';
import { call } from '../../rpc';
import { formatCount } from '../../ui/format';
import { partAt } from '../timeline/loading';
import { useSession } from '../timeline/state';
import { turnOf } from './acts';
import { scopeText } from './scope';

interface ScopeChoiceProps {
  session: SessionId;
  scope: DiffScope;
  onChoose(scope: DiffScope): void;
}

/** Whose changes are listed: of the session, of a branch, of a turn, of a part. */
export function ScopeChoice({ session, scope, onChoose }: ScopeChoiceProps) {
  const part = useCurrentPart(session);
  const turns = useTurns(session);
  const branch = useRoute(({ lens }) => lens.branch) ?? 'current';
  const choose = async (kind: string) => {
    if (kind === 'session') onChoose({ kind });
    if (kind === 'branch') onChoose({ kind, branch });
    if (kind === 'part' && part !== null) onChoose({ kind, part });
    if (kind === 'turn') onChoose((part === null ? null : await turnOf(session, part)) ?? { kind, turn: Math.max(1, turns ?? 1) });
  };
  const choices = [
    { value: 'session', label: 'Session', idle: false, hint: 'What is left of all the session itself did, over every branch.' },
    { value: 'branch', label: 'Branch', idle: false, hint: 'What the conversation of the branch that is looked at did; what was taken back is left out.' },
    { value: 'turn', label: 'Turn', idle: turns === 0, hint: turns === 0 ? 'This session has no prompt.' : 'From a prompt to the next one: the turn one reads, or the last.' },
    { value: 'part', label: 'Part', idle: part === null && scope.kind !== 'part', hint: part === null ? 'Choose a part in the timeline first.' : 'The part that is chosen in the timeline.' },
  ];
  return (
    <div className="files-scope">
      <ToggleGroup.Root type="single" className="segments" aria-label="Changes of" value={scope.kind} onValueChange={(value) => void choose(value)}>
        {choices.map(({ value, label, idle, hint }) => (
          <ToggleGroup.Item key={value} value={value} className="segment" disabled={idle} data-hint={hint}>
            {label}
          </ToggleGroup.Item>
        ))}
      </ToggleGroup.Root>
      {scope.kind === 'turn' && (
        <span className="files-turn number">
          <button type="button" className="bare-icon" aria-label="The turn before" disabled={scope.turn <= 1} onClick={() => onChoose({ kind: 'turn', turn: scope.turn - 1 })}>
            <ChevronLeft size={14} aria-hidden />
          </button>
          turn {formatCount(scope.turn)}
          {turns !== null && ` of ${formatCount(turns)}`}
          <button type="button" className="bare-icon" aria-label="The turn after" disabled={turns === null || scope.turn >= turns} onClick={() => onChoose({ kind: 'turn', turn: scope.turn + 1 })}>
            <ChevronRight size={14} aria-hidden />
          </button>
        </span>
      )}
      {scope.kind === 'branch' && <span className="soft">{scope.branch === 'current' ? 'the current one' : `branch ${scope.branch}`}</span>}
      {scope.kind === 'stretch' && <span className="soft">branch {scope.branch}, since it departed</span>}
      {scope.kind === 'against' && <span className="soft">against {scopeText(scope).slice('against:'.length)}</span>}
    </div>
  );
}

/** The part that is chosen in the timeline of this session. */
function useCurrentPart(session: SessionId): PartId | null {
  return useSession(({ id, current }) => (id === session && current !== null ? (partAt(current)?.id ?? null) : null));
}

/** How many turns the session has; null until that is known. */
function useTurns(session: SessionId): number | null {
  const [found, setFound] = useState<{ session: SessionId; turns: number } | null>(null);
  const total = useSession((open) => (open.id === session ? open.total : 0));
  useEffect(() => {
    if (total === 0) return undefined;
    const abort = new AbortController();
    // Any part tells; the first is there as soon as there is one.
    call('session.parts', { session, from: 0, count: 1 }, { signal: abort.signal })
      .then((answer) => answer?.parts[0] && call('diff.turn', { session, part: answer.parts[0].id }, { signal: abort.signal }))
      .then((answer) => {
        if (answer) setFound({ session, turns: answer.turns });
      })
      // Without their number the turns are still chosen; only the last one is not known as such.
      .catch(() => undefined);
    return () => abort.abort();
  }, [session, total]);
  return found?.session === session ? found.turns : null;
}
