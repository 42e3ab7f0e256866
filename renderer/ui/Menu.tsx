import { DropdownMenu } from 'radix-ui';
import { Check, ChevronDown } from 'lucide-react';
import type { ReactNode } from 'react';

export interface Choice {
  value: string;
  label: string;
  detail?: string;
  /** A second line. */
  note?: string;
}

/** Something to do, below the choices. */
export interface MenuAct {
  label: string;
  /** Its key, as it is written. */
  keys?: string;
  run(): void;
}

interface MenuProps {
  label: string;
  children: ReactNode;
  choices: Choice[];
  chosen: string[];
  /** One of many, or any of many. */
  many: boolean;
  onChoose(value: string): void;
  active?: boolean;
  /** Left out: the button alone opens it. */
  open?: boolean;
  onOpen?(open: boolean): void;
  acts?: MenuAct[];
}

/** A button that opens a list of choices. */
export function Menu({ label, children, choices, chosen, many, onChoose, active, open, onOpen, acts = [] }: MenuProps) {
  const Item = many ? DropdownMenu.CheckboxItem : DropdownMenu.RadioItem;
  const items = choices.map((choice) => (
    <Item
      key={choice.value}
      value={choice.value}
      className="menu-item"
      data-noted={choice.note !== undefined || undefined}
      {...(many ? { checked: chosen.includes(choice.value), onCheckedChange: () => onChoose(choice.value), onSelect: (event: Event) => event.preventDefault() } : {})}
    >
      <span className="menu-check">
        <DropdownMenu.ItemIndicator>
          <Check size={13} aria-hidden />
        </DropdownMenu.ItemIndicator>
      </span>
      <span className="one-line">{choice.label}</span>
      {choice.detail !== undefined && <span className="soft number menu-detail">{choice.detail}</span>}
      {choice.note !== undefined && <span className="soft one-line menu-note">{choice.note}</span>}
    </Item>
  ));
  return (
    <DropdownMenu.Root modal={false} {...(open !== undefined && onOpen ? { open, onOpenChange: onOpen } : {})}>
      <DropdownMenu.Trigger className="chip" data-active={active || undefined}>
        <span className="unseen">{label}: </span>
        <span className="one-line">{children}</span>
        <ChevronDown size={12} aria-hidden />
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content className="menu" align="start" sideOffset={4} collisionPadding={8}>
          {many ? (
            items
          ) : (
            <DropdownMenu.RadioGroup value={chosen[0] ?? ''} onValueChange={onChoose}>
              {items}
            </DropdownMenu.RadioGroup>
          )}
          {acts.length > 0 && <DropdownMenu.Separator className="menu-line" />}
          {acts.map(({ label: act, keys, run }) => (
            <DropdownMenu.Item key={act} className="menu-item" onSelect={run}>
              <span className="menu-check" />
              <span className="one-line">{act}</span>
              {keys !== undefined && <kbd className="menu-detail">{keys}</kbd>}
            </DropdownMenu.Item>
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
