import { create } from 'zustand';
import { formatAddress, parseAddress, type Address, type LibraryView, type View } from './address';

/** The address is the only owner of what is shown and filtered; everything else follows it. */
export const useRoute = create<Address & { asideFrom: View }>(() => ({ ...parseAddress(location.hash), asideFrom: { kind: 'home' } }));

/** A look aside: what was open before is gone back to. */
export const isAside = (view: View): boolean => view.kind === 'search' || view.kind === 'doctor';

function follow(address: Address): void {
  const before = useRoute.getState();
  const turnsAside = isAside(address.view) && !isAside(before.view);
  useRoute.setState({ ...address, asideFrom: turnsAside ? before.view : before.asideFrom });
}

/** Listens to the address bar, back and forward; called once. */
export function followAddress(): void {
  window.addEventListener('hashchange', () => {
    if (location.hash !== formatAddress(useRoute.getState())) follow(parseAddress(location.hash));
  });
}

/** Shows something else. `replace` leaves no step in the history: for what is typed or only refined. */
export function show(view: View, { replace = false } = {}): void {
  move({ view, library: useRoute.getState().library }, replace);
}

/** Changes what the library shows. */
export function refine(change: Partial<LibraryView>): void {
  const { view, library } = useRoute.getState();
  move({ view, library: { ...library, ...change } }, true);
}

/** Opens an address that came from outside: a deep link, or a link of another window. */
export function openAddress(hash: string): void {
  move(parseAddress(hash), false);
}

function move(address: Address, replace: boolean): void {
  const hash = formatAddress(address);
  if (hash !== location.hash) history[replace ? 'replaceState' : 'pushState'](null, '', hash);
  follow(address);
}

/** Leaves the search, or what the doctor says, for what was open before it. */
export function leaveAside(): void {
  show(useRoute.getState().asideFrom);
}
