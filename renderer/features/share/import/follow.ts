import { formatAddress } from '../../../app/address';
import { openAddress, useRoute } from '../../../app/route';
import { shell } from '../../../shell';
import { askImport } from './state';

/** Links that ask for an import open the dialog and leave the page where it is; others go where they lead. Called once, before the address is followed. */
export function followImportLinks(): void {
  const take = (): boolean => {
    if (!askImport(location.hash)) return false;
    history.replaceState(null, '', formatAddress(useRoute.getState()));
    return true;
  };
  take();
  window.addEventListener('hashchange', (event) => {
    if (take()) event.stopImmediatePropagation();
  });
  shell?.onOpen((hash) => {
    if (!askImport(hash)) openAddress(hash);
  });
}
