import type { SessionId } from '@shared/model';
import { useRoute } from '../../app/route';
import { useSession } from '../timeline/state';

/** What is compared with something else: the open session at the branch that is looked at, or the first of a comparison. */
export function comparisonBase(): { session: SessionId; branch: string | null } | null {
  const { view, lens } = useRoute.getState();
  if (view.kind === 'compare') return { session: view.a, branch: view.branchA };
  if (view.kind !== 'session' && view.kind !== 'map') return null;
  const { id } = useSession.getState();
  return id === null ? null : { session: id, branch: lens.branch };
}
