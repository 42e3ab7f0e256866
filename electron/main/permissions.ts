import { session } from 'electron';
import { inDevelopment, isPage } from './page';

/** Schemes beside the page's own that its requests may have: none of them reaches the network. */
const local = new Set(['blob:', 'data:', 'devtools:']);

/** Copying text is the one thing the page asks for that Chromium counts as a permission. */
const copying = 'clipboard-sanitized-write';

/** Refuses the page's session all that it has no use for: permissions, devices, downloads, the network. */
export function restrictSession(): void {
  const ours = session.defaultSession;
  ours.setPermissionRequestHandler((contents, permission, decide, { isMainFrame, requestingUrl }) =>
    decide(permission === copying && isMainFrame && contents.getURL() !== '' && isPage(requestingUrl)),
  );
  ours.setPermissionCheckHandler((_contents, permission, origin, { isMainFrame }) => permission === copying && isMainFrame && isPage(origin));
  ours.setDevicePermissionHandler(() => false);
  ours.on('will-download', (event) => event.preventDefault());
  // The policy in the page's headers says the same; this holds for whatever that does not cover.
  if (inDevelopment) return;
  ours.webRequest.onBeforeRequest(({ url }, decide) => decide({ cancel: !local.has(new URL(url).protocol) && !isPage(url) }));
}
