import { show } from '../../app/route';
import { say } from '../../ui/toast';
import type { MapItem } from './graph';

/** Opens what stands on the map: a session, or one of its branches at its end. */
export function openItem(item: MapItem): void {
  if (item.kind === 'branch') show({ kind: 'session', session: item.session.id, part: item.branch.tip }, { lens: { branch: item.branch.id, before: null } });
  else if (item.session.known) show({ kind: 'session', session: item.session.id, part: null });
  else say('No store has this session; only what came of it is known.');
}
