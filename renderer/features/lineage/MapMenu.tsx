import { ContextMenu } from 'radix-ui';
import { type MouseEvent, type ReactElement, useState } from 'react';
import type { Family, SessionId } from '@shared/model';
import { show } from '../../app/route';
import { copyText } from '../../ui/copy';
import { say } from '../../ui/toast';
import { agentNames } from '../../ui/words';
import { compareWithCurrent } from '../compare/branches';
import { messagePart } from '../inspector/message-part';
import { agentActs, forkOf } from '../plans/acts';
import type { BranchItem, MapGraph, MapItem, SessionItem } from './graph';
import { openItem } from './open';
import { useMap } from './state';
import { nameOf } from './words';

interface MapMenuProps {
  family: Family;
  graph: MapGraph;
  /** Chooses what was asked for. */
  choose(id: string): void;
  /** The drawing. */
  children: ReactElement;
}

/** What can be done with a session or a branch of the map: by a right click on it, or the menu key on the one that is chosen. */
export function MapMenu({ family, graph, choose, children }: MapMenuProps) {
  const [item, setItem] = useState<MapItem | null>(null);
  const ask = (event: MouseEvent) => {
    // The menu key asks for what is chosen, drawn or not.
    const id = event.isTrusted ? itemUnder(event) : useMap.getState().current;
    const found = id === null ? undefined : graph.items.get(id);
    if (!found) return event.stopPropagation();
    if (event.isTrusted) choose(found.id);
    setItem(found);
  };
  return (
    <ContextMenu.Root modal={false} onOpenChange={(open) => !open && setItem(null)}>
      <div className="map-menu" onContextMenuCapture={ask}>
        <ContextMenu.Trigger asChild>{children}</ContextMenu.Trigger>
      </div>
      <ContextMenu.Portal>
        <ContextMenu.Content className="menu" aria-label={item === null ? undefined : `Actions for ${item.kind === 'branch' ? `branch ${item.branch.id} of ` : ''}${nameOf(item.session)}`} collisionPadding={8}>
          {item?.kind === 'session' && <SessionItems family={family} item={item} />}
          {item?.kind === 'branch' && <BranchItems item={item} />}
        </ContextMenu.Content>
      </ContextMenu.Portal>
    </ContextMenu.Root>
  );
}

/** Opens the menu where the chosen item is drawn; in the middle when it is not on the screen. */
export function askForMenu(canvas: HTMLElement | null): void {
  const drawn = canvas?.querySelector('.map-stub[data-current], .map-card[data-current]') ?? canvas;
  const { left, top, width, height } = drawn?.getBoundingClientRect() ?? new DOMRect();
  drawn?.dispatchEvent(new window.MouseEvent('contextmenu', { bubbles: true, cancelable: true, clientX: left + width / 2, clientY: top + height / 2 }));
}

function itemUnder({ target }: MouseEvent): string | null {
  if (!(target instanceof Element)) return null;
  return target.closest<HTMLElement>('[data-item]')?.dataset['item'] ?? target.closest<HTMLElement>('.react-flow__node')?.dataset['id'] ?? null;
}

function SessionItems({ family, item }: { family: Family; item: SessionItem }) {
  const { session } = item;
  return (
    <>
      {session.known && (
        <>
          <Item keys="Enter" run={() => openItem(item)}>
            Open
          </Item>
          <Item keys="f" run={() => forkOf(item.id)}>
            {session.agent === 'retrace' ? `Continue in ${agentNames[session.writtenBy]}…` : 'Fork as it is now…'}
          </Item>
          {session.id !== family.session && <Item run={() => show({ kind: 'compare', a: family.session, b: session.id, branchA: null, branchB: null })}>Compare with the open session</Item>}
          <ContextMenu.Separator className="menu-line" />
          {agentActs(session).map(({ name, run }) => (
            <Item key={name} run={run}>
              {name}
            </Item>
          ))}
        </>
      )}
      <Item run={() => copyId(session.id)}>Copy its id</Item>
    </>
  );
}

function BranchItems({ item }: { item: BranchItem }) {
  const { branch, session } = item;
  const { departs } = branch;
  return (
    <>
      <Item keys="Enter" run={() => openItem(item)}>
        Open at its end
      </Item>
      <Item keys="f" run={() => forkOf(item.id)}>
        Fork this branch as it is now…
      </Item>
      {departs !== null && <Item run={() => show({ kind: 'session', session: session.id, part: messagePart(departs) })}>Where it departs</Item>}
      <Item run={() => compareWithCurrent(session.id, branch.id)}>Compare with the current branch</Item>
    </>
  );
}

/** The menu gives the focus back first: a sheet then takes it. */
function Item({ keys, run, children }: { keys?: string; run(): void; children: string }) {
  return (
    <ContextMenu.Item className="menu-item" onSelect={() => setTimeout(run, 0)}>
      <span className="menu-check" />
      <span className="one-line">{children}</span>
      {keys !== undefined && <kbd className="menu-detail">{keys}</kbd>}
    </ContextMenu.Item>
  );
}

function copyId(id: SessionId): void {
  void copyText(id).then((done) => say(done ? 'Copied the id.' : 'The system refused the clipboard.'));
}
