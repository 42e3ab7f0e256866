import { create } from 'zustand';
import type { PanelImperativeHandle } from 'react-resizable-panels';

export type Side = 'library' | 'inspector';

interface Frame {
  /** The dialog that is open. */
  sheet: 'palette' | 'keys' | 'compare' | null;
  panels: Partial<Record<Side, PanelImperativeHandle>>;
  toggle(side: Side): void;
}

/** The panes and dialogs of the page, for actions that open and close them. */
export const useFrame = create<Frame>((_set, get) => ({
  sheet: null,
  panels: {},
  toggle(side) {
    const panel = get().panels[side];
    if (panel?.isCollapsed()) panel.expand();
    else panel?.collapse();
  },
}));

export function holdPanel(side: Side, panel: PanelImperativeHandle | null): void {
  const panels = { ...useFrame.getState().panels };
  if (panel) panels[side] = panel;
  else delete panels[side];
  useFrame.setState({ panels });
}
