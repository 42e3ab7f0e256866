import { useLink } from '../rpc';
import { shell } from '../shell';

/** Said when the engine stays away: what is so, and what to do. What is drawn stays, and the link is tried on. */
export function LinkNotice() {
  const silent = useLink((link) => link.silent);
  if (!silent) return null;
  return (
    <p className="link-notice" role="alert">
      Retrace does not answer. {shell ? 'If that goes on, close this window and start Retrace again.' : 'If it was ended, start it again and open the link it prints.'}
    </p>
  );
}
