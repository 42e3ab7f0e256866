import type { Shell } from '@shared/shell';

declare global {
  interface Window {
    retrace?: Shell;
  }
}

/** The desktop shell around the page; a browser page has none, so every use of it is optional. */
export const shell: Shell | undefined = window.retrace;

/** Decides between ⌘ and Ctrl, in what is shown and in what is listened to. */
export const isMac = /^(darwin|mac)/i.test(shell?.platform ?? navigator.platform);
