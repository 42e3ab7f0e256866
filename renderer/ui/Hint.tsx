import { Popover } from 'radix-ui';
import { useEffect, useRef, useState } from 'react';

/**
 * One tooltip for the whole page: it shows what `data-hint` of the element under the pointer or focus says.
 * A virtual list would pay for a tooltip of its own in every row.
 */
export function Hint() {
  const [hint, setHint] = useState<{ element: Element; text: string } | null>(null);
  const anchor = useRef<Element | null>(null);

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const show = (event: Event, delay: number) => {
      const element = event.target instanceof Element ? event.target.closest('[data-hint]') : null;
      clearTimeout(timer);
      if (!element) {
        setHint(null);
        return;
      }
      timer = setTimeout(() => {
        const text = element.getAttribute('data-hint');
        if (!text || !element.isConnected) return;
        anchor.current = element;
        setHint({ element, text });
      }, delay);
    };
    const over = (event: Event) => show(event, 350);
    const focus = (event: Event) => {
      if (event.target instanceof Element && event.target.matches(':focus-visible')) show(event, 0);
    };
    const hide = () => {
      clearTimeout(timer);
      setHint(null);
    };
    document.addEventListener('pointerover', over);
    document.addEventListener('focusin', focus);
    document.addEventListener('focusout', hide);
    document.addEventListener('pointerdown', hide);
    document.addEventListener('wheel', hide, { passive: true });
    document.addEventListener('keydown', hide);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('pointerover', over);
      document.removeEventListener('focusin', focus);
      document.removeEventListener('focusout', hide);
      document.removeEventListener('pointerdown', hide);
      document.removeEventListener('wheel', hide);
      document.removeEventListener('keydown', hide);
    };
  }, []);

  if (!hint) return null;
  return (
    <Popover.Root open key={hint.text}>
      <Popover.Anchor virtualRef={{ current: hint.element as Element & { getBoundingClientRect(): DOMRect } }} />
      <Popover.Portal>
        <Popover.Content
          className="hint"
          side="bottom"
          sideOffset={6}
          collisionPadding={8}
          role="tooltip"
          onOpenAutoFocus={(event) => event.preventDefault()}
          onCloseAutoFocus={(event) => event.preventDefault()}
        >
          {hint.text}
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}
