import { app, shell } from 'electron';
import { externalAddress } from './external-address';
import { report } from './uncaught';

/** Every page this app ever shows, whoever made it: it stays where it is, opens no window and embeds no other page. */
export function guardContents(): void {
  app.on('web-contents-created', (_event, contents) => {
    contents.setWindowOpenHandler(({ url }) => {
      openOutside(url);
      return { action: 'deny' };
    });
    // Comes for every frame, before `will-navigate` would; prevented here, that one does not come any more.
    contents.on('will-frame-navigate', (event) => {
      event.preventDefault();
      if (event.isMainFrame) openOutside(event.url);
    });
    contents.on('will-navigate', (event) => event.preventDefault());
    contents.on('will-redirect', (event) => event.preventDefault());
    contents.on('will-attach-webview', (event) => event.preventDefault());
  });
}

/** Hands a web or mail address to the program the person uses for it; anything else goes nowhere. */
function openOutside(address: string): void {
  const allowed = externalAddress(address);
  if (allowed) shell.openExternal(allowed).catch((error: unknown) => report('a link could not be opened', error));
}
