import { DropdownMenu } from 'radix-ui';
import { Ellipsis } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { show } from '../../app/route';

/** What can be done with a project, from its row: by its button, a right click, or the menu key. */
export function GroupMenu({ project, name }: { project: string; name: string }) {
  const [open, setOpen] = useState(false);
  const trigger = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    const row = trigger.current?.closest('[role="treeitem"]');
    const ask = (event: Event) => {
      event.preventDefault();
      setOpen(true);
    };
    row?.addEventListener('contextmenu', ask);
    return () => row?.removeEventListener('contextmenu', ask);
  }, []);
  return (
    <DropdownMenu.Root modal={false} open={open} onOpenChange={setOpen}>
      <DropdownMenu.Trigger ref={trigger} className="tree-menu" tabIndex={-1} aria-hidden title={`Actions for ${name}`} onClick={(event) => event.stopPropagation()}>
        <Ellipsis size={14} aria-hidden />
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          className="menu"
          align="end"
          sideOffset={2}
          collisionPadding={8}
          // The button is for the pointer: it would be read out as part of the row's name, so it does not name the menu.
          aria-labelledby={undefined}
          aria-label={`Actions for ${name}`}
          // The page hears these from the row that the menu belongs to: they must not move in the tree.
          onClick={(event) => event.stopPropagation()}
          onKeyDown={(event) => event.stopPropagation()}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            trigger.current?.closest<HTMLElement>('[role="treeitem"]')?.focus({ preventScroll: true });
          }}
        >
          <DropdownMenu.Item className="menu-item" onSelect={() => show({ kind: 'memory', project })}>
            Memory of this project
          </DropdownMenu.Item>
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
