import { create } from 'zustand';
import { formatAddress, parseAddress, type Address, type LensPlace, type LibraryView, type View } from './address';

/** The address is the only owner of what is shown and filtered; everything else follows it. */
export const useRoute = create<Address & { asideFrom: View; returned: boolean }>(() => ({ ...parseAddress(location.hash), asideFrom: { kind: 'home' }, returned: false }));

/** A look aside: what was open before is gone back to. */
export const isAside = (view: View): boolean => view.kind === 'search' || view.kind === 'memory' || view.kind === 'doctor' || view.kind === 'library' || view.kind === 'journal' || view.kind === 'work' || view.kind === 'compare';

/** `returned`: one went back or aside and again here, and asked for nothing new: what was read there is where it was left. */
function follow(address: Address, returned: boolean): void {
  const before = useRoute.getState();
  const turnsAside = isAside(address.view) && !isAside(before.view);
  useRoute.setState({ ...address, asideFrom: turnsAside ? before.view : before.asideFrom, returned });
}

/** Listens to the address bar, back and forward; called once. */
export function followAddress(): void {
  window.addEventListener('hashchange', () => {
    if (location.hash !== formatAddress(useRoute.getState())) follow(parseAddress(location.hash), true);
  });
}

/** Shows something else, with another lens where one is given. `replace` leaves no step in the history: for what is typed or only refined. */
export function show(view: View, { replace = false, returned = false, lens: wanted }: { replace?: boolean; returned?: boolean; lens?: Partial<LensPlace> } = {}): void {
  const { library, lens, view: now, asideFrom } = useRoute.getState();
  const before = isAside(now) ? asideFrom : now;
  // The lens is a way of reading and stays; branch and point are of one session.
  const same = view.kind === 'session' && (before.kind === 'session' || before.kind === 'map' || before.kind === 'files') && view.session === before.session;
  move({ view, library, lens: { ...(same || view.kind !== 'session' ? lens : { ...lens, branch: null, before: null }), ...wanted } }, replace, returned);
}

/** Looks at the open session in another way. */
export function look(change: Partial<LensPlace>): void {
  const { view, library, lens } = useRoute.getState();
  move({ view, library, lens: { ...lens, ...change } }, true);
}

/** Changes what the library shows. */
export function refine(change: Partial<LibraryView>): void {
  const { view, library, lens } = useRoute.getState();
  move({ view, library: { ...library, ...change }, lens }, true);
}

/** Opens an address that came from outside: a deep link, or a link of another window. */
export function openAddress(hash: string): void {
  move(parseAddress(hash), false);
}

function move(address: Address, replace: boolean, returned = false): void {
  const hash = formatAddress(address);
  if (hash !== location.hash) history[replace ? 'replaceState' : 'pushState'](null, '', hash);
  follow(address, returned);
}

/** Leaves the search, the memory, the library's settings, the plans, a comparison, or what the doctor says, for what was open before it. */
export function leaveAside(): void {
  show(useRoute.getState().asideFrom, { returned: true });
}
