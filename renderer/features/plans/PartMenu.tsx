import { ContextMenu } from 'radix-ui';
import { type MouseEvent, type ReactNode, useState } from 'react';
import { useRoute } from '../../app/route';
import { visibleControls } from '../../ui/controls';
import { copyCurrent, selectPart, toggleRaw } from '../timeline/acts';
import { lookBefore } from '../lens/lens';
import { previewRevert } from '../revert/state';
import { useSession } from '../timeline/state';
import { forkHere, forkNow, revertHere } from './acts';
import { usePointWays } from './ways';

/** What can be done from a message, by a right click or the menu key on one of its parts. */
export function PartMenu({ children }: { children: ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  const ask = (event: MouseEvent) => {
    const target = event.target instanceof Element ? event.target : null;
    const part = target?.closest<HTMLElement>('.part[data-at]');
    // Where something is marked, linked or typed, the system's own menu is meant.
    const isOwn = target?.closest('a, input, textarea') !== null || (getSelection()?.toString() ?? '') !== '';
    if (!part || isOwn) event.stopPropagation();
    else selectPart(Number(part.dataset['at']));
  };
  return (
    <ContextMenu.Root modal={false} onOpenChange={setOpen}>
      <ContextMenu.Trigger asChild>
        <div className="part-menu" onContextMenuCapture={ask}>
          {children}
        </div>
      </ContextMenu.Trigger>
      <ContextMenu.Portal>
        <ContextMenu.Content className="menu plan-menu" aria-label="Actions for this message" collisionPadding={8}>
          {isOpen && <Items />}
        </ContextMenu.Content>
      </ContextMenu.Portal>
    </ContextMenu.Root>
  );
}

function Items() {
  const ways = usePointWays();
  const branch = useRoute(({ lens }) => lens.branch);
  const isCompared = useSession(({ detail }) => (detail?.branches.length ?? 0) > 1 && branch !== null);
  return (
    <>
      <Item keys="f" refused={ways?.noFork ?? null} run={forkHere}>
        Fork before this message…
      </Item>
      <Item refused={null} run={forkNow}>
        {isCompared ? 'Fork this branch as it is now…' : 'Fork the session as it is now…'}
      </Item>
      <ContextMenu.Separator className="menu-line" />
      <Item keys="u" refused={null} run={previewRevert}>
        Preview going back to here
      </Item>
      <Item refused={ways !== null && ways.noRevert !== null && ways.noFiles !== null ? ways.noRevert : null} run={revertHere}>
        Take back to before this message…
      </Item>
      <ContextMenu.Separator className="menu-line" />
      <Item refused={null} run={lookBefore}>
        What the model saw before this message
      </Item>
      <Item keys="r" refused={null} run={toggleRaw}>
        Raw record
      </Item>
      <Item keys="y" refused={null} run={copyCurrent}>
        Copy
      </Item>
    </>
  );
}

function Item({ keys, refused, run, children }: { keys?: string; refused: string | null; run(): void; children: ReactNode }) {
  return (
    <ContextMenu.Item className="menu-item" disabled={refused !== null} data-noted={refused !== null || undefined} onSelect={() => setTimeout(run, 0)}>
      <span className="menu-check" />
      <span className="one-line">{children}</span>
      {keys !== undefined && <kbd className="menu-detail">{keys}</kbd>}
      {refused !== null && <span className="soft menu-note plan-menu-note">{visibleControls(refused)}</span>}
    </ContextMenu.Item>
  );
}
