import { DropdownMenu } from 'radix-ui';
import { Ellipsis, GitFork } from 'lucide-react';
import type { SessionSummary } from '@shared/model';
import { agentNames } from '../../ui/words';
import { titleOf } from '../library/TreeRow';
import { agentActs, forkNow } from './acts';

/** What can be done with the open session: fork at its end, and its agent's own notions. One that was imported goes on in the store of its agent. */
export function SessionMenu({ summary }: { summary: SessionSummary }) {
  if (summary.agent === 'retrace') {
    return (
      <button type="button" className="button bare" data-hint="As a new session in the store of its agent here. From a message: f" onClick={forkNow}>
        <GitFork size={13} aria-hidden /> Continue in {agentNames[summary.writtenBy]}
      </button>
    );
  }
  return (
    <>
      <button type="button" className="button bare" data-hint="Fork this session as it is now. From a message: f" onClick={forkNow}>
        <GitFork size={13} aria-hidden /> Fork
      </button>
      <DropdownMenu.Root modal={false}>
        <DropdownMenu.Trigger className="button bare square" aria-label={`Actions for ${titleOf(summary)}`}>
          <Ellipsis size={15} aria-hidden />
        </DropdownMenu.Trigger>
        <DropdownMenu.Portal>
          <DropdownMenu.Content className="menu" align="end" sideOffset={4} collisionPadding={8}>
            <Item run={forkNow}>Fork as it is now…</Item>
            {agentActs(summary).map(({ name, run }) => (
              <Item key={name} run={run}>
                {name}
              </Item>
            ))}
          </DropdownMenu.Content>
        </DropdownMenu.Portal>
      </DropdownMenu.Root>
    </>
  );
}

/** The menu gives the focus back first: a sheet then takes it. */
function Item({ run, children }: { run(): void; children: string }) {
  return (
    <DropdownMenu.Item className="menu-item" onSelect={() => setTimeout(run, 0)}>
      <span className="menu-check" />
      <span className="one-line">{children}</span>
    </DropdownMenu.Item>
  );
}
