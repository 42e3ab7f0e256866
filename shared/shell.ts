/** What the desktop shell and the page say to each other beside the link to the engine. */

/** Commands of the application menu that the page carries out. */
export const menuCommands = ['palette', 'search', 'find', 'work', 'journal', 'export', 'library-settings', 'import', 'reload-index', 'theme', 'toggle-library', 'toggle-inspector', 'shortcuts'] as const;
export type MenuCommand = (typeof menuCommands)[number];

/** `window.retrace`, put there by the preload; a browser page has none. */
export interface Shell {
  shell: 'electron';
  platform: string;
  /** Asks for a link to the engine; its port arrives as the window message `retrace:port`. */
  connect(): void;
  /** Shows a file that was written in the system's file manager. */
  showFile(path: string): void;
  /** Where a file lies that was dropped or chosen; empty for one that lies nowhere, or is none. */
  pathOf(file: object): string;
  /** Opens the person's terminal on what an entry of the journal made; a sentence where it is not. */
  openTerminal(entry: string): Promise<string | null>;
  /** A `retrace://` link was opened; the listener gets it as a location hash. Returns how to stop listening. */
  onOpen(listener: (hash: string) => void): () => void;
  /** A menu item was chosen. Returns how to stop listening. */
  onCommand(listener: (command: MenuCommand) => void): () => void;
}

/** Links are bounded: ids of sessions and parts are at most some thousand characters. */
const longestLink = 16_384;

/** The location hash a `retrace://` link stands for; null for anything else. The page decides what the hash means. */
export function hashOfLink(link: string): string | null {
  if (link.length > longestLink) return null;
  const rest = /^retrace:\/\/([!-~]+?)\/?$/i.exec(link)?.[1];
  return rest === undefined ? null : `#/${rest}`;
}
