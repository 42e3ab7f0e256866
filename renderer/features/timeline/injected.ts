import { create } from 'zustand';
import { recall, remember } from '../../ui/remembered';

/** Whether runs of what agents put in for themselves stand open; kept between visits. */
export const useInjected = create<{ shown: boolean }>(() => ({ shown: recall('injected', (value) => (typeof value === 'boolean' ? value : null)) ?? false }));

export function keepShown(shown: boolean): void {
  useInjected.setState({ shown });
  remember('injected', shown);
}
